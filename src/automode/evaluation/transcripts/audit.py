"""The audit store: what automode itself decided, in shadow mode too, with what was said before.

Inputs were redacted before they were written, and a very long one was cut: such a call cannot be
decided again, and is counted instead.
"""

import json
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from automode.classifier.events import ToolProposed
from automode.classifier.transcript import Recorder
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.core.transcript import Transcript
from automode.evaluation.transcripts.gathering import NOTHING_SAID, RecordedCall, Then
from automode.gate.breaker import APPROVAL
from automode.sessions.transcript_text import events_of
from automode.store.changes import RecordQuery, canonical
from automode.store.database import Database
from automode.store.tables import events, records

PAGE = 500
MOST_EVENTS = 20_000
MOST_MOMENTS = 2_000
MOST_SESSIONS = 16
THEN = {
    Verdict.ALLOW: Then.ALLOWED,
    Verdict.ASK: Then.ASKED,
    Verdict.DENY: Then.DENIED,
    Verdict.HALT: Then.HALTED,
}
_NOT_THE_WALK = (APPROVAL, "breaker.", "gate.cancelled", "gate.not-recorded")
"""Sources of decisions that no policy made: another one would not have changed them."""


@dataclass(slots=True)
class AuditTrail:
    """Records as calls, the newest first. `words`: also what was said before each of them, which
    takes longer to find than everything else. `lost` counts what cannot be decided again."""

    db: Database
    words: bool = False
    page: int = PAGE
    lost: int = 0
    _said: "OrderedDict[SessionKey, _Moments]" = field(default_factory=OrderedDict)

    def calls(self, since: float | None = None) -> Iterator[RecordedCall]:
        """Raises StoreError."""
        before: int | None = None
        while True:
            page = records(self.db, RecordQuery(since=since, before=before, limit=self.page))
            for stored in page:
                call = None if stored.record is None else self._call(stored.record)
                if call is None:
                    self.lost += 1
                else:
                    yield call
            if len(page) < self.page:
                return
            before = page[-1].number

    def _call(self, record: Record) -> RecordedCall | None:
        given = _input(record.input)
        if given is None:
            return None
        said = self._before(record) if self.words else NOTHING_SAID
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
            then=_then(record),
            source=record.source,
            shadow=not record.enforced,
            transcript=said,
        )

    def _before(self, record: Record) -> Transcript:
        moments = self._said.get(record.session)
        if moments is None:
            moments = self._said[record.session] = _Moments.of(self.db, record.session)
            if len(self._said) > MOST_SESSIONS:
                self._said.popitem(last=False)
        self._said.move_to_end(record.session)
        return moments.before(record)


@dataclass(slots=True)
class _Moments:
    """The transcript before each call of one session. A record and the event of its call hold the
    same text; of calls that were made twice the last one is the newest record."""

    known: dict[tuple[str, str], list[Transcript]]

    @classmethod
    def of(cls, db: Database, session: SessionKey) -> "_Moments":
        recorder = Recorder()
        moments: deque[tuple[tuple[str, str], Transcript]] = deque(maxlen=MOST_MOMENTS)
        for heard in events(db, session, newest=MOST_EVENTS):
            for event in events_of(heard.event):
                if isinstance(event, ToolProposed):
                    call = (event.tool, canonical(event.input))
                    moments.append((call, recorder.transcript))
                recorder.hear(event)
        known: dict[tuple[str, str], list[Transcript]] = {}
        for call, transcript in moments:
            known.setdefault(call, []).append(transcript)
        return cls(known)

    def before(self, record: Record) -> Transcript:
        given = _input(record.input)
        found = self.known.get((record.tool, canonical(given)))
        return found.pop() if found else NOTHING_SAID


def _then(record: Record) -> Then:
    if record.source.startswith(_NOT_THE_WALK):
        return Then.UNKNOWN
    return THEN[record.verdict]


def _input(text: str) -> Mapping[str, object] | None:
    """None for what was cut."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match value:
        case {"cut": str()} if isinstance(value, dict) and len(value) == 1:
            return None
        case dict():
            return value
        case _:
            return None
