"""What a status bar shows of a session; and, run by its path, the quick way to it for hosts.

`python -I -S bar.py --state DIR` reads the host's JSON from standard input and prints what
`automode status-line --session -` does, in a fifth of the time: a host asks after every message. So
nothing may be loaded here but `json` and the hook's own way to the daemon.
"""

import json
import sys
import time
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SECONDS = 1.0
MOST_SESSIONS = 1000
LARGEST_HOST_BYTES = 1024 * 1024
LARGEST_ANSWER = 16 * 1024 * 1024
OWN_HOST = "cli"  # trials of a person belong to no agent
COUNTERS = {
    "a": "checkedActions",
    "d": "blockedActions",
    "ca": "classifierAllowed",
    "cd": "classifierDenied",
}


SILENT = "gate silent: no hook came, see `automode doctor`"
"""Something keeps every hook of a session from being called, also the one at its beginning. The
bar is no hook."""


STANDS_IN = "the model fails: the embedded judge stands in"


class Line:
    """`mark`: `●` on, `◐` shadow, `○` off, `■` halted, `!` no daemon, `?` no such session."""

    __slots__ = ("counts", "mark", "note")

    def __init__(self, mark: str, counts: "Mapping[str, int]", note: str = "") -> None:
        self.mark, self.counts, self.note = mark, counts, note

    def __str__(self) -> str:
        counts = (f"{name}:{n}" for name, n in self.counts.items())
        return " ".join([f"AM{self.mark}", *counts, *([self.note] if self.note else [])])


def line_for(
    known: "Sequence[Mapping[str, object]] | None",
    wanted: str | None,
    *,
    worked: bool = False,
    agent_usd: float = 0.0,
) -> Line:
    """`known` None: no daemon answers. `wanted` None: all sessions that run. `worked`: its model
    was asked something already. `agent_usd`: what the agent itself has cost, where its host
    tells."""
    if known is None:
        return Line("!", {})
    shown = [one for one in known if _fits(one, wanted)]
    if wanted is not None and not shown:
        return Line("?", {}, SILENT if worked and wanted else "")
    counts = {name: sum(_count(one, key) for one in shown) for name, key in COUNTERS.items()}
    counts["a"] = max(0, counts["a"] - counts["d"])
    outage = any(one.get("standsIn") is True for one in shown)
    notes = (_cost(shown, agent_usd), STANDS_IN if outage else "")
    return Line(_mark(shown), counts, " ".join(note for note in notes if note))


def _cost(shown: "Sequence[Mapping[str, object]]", agent_usd: float) -> str:
    """What the classifier cost, beside the agent's own cost. A session's own sum has that of its
    sub-agents in it."""
    names = {one.get("session") for one in shown}
    spent = sum(_dollars(one.get("usd")) for one in shown if one.get("parent") not in names)
    if not spent:
        return ""
    return f"judge ${spent:.4f}" + (f" agent ${agent_usd:.2f}" if agent_usd else "")


def _dollars(found: object) -> float:
    """0 for what is no amount of money."""
    try:
        money = float(found) if isinstance(found, str | int | float) else 0.0
    except ValueError:
        return 0.0
    return money if 0 < money < 1e9 else 0.0


def _mark(shown: "Sequence[Mapping[str, object]]") -> str:
    if any(one.get("halted") is True for one in shown):
        return "■"
    modes = {str(one.get("mode")) for one in shown}
    if modes == {"off"}:
        return "○"
    return "◐" if modes == {"shadow"} else "●"


def _fits(one: "Mapping[str, object]", wanted: str | None) -> bool:
    """A session's sub-agents count with it: their ids begin with its own."""
    if wanted is None:
        return one.get("ended") is None and one.get("host") != OWN_HOST
    session = str(one.get("session"))
    names = (session, f"{one.get('host')}/{session}")
    return any(wanted == name or (wanted and name.startswith(f"{wanted}/")) for name in names)


def _count(one: "Mapping[str, object]", name: str) -> int:
    found = one.get(name)
    return found if isinstance(found, int) else 0


def sessions_in(answer: object) -> "list[Mapping[str, object]] | None":
    found = answer.get("sessions") if isinstance(answer, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else None


def read_host(text: bytes) -> tuple[str, bool, float]:
    """The session that a host means by `session_id`, whether its model was asked something, and
    what it cost. Without an id the line says that nothing is known: an error would only take its
    place."""
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return "", False, 0.0
    told = found if isinstance(found, dict) else {}
    session, cost = told.get("session_id"), told.get("cost")
    costs = cost if isinstance(cost, dict) else {}
    spent = costs.get("total_api_duration_ms")
    worked = isinstance(spent, int | float) and spent > 0
    usd = _dollars(costs.get("total_cost_usd"))
    return session if isinstance(session, str) else "", worked, usd


def ask_daemon(state: str) -> "list[Mapping[str, object]] | None":
    """The sessions that the daemon of this folder knows; None where none answers in time."""
    from automode.hook.asking import Closing, HookQuestion, dial

    payload = json.dumps({"do": "sessions", "limit": MOST_SESSIONS}).encode("ascii")
    errand = HookQuestion("-", "-", {"--state": state, "--config": ""}, time.monotonic() + SECONDS)
    try:
        errand.enter()
        line = dial()
        if line is None:
            return None
        head = f"AM1 json - - {errand.token()} {int(SECONDS * 1000)} {len(payload)}\n"
        line.settimeout(SECONDS)
        line.sendall(head.encode("ascii") + payload)
        return sessions_in(json.loads(_answer(line.recv)))
    except (Closing, OSError, ValueError):
        return None


def _answer(receive: "Callable[[int], bytes]") -> bytes:
    """The body of the reply. Raises ValueError where it is none."""
    data, until = b"", time.monotonic() + SECONDS
    while time.monotonic() < until and len(data) < LARGEST_ANSWER:
        first, end, rest = data.removeprefix(b"AM1 heard\n").partition(b"\n")
        words = first.split(b" ")
        if end and (words[:2] != [b"AM1", b"0"] or len(words) != 4):
            break
        if end and len(rest) >= int(words[2]):
            return rest[: int(words[2])]
        part = receive(65_536)
        if not part:
            break
        data += part
    raise ValueError("no answer of the daemon")


def main(arguments: list[str]) -> None:
    sys.path.append(__file__.rpartition("/automode/cli/")[0] or "/nonexistent")
    named = dict(pairwise(arguments))
    text = sys.stdin.buffer.read(LARGEST_HOST_BYTES)
    known = ask_daemon(named.get("--state", ""))
    session, worked, usd = read_host(text)
    line = line_for(known, session, worked=worked, agent_usd=usd)
    sys.stdout.buffer.write(f"{line}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
