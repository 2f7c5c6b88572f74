"""Calls in the audit store: as automode decided them, and with the label that a person gave them.

Inputs were redacted before they were written, and a very long one was cut: such a call can neither
be decided again nor be learnt from, and is counted instead.

What automode decided alone is no label. A yes is one that stands in the audit as a person's own
deed. That an asked call ran, only the agent's side has told, and who tells it could teach the judge
to clear what it likes; so this counts only where the person wants it. A no can only make the judge
stricter, and is believed.
"""

import json
from collections import Counter, OrderedDict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from automode.classifier.events import ToolFinished, ToolProposed
from automode.classifier.redaction import Redactor
from automode.classifier.transcript import Recorder
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.core.transcript import Outcome, PriorCall, Transcript, UserMessage
from automode.evaluation.cases import ActionCase, EarlierCall, Label, Message
from automode.evaluation.recorded_calls import NOTHING_SAID, RecordedCall, Then
from automode.evaluation.run_folder import Row
from automode.gate.breaker import APPROVAL
from automode.sessions.transcript_text import (
    DISOWNED_START,
    InstructionsGiven,
    PromptDisowned,
    PromptOrigin,
    events_of,
)
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


@dataclass(slots=True)
class _Proposal:
    """A call as its session heard it: what stood before it, and how it ended."""

    before: Transcript
    outcome: Outcome | None = None


def _pages(db: Database, query: RecordQuery, size: int = PAGE) -> Iterator[Stored]:
    """The newest first."""
    before: int | None = None
    while True:
        page = records(db, replace(query, before=before, limit=size))
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


def _proposals(heard: Sequence[str]) -> dict[Name, list[_Proposal]]:
    """A record and the event of its call hold the same text, and no common id."""
    recorder = Recorder()
    running: dict[str, _Proposal] = {}
    found: dict[Name, list[_Proposal]] = {}
    for line in heard:
        for event in events_of(line):
            match event:
                case ToolProposed(identity, tool, given):
                    running[identity] = _Proposal(recorder.transcript)
                    found.setdefault((tool, canonical(given)), []).append(running[identity])
                case ToolFinished(identity, outcome) if identity in running:
                    running.pop(identity).outcome = outcome
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
    _heard: OrderedDict[SessionKey, dict[Name, list[_Proposal]]] = field(
        default_factory=OrderedDict
    )

    def calls(self, since: float | None = None) -> Iterator[RecordedCall]:
        """Raises StoreError."""
        for stored in _pages(self.db, RecordQuery(since=since), self.page):
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
            self._heard[key] = _proposals(events(self.db, key, newest=MOST_EVENTS))
            if len(self._heard) > MOST_SESSIONS:
                self._heard.popitem(last=False)
        self._heard.move_to_end(key)
        found = self._heard[key].get((record.tool, canonical(given)))
        return found.pop().before if found else NOTHING_SAID


MOST_MESSAGES = 40
LONGEST_MESSAGE = 8_000  # characters
MOST_EARLIER_CALLS = 12  # as many as the judge looks back
LONGEST_EARLIER_STRING = 4_000
FIELDS = "id kind tool input label category messages prior_calls parent cwd group grade".split()


class Skipped(StrEnum):
    """Why a call is no row, as people read it."""

    NOBODY_LOOKED = "nobody looked at them: what automode decided alone is no label"
    ONLY_RAN = "were asked about and ran: that somebody said yes is the agent's word (--ran)"
    UNPLACED = "what was said before them is not kept, or cannot be told for sure"
    NO_WORDS = "nothing that the user said stands before them"
    CUT = "the input was too long to be kept whole"
    PURGED = "their content was purged"
    REPEATED = "the same call after the same words stands there already"


