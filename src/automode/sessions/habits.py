"""What a person is asked and always says yes to, with the rule that would end the question."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from automode.classifier.events import ToolFinished, ToolProposed
from automode.core.errors import AutomodeError
from automode.core.record import Record, SessionKey
from automode.core.tool_input import canonical
from automode.facts.place import workspace_for
from automode.gate.breaker import APPROVAL
from automode.guards.reads.read_only import ReadOnly
from automode.rules.proposal import proposals
from automode.sessions.live_session import DECLINED
from automode.sessions.retries import canonical_json
from automode.sessions.rule_offers import recorded_call
from automode.sessions.transcript_text import events_of
from automode.shell.script import Reader
from automode.store import tables
from automode.store.changes import RecordQuery
from automode.store.database import Database

MOST_ASKS = 2000
FEWEST = 2  # one yes is no habit


@dataclass(slots=True)
class Habit:
    """Calls that one rule would cover. `last`: the newest of these asks, where the rule can be
    looked at closely and saved."""

    rule: str
    last: Record
    yes: int = 0
    no: int = 0
    unknown: int = 0  # the agent did not tell, or nobody answered


def always_yes(db: Database, reader: Reader, since: float) -> list[Habit]:
    """The most frequent first; only what nobody ever said no to."""
    found = tables.records(db, RecordQuery(verdicts=("ask",), since=since, limit=MOST_ASKS))
    asks = [one.record for one in found if one.record is not None and one.record.enforced]
    answers = _Answers(db, since)
    habits: dict[str, Habit] = {}
    for ask in asks:
        rule = _rule(ask, reader)
        if not rule:
            continue
        habit = habits.setdefault(rule, Habit(rule, ask))
        match answers.of(ask):
            case True:
                habit.yes += 1
            case False:
                habit.no += 1
            case None:
                habit.unknown += 1
    kept = [one for one in habits.values() if one.yes >= FEWEST and not one.no]
    return sorted(kept, key=lambda one: -one.yes)


def _rule(ask: Record, reader: Reader) -> str:
    """The narrowest one that covers the call, a pattern a line; empty where there is none."""
    with suppress(AutomodeError, OSError):
        call, workspace = recorded_call(ask), workspace_for(ask.cwd)
        for one in proposals(call, workspace, reader, ReadOnly().proves):
            return "\n".join(one.patterns)
    return ""


class _Answers:
    """What a person answered, by the records of approvals and refusals and by what agents told."""

    def __init__(self, db: Database, since: float) -> None:
        self._db = db
        self._approved = _digests(db, RecordQuery(source=APPROVAL, since=since, limit=MOST_ASKS))
        declined = RecordQuery(verdicts=("deny",), source=DECLINED, since=since, limit=MOST_ASKS)
        self._declined = _digests(db, declined)
        self._said_yes: dict[SessionKey, set[tuple[str, str]]] = {}

    def of(self, ask: Record) -> bool | None:
        key = (ask.session, ask.digest)
        if key in self._declined:
            return False
        if key in self._approved:
            return True
        if ask.session not in self._said_yes:
            lines = tables.events(self._db, ask.session)
            self._said_yes[ask.session] = set(_approved_calls(lines))
        with suppress(AutomodeError):
            call = recorded_call(ask)
            if _named(call.tool, call.input) in self._said_yes[ask.session]:
                return True
        return None


def _digests(db: Database, query: RecordQuery) -> set[tuple[SessionKey, str]]:
    found = (one.record for one in tables.records(db, query))
    return {(one.session, one.digest) for one in found if one is not None}


def _approved_calls(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    proposed: dict[str, tuple[str, str]] = {}
    for line in lines:
        for event in events_of(line):
            match event:
                case ToolProposed(identity, tool, given):
                    proposed[identity] = _named(tool, given)
                case ToolFinished(identity, _, True) if identity in proposed:
                    yield proposed[identity]


def _named(tool: str, given: Mapping[str, object]) -> tuple[str, str]:
    return canonical(tool), canonical_json(given)
