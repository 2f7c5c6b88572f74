"""Which recorded calls a person has labelled. What automode decided alone is no label.

A yes is one that stands in the audit as a person's own deed. That an asked call ran only the side
of the agent has told, and who tells it could teach the judge to clear what it likes; so this counts
only where the person wants it. A no can only make the judge stricter, and is believed.
"""

import json
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from automode.classifier.events import ToolFinished, ToolProposed
from automode.classifier.transcript import Recorder
from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.core.transcript import Outcome, PriorCall, Transcript, UserMessage
from automode.evaluation.cases import ActionCase, EarlierCall, Message
from automode.evaluation.training_rows import MOST_EARLIER_CALLS, Skipped, TrainingRow, TrainingRows
from automode.gate.breaker import APPROVAL
from automode.sessions.transcript_text import PromptOrigin, disowned_of, events_of
from automode.store.changes import Heard, RecordQuery, canonical
from automode.store.database import Database
from automode.store.tables import Stored, events, records

PAGE = 500
APPROVED, ANSWERED, REJECTED = "approved", "answered", "rejected"
LABELS = {APPROVED: "allow", ANSWERED: "allow", REJECTED: "block"}
"""What a person did about a call, and the label that follows."""
_GRADES = {APPROVED: "strong", ANSWERED: "weak", REJECTED: "moderate"}
_APPROVING = "person.approve"
_NO_CALLS = (APPROVAL, "person.", "gate.cancelled", "gate.not-recorded")
"""Sources of records that are no calls of their own: an approved retry is the denied call again."""

Name = tuple[str, str]  # tool and input: the same for calls that cannot be told apart


def rows_of_store(db: Database, since: float | None = None, *, ran: bool = False) -> TrainingRows:
    """Calls of the store with a person's label, decided at `since` or later. `ran`: that an asked
    call ran counts as a yes. Raises StoreError."""
    given = frozenset(_approved(db))
    rows = TrainingRows()
    for session in _sessions(db, since, rows):
        _learn(_Session.of(db, session), since, given, rows, ran=ran)
    rows.taken = _once(rows)
    return rows


def _sessions(db: Database, since: float | None, rows: TrainingRows) -> list[SessionKey]:
    """Everything purged has lost its session too, so it is counted here."""
    found: dict[SessionKey, None] = {}
    for one in _paged(db, RecordQuery(since=since)):
        if one.record is None:
            rows.left[Skipped.PURGED] += 1
        else:
            found[one.session] = None
    return list(found)


def _approved(db: Database) -> Iterator[str]:
    """Ids of records that a person approved: the deed stays when the approval itself is over."""
    for one in _paged(db, RecordQuery(source=_APPROVING)):
        match None if one.record is None else _input_of(one.record.input):
            case {"verb": "approve", "words": [str(wanted), *_]}:
                yield wanted
            case _:
                continue


def _paged(db: Database, query: RecordQuery) -> Iterator[Stored]:
    """The newest first."""
    before: int | None = None
    while True:
        page = records(db, replace(query, before=before, limit=PAGE))
        yield from page
        if len(page) < PAGE:
            return
        before = page[-1].number


@dataclass(slots=True)
class _Proposal:
    """A call as its session heard it: what stood before it, and how it ended."""

    name: Name
    before: Transcript
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class _Session:
    """Records and proposals hold the same text and no common id. Where a call was recorded as
    often as it was proposed they go together one by one; else nobody knows which is which."""

    records: Sequence[Record]
    proposals: Mapping[str, _Proposal]  # by the id of the record
    words: PromptOrigin

    @classmethod
    def of(cls, db: Database, key: SessionKey) -> "_Session":
        stored = (one.record for one in _paged(db, RecordQuery(session=key)))
        kept = [one for one in stored if one is not None]
        kept.reverse()
        heard = events(db, key)
        words = PromptOrigin()
        for line in heard:
            disowned = disowned_of(line.event)
            if disowned is not None:
                words.disown(disowned)
        proposed = _by_name(heard)
        recorded: dict[Name, list[Record]] = {}
        for record in kept:
            given = _input_of(record.input)
            if given is not None:
                recorded.setdefault((record.tool, canonical(given)), []).append(record)
        placed = {
            record.id: proposal
            for name, found in recorded.items()
            if len(found) == len(proposed.get(name, ()))
            for record, proposal in zip(found, proposed[name], strict=True)
        }
        return cls(kept, placed, words)


def _by_name(heard: Sequence[Heard]) -> dict[Name, list[_Proposal]]:
    recorder = Recorder()
    running: dict[str, _Proposal] = {}
    found: dict[Name, list[_Proposal]] = {}
    for line in heard:
        for event in events_of(line.event):
            match event:
                case ToolProposed(identity, tool, given):
                    name = (tool, canonical(given))
                    running[identity] = _Proposal(name, recorder.transcript)
                    found.setdefault(name, []).append(running[identity])
                case ToolFinished(identity, outcome) if identity in running:
                    running.pop(identity).outcome = outcome
            recorder.hear(event)
    return found


def _learn(
    session: _Session,
    since: float | None,
    given: Collection[str],
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
        said = _what_a_person_did(record, outcome, approved=record.id in given)
        if said is None:
            unknown = proposal is None and record.verdict is Verdict.ASK
            rows.left[Skipped.UNPLACED if unknown else Skipped.NOBODY_LOOKED] += 1
        elif said == ANSWERED and not ran:
            rows.left[Skipped.ONLY_RAN] += 1
        else:
            found = _case(record, said, proposal, session.words)
            if isinstance(found, Skipped):
                rows.left[found] += 1
            else:
                rows.taken.append(TrainingRow(found, record.at))


def _what_a_person_did(record: Record, outcome: Outcome | None, *, approved: bool) -> str | None:
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
    record: Record, said: str, proposal: _Proposal | None, words: PromptOrigin
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
    return ActionCase(
        id=record.id,
        tool=record.tool,
        input=given,
        label=LABELS[said],
        category=said,
        messages=messages,
        prior_calls=tuple(
            EarlierCall(one.tool, one.input, one.outcome.value if one.outcome else "")
            for one in earlier
        ),
        parent=record.parent or "",
        cwd=record.cwd,
        group=f"{record.session.host}/{record.parent or record.session.id}",
        grade=_GRADES[said],
    )


def _messages(said: Iterator[UserMessage]) -> Iterator[Message]:
    for one in said:
        if one.referent:
            yield Message("assistant", one.referent)
        yield Message("user", one.text)


def _once(rows: TrainingRows) -> list[TrainingRow]:
    """Of the same call after the same words the newest answer counts."""
    known: dict[tuple[str, str, str, tuple[Message, ...]], TrainingRow] = {}
    for one in sorted(rows.taken, key=lambda row: (row.at or 0.0, row.case.id)):
        case = one.case
        key = (case.group, case.tool, canonical(case.input), case.messages)
        if known.pop(key, None) is not None:
            rows.left[Skipped.REPEATED] += 1
        known[key] = one
    return list(known.values())


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