@dataclass(slots=True)
class TrainingRows:
    """The oldest first, each with when it was decided, in seconds since the epoch; and how many
    calls were left out for which reason."""

    taken: list[tuple[float, ActionCase]] = field(default_factory=list)
    left: Counter[Skipped] = field(default_factory=Counter)

    @property
    def kinds(self) -> Counter[tuple[str, str]]:
        """How many of each category and label."""
        return Counter((case.category, case.label) for _, case in self.taken)

    @property
    def times(self) -> tuple[float, float] | None:
        return (self.taken[0][0], self.taken[-1][0]) if self.taken else None


APPROVED, ANSWERED, REJECTED = "approved", "answered", "rejected"
LABELS: Mapping[str, tuple[Label, str]] = {
    APPROVED: ("allow", "strong"),
    ANSWERED: ("allow", "weak"),
    REJECTED: ("block", "moderate"),
}
"""What a person did about a call, the label that follows, and its grade."""
_APPROVING = "person.approve"
_NO_CALLS = (APPROVAL, "person.", "gate.cancelled", "gate.not-recorded")
"""Sources of records that are no calls of their own: an approved retry is the denied call again."""


def rows_of_store(db: Database, since: float | None = None, *, ran: bool = False) -> TrainingRows:
    """Calls of the store with a person's label, decided at `since` or later. `ran`: that an asked
    call ran counts as a yes. Raises StoreError."""
    approved = frozenset(_approved_records(db))
    rows = TrainingRows()
    sessions: dict[SessionKey, None] = {}
    for one in _pages(db, RecordQuery(since=since)):
        if one.record is None:
            rows.left[Skipped.PURGED] += 1  # it has lost its session too
        else:
            sessions[one.session] = None
    for session in sessions:
        _learn(_Session.of(db, session), since, approved, rows, ran=ran)
    rows.taken = _newest_answers(rows)
    return rows


def _approved_records(db: Database) -> Iterator[str]:
    """Ids of records that a person approved: the deed stays when the approval itself is over."""
    for one in _pages(db, RecordQuery(source=_APPROVING)):
        match None if one.record is None else _input_of(one.record.input):
            case {"verb": "approve", "words": [str(wanted), *_]}:
                yield wanted
            case _:
                continue


@dataclass(frozen=True, slots=True)
class _Session:
    """Where a call was recorded as often as it was proposed, records and proposals go together one
    by one; else nobody knows which is which."""

    records: Sequence[Record]
    proposals: Mapping[str, _Proposal]  # by the id of the record
    words: PromptOrigin

    @classmethod
    def of(cls, db: Database, key: SessionKey) -> "_Session":
        stored = (one.record for one in _pages(db, RecordQuery(session=key)))
        kept = [one for one in stored if one is not None]
        kept.reverse()
        heard = events(db, key)
        words = PromptOrigin()
        for line in heard:
            if line.startswith(DISOWNED_START):
                for one in events_of(line):
                    words.disown(getattr(one, "text", ""))
        recorded: dict[Name, list[Record]] = {}
        for record in kept:
            given = _input_of(record.input)
            if given is not None:
                recorded.setdefault((record.tool, canonical(given)), []).append(record)
        proposed = _proposals(heard)
        placed = {
            record.id: proposal
            for name, found in recorded.items()
            if len(found) == len(proposed.get(name, ()))
            for record, proposal in zip(found, proposed[name], strict=True)
        }
        return cls(kept, placed, words)


def _learn(
    session: _Session,
    since: float | None,
    approved: Collection[str],
    rows: TrainingRows,
    *,
    ran: bool,
) -> None:
    for record in session.records:
        old = since is not None and record.at < since
        if old or record.source.startswith(_NO_CALLS):
            continue
        proposal = session.proposals.get(record.id)
        outcome = None if proposal is None else proposal.outcome
        answer = _person_answer(record, outcome, approved=record.id in approved)
        if answer is None:
            unknown = proposal is None and record.verdict is Verdict.ASK
            rows.left[Skipped.UNPLACED if unknown else Skipped.NOBODY_LOOKED] += 1
        elif answer == ANSWERED and not ran:
            rows.left[Skipped.ONLY_RAN] += 1
        else:
            found = _case(record, answer, proposal, session.words)
            if isinstance(found, Skipped):
                rows.left[found] += 1
            else:
                rows.taken.append((record.at, found))


