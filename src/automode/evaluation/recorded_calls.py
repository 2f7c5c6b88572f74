"""Calls that were once made: a session while its rows of JSON are read, and those of the store.

Kinds of rows come and go with every version of an agent: a kind that is not known is passed over. A
line that is no row is counted. In the store inputs were redacted before they were written, and a
very long one was cut: such a call cannot be decided again, and is counted instead.
"""

import json
import os
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, TypeAlias

from automode.classifier.events import (
    AgentParagraph,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
)
from automode.classifier.transcript import Recorder
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError
from automode.core.record import Record, SessionKey
from automode.core.transcript import Outcome, Transcript
from automode.facts.record_file import record_row
from automode.gate.breaker import APPROVAL
from automode.sessions.transcript_text import InstructionsGiven, PromptDisowned, events_of
from automode.store.changes import RecordQuery, canonical
from automode.store.database import Database
from automode.store.tables import Stored, events, records

NOTHING_SAID = Transcript()
LONGEST_LINE_BYTES = 16 * 1024 * 1024
_DENIED_BY_US = ("automode (", "automode could not decide")

Row: TypeAlias = Mapping[str, object]


class Unreadable(AutomodeError):
    """A file that was named, and cannot be read."""


class Then(StrEnum):
    """What became of a call. An agent's own file only says whether it ran."""

    RAN = "ran"
    REFUSED = "refused"  # by a rule, a hook, or the agent itself
    REJECTED = "rejected by user"
    ALLOWED = "allow"
    ASKED = "ask"
    DENIED = "deny"
    HALTED = "halt"
    UNKNOWN = "unknown"  # the file ends before, or a person or the breaker had the last word


THEN = {
    Outcome.OK: Then.RAN,
    Outcome.ERROR: Then.RAN,
    Outcome.DENIED: Then.REFUSED,
    Outcome.REJECTED: Then.REJECTED,
}


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """`root` is the folder that its session began in. `then` of a shadow record is what automode
    said, not what happened: `shadow` tells. `source` is empty where automode did not decide."""

    host: str
    session: str
    id: str
    tool: str
    input: Mapping[str, object]
    cwd: str
    root: str = ""
    at: float = 0.0  # seconds since the epoch; 0 for unknown
    parent: str | None = None
    then: Then = Then.UNKNOWN
    source: str = ""
    shadow: bool = False
    transcript: Transcript = field(default=NOTHING_SAID, repr=False)

    @property
    def ran(self) -> bool | None:
        """Whether it ran; None where nobody knows. In shadow mode automode stopped nothing."""
        if self.shadow or self.then in (Then.RAN, Then.ALLOWED):
            return True
        return None if self.then in (Then.ASKED, Then.UNKNOWN) else False


@dataclass(slots=True)
class SessionReader:
    """One session while its rows are read. `calls` are by id, as they were proposed, each with what
    became of it as far as the rows tell."""

    host: str
    session: str = ""
    parent: str | None = None
    cwd: str = ""
    root: str = ""
    calls: dict[str, RecordedCall] = field(default_factory=dict)
    _recorder: Recorder = field(default_factory=Recorder)

    def move_to(self, folder: object) -> None:
        """The first folder is the project."""
        if isinstance(folder, str) and folder:
            self.cwd = folder
            self.root = self.root or folder

    def hear_user(self, text: str, origin: Origin = Origin.PERSON) -> None:
        """Inside a sub-agent nobody but the agent above it speaks in the user's place."""
        if self.parent is not None and origin is Origin.PERSON:
            origin = Origin.ORCHESTRATOR
        self._recorder.hear(UserPrompt(text, origin))

    def hear_agent(self, text: str) -> None:
        if text.strip():
            self._recorder.hear(AgentParagraph(text))

    def hear_blocks(self, content: object, at: float) -> None:
        """The agent's message: its text, and the calls in it."""
        for block in content if isinstance(content, list) else ():
            match block:
                case {"type": "text", "text": str(text)}:
                    self.hear_agent(text)
                case {"type": "tool_use", "id": str(call), "name": str(tool), "input": given} | {
                    "type": "toolCall",
                    "id": str(call),
                    "name": str(tool),
                    "arguments": given,
                }:
                    self.propose(call, tool, given, at)
                case _:
                    pass

    def hear_answer(self, question: str, answer: str) -> None:
        self._recorder.hear(HostQuestionAnswered(question, answer, own_tool=self.parent is None))

    def propose(self, call_id: str, tool: str, given: object, at: float) -> None:
        known: Mapping[str, object] = given if isinstance(given, Mapping) else {"input": given}
        if call_id in self.calls:
            return  # the same row again: a file may hold a conversation twice
        self.calls[call_id] = RecordedCall(
            self.host,
            self.session,
            call_id,
            tool,
            known,
            self.cwd,
            self.root,
            at,
            self.parent,
            transcript=self._recorder.transcript,
        )
        self._recorder.hear(ToolProposed(call_id, tool, known))

    def finish(self, call_id: str, outcome: Outcome) -> str:
        """The tool of the call; empty where no such call is under way."""
        call = self.calls.get(call_id)
        if call is None or call.then is not Then.UNKNOWN:
            return ""
        self.calls[call_id] = replace(call, then=THEN[outcome])
        self._recorder.hear(ToolFinished(call_id, outcome))
        return call.tool


