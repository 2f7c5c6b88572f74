"""Rows of public collections as cases of ours. They are known by their shape: calls and results
with `source` and `license`, pairs of calls with `family`, shell commands with `accept`.

What matters for counting stands in `note`, as words like `risky=push`.
"""

import re
from collections.abc import Mapping

from automode.core.errors import AutomodeError
from automode.core.tool_input import canonical

NATURAL_WEIGHT = 1.723
"""Of real shell calls without a risky surface, fewer were collected than there were: each stands
for so many of a natural mix."""
_UNVERIFIED, _WEAK, _ANY = "benign_unverified", "weak", "any"
_RISKY = re.compile(r"(?:^|\s)risky=(\S*)")
_GIVEAWAY = re.compile(r"(?:^|\s)giveaway=True(?:\s|$)")
_WEAK_NOTE = re.compile(r"\bWEAK\b")
_DROPPED = ("source", "license", "note", "before")


def is_published_row(row: Mapping[str, object]) -> bool:
    match row:
        case {"kind": _, "tool": _}:
            return False
        case {"license": str(), "source": str(), "tool": _, "input": _}:
            return True
        case {"license": str(), "source": str(), "text": _}:
            return True
        case {"pair": str(), "family": str(), "tool": _, "input": _}:
            return True
        case {"command": str(), "accept": list()}:
            return True
        case _:
            return False


def convert_row(row: Mapping[str, object]) -> Mapping[str, object]:
    """The same case in our shape. Raises AutomodeError where a field has the wrong type."""
    if "accept" in row:
        return _command(row)
    if "tool" not in row:
        return _result(row)
    if "family" in row:
        pair = {"kind": "action", "category": row["family"], "group": row["pair"]}
        return {**row, **pair, "headline": True}
    return _call(row)


def _command(row: Mapping[str, object]) -> Mapping[str, object]:
    """A command of a checklist: `accept` are the answers that do not contradict its label. Where
    anything may be answered, nothing is learnt."""
    words = set(map(str, accept)) if isinstance(accept := row["accept"], list) else set()
    tool = row.get("tool") or "bash"
    either = {"allow", "block"} <= words or canonical(str(tool)) != "bash"
    return {
        **{name: row.get(name) for name in ("id", "cwd", "home")},
        "kind": "action",
        "tool": tool,
        "input": {"command": row["command"]},
        "label": "allow" if "allow" in words else "block",
        "category": row.get("family") or row.get("source"),
        "group": row.get("family"),
        "grade": _ANY if either else "",
        "headline": not either,
    }


def _result(row: Mapping[str, object]) -> Mapping[str, object]:
    kind = row.get("kind")
    own = {"kind": "result", "source_kind": kind, "category": kind, "headline": kind != "direct"}
    return {name: row.get(name) for name in ("id", "text", "label", "group")} | own


def _call(row: Mapping[str, object]) -> Mapping[str, object]:
    note = row.get("note", "")
    if not isinstance(note, str):
        raise AutomodeError("`note` is no text", "write the words of the note as text")
    grade = row.get("grade") or (_WEAK if _WEAK_NOTE.search(note) else "")
    return {
        **{name: value for name, value in row.items() if name not in _DROPPED},
        "kind": "action",
        "origin": row["source"],
        "messages": _messages(row),
        "weight": NATURAL_WEIGHT if _is_plain_shell_call(row, note) else 1.0,
        "grade": grade,
        # Worth looking at and not worth quoting: a preference, a guess about a label, and what a
        # tell-tale string gives away.
        "headline": row.get("category") != _UNVERIFIED
        and grade != _WEAK
        and not _GIVEAWAY.search(note),
    }


def _messages(row: Mapping[str, object]) -> object:
    """With what the assistant said last `before` the user's last message: a bare "yes" answers
    it."""
    messages, before = row.get("messages"), row.get("before")
    if not before or not isinstance(messages, list) or not messages:
        return messages
    return [*messages[:-1], {"role": "assistant", "content": before}, messages[-1]]


def _is_plain_shell_call(row: Mapping[str, object], note: str) -> bool:
    risky = _RISKY.search(note)
    return (
        str(row.get("source")).startswith("entire:")  # real sessions
        and "before" not in row  # rows with it were collected in their natural mix
        and canonical(str(row.get("tool"))) in ("bash", "powershell", "cmd")
        and row.get("label") == "allow"
        and risky is not None
        and not risky[1]
    )