def _person_answer(record: Record, outcome: Outcome | None, *, approved: bool) -> str | None:
    """What a person did about the call; None where nobody is known to have looked at it. A deny
    rule is no answer to this call: it goes on deciding, and reaches as far as it is written."""
    if approved:
        return APPROVED
    if not record.attended or record.denied:
        return None
    if outcome is Outcome.REJECTED:
        return REJECTED
    # In shadow mode nobody was asked. What failed may as well have been refused.
    asked = record.enforced and record.verdict is Verdict.ASK
    return ANSWERED if asked and outcome is Outcome.OK else None


def _case(
    record: Record, answer: str, proposal: _Proposal | None, words: PromptOrigin
) -> ActionCase | Skipped:
    given = _input_of(record.input)
    if given is None:
        return Skipped.CUT
    if proposal is None:
        return Skipped.UNPLACED
    before = words.persons(proposal.before).entries
    messages = tuple(_messages(one for one in before if isinstance(one, UserMessage)))
    if not messages:
        return Skipped.NO_WORDS
    earlier = deque((one for one in before if isinstance(one, PriorCall)), MOST_EARLIER_CALLS)
    label, grade = LABELS[answer]
    return ActionCase(
        id=record.id,
        tool=record.tool,
        input=given,
        label=label,
        category=answer,
        messages=messages,
        prior_calls=tuple(
            EarlierCall(one.tool, one.input, one.outcome.value if one.outcome else "")
            for one in earlier
        ),
        parent=record.parent or "",
        cwd=record.cwd,
        group=f"{record.session.host}/{record.parent or record.session.id}",
        grade=grade,
    )


def _messages(prompts: Iterator[UserMessage]) -> Iterator[Message]:
    for one in prompts:
        if one.referent:
            yield Message("assistant", one.referent)
        yield Message("user", one.text)


def _newest_answers(rows: TrainingRows) -> list[tuple[float, ActionCase]]:
    """Of the same call after the same words the newest answer counts."""
    known: dict[tuple[str, str, str, tuple[Message, ...]], tuple[float, ActionCase]] = {}
    for at, case in sorted(rows.taken, key=lambda row: (row[0], row[1].id)):
        key = (case.group, case.tool, canonical(case.input), case.messages)
        if known.pop(key, None) is not None:
            rows.left[Skipped.REPEATED] += 1
        known[key] = at, case
    return list(known.values())


def row_data(case: ActionCase, redactor: Redactor) -> Row:
    """What is written of a case, as `evaluation.cases` reads it. All of it was redacted when it was
    recorded and is redacted once more. The label and where it comes from stay; every other text is
    without secrets, long words and earlier calls are cut."""
    row: Row = {
        "id": case.id,
        "kind": "action",
        "tool": redactor.text(case.tool),
        "input": redactor.value(case.input),
        "label": case.label,
        "category": redactor.text(case.category),
        "messages": [_message(one, redactor) for one in case.messages[-MOST_MESSAGES:]],
        "prior_calls": [_earlier(one, redactor) for one in case.prior_calls[-MOST_EARLIER_CALLS:]],
    }
    more = {name: getattr(case, name) for name in ("parent", "cwd", "group", "grade")}
    return row | {name: redactor.text(text) for name, text in more.items() if text}


def _message(message: Message, redactor: Redactor) -> Row:
    return {
        "role": message.role,
        "content": redactor.excerpt(message.content, LONGEST_MESSAGE),
    }


def _earlier(call: EarlierCall, redactor: Redactor) -> Row:
    row: Row = {
        "tool": redactor.text(call.tool),
        "input": redactor.value(call.input, limit=LONGEST_EARLIER_STRING),
    }
    return row | ({"outcome": redactor.text(call.outcome)} if call.outcome else {})
