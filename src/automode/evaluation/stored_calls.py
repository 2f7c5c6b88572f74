"""Calls in the audit store, as automode decided them.

Inputs were redacted before they were written, and a very long one was cut: such a call cannot be
decided again, and is counted instead.
"""

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from automode.classifier.events import ToolProposed
from automode.classifier.transcript import Recorder
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.core.transcript import Transcript
from automode.evaluation.recorded_calls import NOTHING_SAID, RecordedCall, Then
from automode.gate.breaker import APPROVAL
from automode.sessions.transcript_text import InstructionsGiven, PromptDisowned, events_of
from automode.store.changes import RecordQuery, canonical
from automode.store.database import Database
from automode.store.tables import Stored, events, records

PAGE = 500
MOST_EVENTS = 20_000
MOST_SESSIONS = 16
THEN = {
    Verdict.ALLOW: Then.ALLOWED,
    Verdict.ASK: Then.ASKED,
    Verdict.DENY: Then.DENIED,
    Verdict.HALT: Then.HALTED,
}
_NOT_THE_WALK = (APPROVAL, "breaker.", "gate.cancelled", "gate.not-recorded")
"""Sources of decisions that no policy made: another one would not have changed them."""

Name = tuple[str, str]  # tool and input: the same for calls that cannot be told apart


def _pages(db: Database, since: float | None, size: int) -> Iterator[Stored]:
    """The newest first."""
    before: int | None = None
    while True:
        page = records(db, RecordQuery(since=since, before=before, limit=size))
        yield from page
        if len(page) < size:
            return
        before = page[-1].number


def _input_of(text: str) -> Mapping[str, object] | None:
    """None for what was cut."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match value:
        case {"cut": str(), **rest} if not rest:
            return None
        case dict():
            return value
        case _:
            return None


def _before_calls(heard: Sequence[str]) -> dict[Name, list[Transcript]]:
    """What stood before each call of a session, as it was heard. A record and the event of its call
    hold the same text, and no common id."""
    recorder = Recorder()
    found: dict[Name, list[Transcript]] = {}
    for line in heard:
        for event in events_of(line):
            if isinstance(event, ToolProposed):
                name = (event.tool, canonical(event.input))
                found.setdefault(name, []).append(recorder.transcript)
            if not isinstance(event, InstructionsGiven | PromptDisowned):
                recorder.hear(event)
    return found


@dataclass(slots=True)
class AuditTrail:
    """Records as calls, the newest first. `words`: also what was said before each of them, which
    takes longer to find than everything else. `lost` counts what cannot be decided again."""

    db: Database
    words: bool = False
    page: int = PAGE
    lost: int = 0
    _heard: OrderedDict[SessionKey, dict[Name, list[Transcript]]] = field(
        default_factory=OrderedDict
    )

    def calls(self, since: float | None = None) -> Iterator[RecordedCall]:
        """Raises StoreError."""
        for stored in _pages(self.db, since, self.page):
            record = stored.record
            given = None if record is None else _input_of(record.input)
            if record is None or given is None:
                self.lost += 1
            else:
                yield self._call(record, given)

    def _call(self, record: Record, given: Mapping[str, object]) -> RecordedCall:
        by_policy = not record.source.startswith(_NOT_THE_WALK)
        return RecordedCall(
            record.session.host,
            record.session.id,
            record.id,
            record.tool,
            given,
            record.cwd,
            record.root,
            record.at,
            record.parent,
            then=THEN[record.verdict] if by_policy else Then.UNKNOWN,
            source=record.source,
            shadow=not record.enforced,
            transcript=self._before(record, given) if self.words else NOTHING_SAID,
        )

    def _before(self, record: Record, given: Mapping[str, object]) -> Transcript:
        """Of calls that were made twice the last one is the newest record."""
        key = record.session
        if key not in self._heard:
            self._heard[key] = _before_calls(events(self.db, key, newest=MOST_EVENTS))
            if len(self._heard) > MOST_SESSIONS:
                self._heard.popitem(last=False)
        self._heard.move_to_end(key)
        found = self._heard[key].get((record.tool, canonical(given)))
        return found.pop() if found else NOTHING_SAID
