"""A person's answers on the command line, to asks that wait and to calls that were stopped."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from automode.cli.daemon import person_request
from automode.cli.options import Surroundings
from automode.cli.printing import count_text, local
from automode.core.errors import BadCall
from automode.daemon.client import NoDaemon, request

LOOK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Stopped:
    """A call that can be answered. `until` None: it does not wait."""

    record: str
    session: str
    tool: str
    action: str
    verdict: str
    source: str
    reason: str
    cwd: str
    given: str  # its input as JSON
    at: float
    until: float | None = None
    replaced: bool = False


@dataclass(frozen=True, slots=True)
class Inbox:
    waiting: tuple[Stopped, ...]
    recent: tuple[Stopped, ...]
    revision: int
    data: Mapping[str, object]


def look(
    surroundings: Surroundings, after: int | None = None, seconds: float = LOOK_SECONDS
) -> Inbox:
    """With `after`, the revision that was seen last, it comes when something changes, or a little
    before so many seconds are over."""
    asked: dict[str, object] = {} if after is None else {"after": after}
    try:
        data = request(surroundings.known_state(), "inbox", asked, seconds=seconds)
    except NoDaemon:
        from automode.cli.without_daemon import look_up

        data = look_up(surroundings, "inbox", {})
    revision = data.get("revision")
    return Inbox(
        tuple(_stopped(data.get("waiting"))),
        tuple(_stopped(data.get("recent"))),
        revision if isinstance(revision, int) else 0,
        data,
    )


def waiting_records(surroundings: Surroundings) -> list[str]:
    """Of the asks that wait now, the oldest first; none without a daemon."""
    try:
        data = request(surroundings.known_state(), "inbox", {"only_waiting": True})
    except NoDaemon:
        return []
    return [one.record for one in _stopped(data.get("waiting"))]


def _stopped(rows: object) -> Iterable[Stopped]:
    for row in rows if isinstance(rows, list) else ():
        names = "record session tool action verdict source reason cwd input".split()
        until = row.get("until")
        wait = float(until) if isinstance(until, int | float) else None
        record, session, tool, action, verdict, source, reason, cwd, given = (
            str(row.get(name, "")) for name in names
        )
        at = float(row.get("timestamp", 0))
        told = (record, session, tool, action, verdict, source, reason, cwd, given)
        yield Stopped(*told, at, wait, row.get("replaced") is True)


@dataclass(frozen=True, slots=True)
class Proposal:
    """An allow rule, a pattern a line, and what is known of it."""

    rule: str
    note: str
    void: str = ""


def rules_for(surroundings: Surroundings, record: str) -> tuple[list[Proposal], list[str]]:
    """The rules that would cover a call, the narrowest first; and why there are not more."""
    try:
        asked = {"record": record}
        data = request(surroundings.known_state(), "propose", asked, seconds=LOOK_SECONDS)
    except NoDaemon:
        from automode.cli.without_daemon import look_up

        data = look_up(surroundings, "propose", {"record": record})
    rows, remarks = data.get("proposals"), data.get("remarks")
    found = [
        Proposal("\n".join(row["entries"]), _note(row), row["void"])
        for row in (rows if isinstance(rows, list) else ())
        if row["key"] == "permissions.allow"
    ]
    return found, [str(one) for one in remarks] if isinstance(remarks, list) else []


def _note(row: Mapping[str, object]) -> str:
    covered = row.get("covered")
    counted = ""
    if isinstance(covered, int):
        counted = f"covers {count_text(covered, 'call')} of the last 30 days"
    parts = (counted, f"beyond this call: {row['beyond']}" if row.get("beyond") else "")
    return "; ".join(part for part in (str(row.get("note", "")), *parts) if part)


def narrowest_rule(surroundings: Surroundings, record: str) -> str:
    """The rule that covers this call and no other. Raises BadCall where there is none."""
    found, remarks = rules_for(surroundings, record)
    usable = [one for one in found if not one.void]
    if not usable:
        why = [one.void for one in found if one.void] or remarks
        raise BadCall("no rule would let this call through", "; ".join(why[:1]))
    return usable[0].rule


def answer_waiting(
    surroundings: Surroundings, record: str, kind: str, reason: str = "", rule: str = ""
) -> str:
    """Answers an ask that waits, as `automode approve` does with its check that a person asks. Says
    what came of it. `kind`: see `sessions.waiting.AnswerKind`. Raises AutomodeError."""
    data = {"record": record, "kind": kind, "by": "terminal", "reason": reason, "rule": rule}
    taken = person_request(surroundings, "answer", data)
    in_time, expires = taken.get("in_time") is True, taken.get("expires")
    said = {
        "deny": "denied: the agent is told why" if reason else "denied",
        "always": f"allowed, and saved in {taken.get('saved')}",
        "session": "allowed for the rest of the session",
        "once": "allowed once",
    }[kind]
    if in_time:
        return said
    still = f" until {local(expires)}" if isinstance(expires, int | float) else ""
    late = "the call did not wait any more"
    return f"{said}, but {late}" + (f": an exact retry counts{still}" if still else "")