def outcome_of(text: str, *, failed: bool) -> Outcome:
    """The outcome of a result that says no more than whether it failed. How our own denials begin
    is known."""
    if failed:
        denied = text.lstrip().startswith(_DENIED_BY_US)
        return Outcome.DENIED if denied else Outcome.ERROR
    return Outcome.OK


def rows(path: str | Path, lost: Counter[str]) -> Iterator[Row]:
    """Lines that cannot be read are counted in `lost`, by path. Raises Unreadable."""
    try:
        # A pipe in the place of a file would hold the command for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(descriptor, "rb") as stream:
            for row in _rows_of(stream):
                if row is None:
                    lost[str(path)] += 1
                else:
                    yield row
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or type(error).__name__
        raise Unreadable(
            f"`{path}` cannot be read: {what.lower()}", "name a readable file"
        ) from error


def _rows_of(stream: BinaryIO) -> Iterator[Row | None]:
    """None for a line that cannot be read: it is no JSON object, or too long."""
    while line := stream.readline(LONGEST_LINE_BYTES + 1):
        if len(line) > LONGEST_LINE_BYTES and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(LONGEST_LINE_BYTES)
            yield None
        elif line.strip():
            yield record_row(line)


def seconds(moment: object) -> float:
    """Since the epoch, of what agents write as a time: text, or a count of milliseconds. 0 for
    anything else."""
    match moment:
        case str(text):
            try:
                when = datetime.fromisoformat(text)
            except ValueError:
                return 0.0
            return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        case int() | float() as millis if not isinstance(millis, bool):
            return millis / 1000
        case _:
            return 0.0


def texts(content: object) -> str:
    """The text of a message: plain, or the text parts of its list of parts."""
    if isinstance(content, str):
        return content
    found = []
    for part in content if isinstance(content, list) else ():
        match part:
            case {"type": "text" | "input_text" | "output_text", "text": str(text)} if text:
                found.append(text)
            case _:
                pass
    return "\n".join(found)


PAGE = 500
MOST_EVENTS = 20_000
MOST_SESSIONS = 16
_DECIDED = {
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


def words_before(db: Database, record: Record) -> Transcript:
    """What was said before one recorded call, as far as it is kept. Of calls that were made twice
    the last one is the newest record."""
    given = _input_of(record.input)
    if given is None:
        return NOTHING_SAID
    heard = _before_calls(events(db, record.session, newest=MOST_EVENTS))
    found = heard.get((record.tool, canonical(given)), [NOTHING_SAID])
    query = RecordQuery(session=record.session, since=record.at, limit=MOST_EVENTS)
    newer = [one.record for one in records(db, query) if one.record and one.id > record.id]
    later = sum((one.tool, one.input) == (record.tool, record.input) for one in newer)
    return found[max(len(found) - 1 - later, 0)]


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
            then=_DECIDED[record.verdict] if by_policy else Then.UNKNOWN,
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
