"""Events of a session and its instruction files as JSON, one line each, and back."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeGuard

from automode.agents.events import Instructions
from automode.classifier.budget import FILE_CHARACTERS
from automode.classifier.events import (
    AgentParagraph,
    ApprovalsForgotten,
    BranchTaken,
    Event,
    FactNoted,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
    person_words,
)
from automode.classifier.prompt import ContextFile
from automode.core.recent import Recent
from automode.core.session import Session
from automode.core.tool_input import input_texts
from automode.core.transcript import Entry, Fact, Outcome, PriorCall, Transcript, UserMessage
from automode.sessions.record_builder import MARK_ROOM, RecordBuilder

LASTING = tuple(
    f'{{"heard":"{kind}"' for kind in ("prompt", "answer", "instructions", "disowned", "branch")
)
"""How the lines begin that are read of any session, however long it is."""

MOST_FILES = 32
Files: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class InstructionsGiven:
    """What the agent was given now: files with their paths, cut, and without secrets."""

    files: Files


@dataclass(frozen=True, slots=True)
class PromptDisowned:
    """A prompt that first counted as a person's, until the agent's record said otherwise."""

    text: str


Line: TypeAlias = Event | InstructionsGiven | PromptDisowned
Clean = Callable[[str], str]
encode = json.JSONEncoder(separators=(",", ":"), default=repr).encode


def call_text(
    identity: str, tool: str, given: str, outcome: Outcome | None, wrote: Sequence[str] = ()
) -> str:
    """The line of a proposed call. `given`: its input as JSON without secrets. `wrote`: paths it
    writes."""
    ended = "" if outcome is None else f',"outcome":{encode(outcome.value)}'
    paths = f',"wrote":{encode(list(wrote))}' if wrote else ""
    call = f'"id":{encode(identity)},"tool":{encode(tool)},"input":{given}'
    return f'{{"heard":"call",{call}{ended}{paths}}}'


def event_text(event: Line, clean: Clean) -> str:
    """The line of anything else; `clean` takes the secrets out of its texts."""
    return encode(_fields(event, clean))


def events_of(text: str) -> tuple[Line, ...]:
    """What a line says; nothing for one that cannot be read."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return _events(value) if isinstance(value, Mapping) else ()


def _fields(event: Line, clean: Clean) -> dict[str, object]:
    match event:
        case UserPrompt(text, origin):
            return {"heard": "prompt", "text": clean(text), "origin": origin.value}
        case AgentParagraph(text, shown):
            more = {"shown": True} if shown else {}
            return {"heard": "paragraph", "text": clean(text), **more}
        case BranchTaken(words, left):
            texts = {"words": [*map(clean, words)], "left": [*map(clean, left)]}
            return {"heard": "branch", **texts}
        case ToolProposed() | ToolFinished() | ApprovalsForgotten():
            return _call_fields(event, clean)
        case HostQuestionAnswered(question, answer, own_tool):
            asked = {"question": clean(question), "answer": clean(answer)}
            return {"heard": "answer", **asked, "own": own_tool}
        case FactNoted(fact):
            return {"heard": "fact", "name": fact.name, "text": clean(fact.text)}
        case InstructionsGiven(files):
            return {"heard": "instructions", "files": [list(one) for one in files]}
        case PromptDisowned(text):
            return {"heard": "disowned", "text": clean(text)}


def _call_fields(
    event: ToolProposed | ToolFinished | ApprovalsForgotten, clean: Clean
) -> dict[str, object]:
    match event:
        case ToolProposed(identity, tool, given):
            return {"heard": "call", "id": identity, "tool": tool, "input": given}
        case ToolFinished(identity, outcome, approved):
            yes = {"approved": True} if approved else {}
            return {"heard": "finished", "id": identity, "outcome": outcome.value, **yes}
        case ApprovalsForgotten():
            return {"heard": "approvals-forgotten"}


def _events(value: Mapping[str, object]) -> tuple[Line, ...]:
    match value:
        case {"heard": "call", "id": str(identity), "tool": str(tool), "input": given}:
            known = given if isinstance(given, Mapping) else {"input": given}
            proposed = ToolProposed(identity, tool, known)
            outcome = _outcome(value.get("outcome"))
            return (proposed,) if outcome is None else (proposed, ToolFinished(identity, outcome))
        case {"heard": "finished", "id": str(identity), "outcome": word}:
            outcome, approved = _outcome(word), value.get("approved")
            yes = approved is True
            return () if outcome is None else (ToolFinished(identity, outcome, yes),)
        case {"heard": "approvals-forgotten"}:
            return (ApprovalsForgotten(),)
        case _:
            return _words(value)


def _words(value: Mapping[str, object]) -> tuple[Line, ...]:
    match value:
        case {"heard": "prompt", "text": str(text), "origin": origin}:
            # Who said it is not known any more: then it was not the person.
            return (UserPrompt(text, _ORIGINS.get(str(origin), Origin.MACHINE)),)
        case {"heard": "paragraph", "text": str(text)}:
            return (AgentParagraph(text, value.get("shown") is True),)
        case {"heard": "branch", "words": [*words], "left": [*left]}:
            return (BranchTaken(tuple(map(str, words)), tuple(map(str, left))),)
        case {"heard": "answer", "question": str(question), "answer": str(answer), "own": own}:
            return (HostQuestionAnswered(question, answer, own is True),)
        case {"heard": "fact", "name": str(name), "text": str(text)}:
            return (FactNoted(Fact(name, text)),)
        case {"heard": "instructions", "files": [*files]}:
            pairs = [(one[0], one[1]) for one in files if _is_pair(one)]
            return (InstructionsGiven(tuple(pairs[:MOST_FILES])),)
        case {"heard": "disowned", "text": str(text)}:
            return (PromptDisowned(text),)
        case _:
            return ()


def _is_pair(value: object) -> TypeGuard[list[str]]:
    match value:
        case [str(), str()]:
            return True
        case _:
            return False


def _outcome(word: object) -> Outcome | None:
    return next((one for one in Outcome if one.value == word), None)


_ORIGINS = {origin.value: origin for origin in Origin}


def clean_files(files: Iterable[Instructions], builder: RecordBuilder) -> Files:
    """Each with its path; cut, and without secrets."""
    most = FILE_CHARACTERS - MARK_ROOM
    return tuple(
        (builder.brief(one.path), builder.excerpt(one.text, most))
        for one in list(files)[:MOST_FILES]
    )


def given_files(session: Session) -> tuple[ContextFile, ...]:
    """As the classifier is shown them. A sub-agent has those of the agent above it."""
    given = next((one.instructions for one in (session, *session.above) if one.instructions), ())
    return tuple(ContextFile(path, text) for path, text in given)


LEAST_QUOTED = 12
"""Characters: shorter words are in anybody's mouth."""

ECHO_SECONDS = 2.0
"""An agent with two hooks for a prompt says the same twice; no person types so fast."""

MOST_UNCHECKED = 16
MOST_DISOWNED = 512


@dataclass(slots=True)
class PromptOrigin:
    """Of one session. `record`: the agent's own file of it. `unchecked`: prompts that the record
    has not told of yet."""

    record: str = ""
    unchecked: Recent[str, None] = field(default_factory=lambda: Recent(MOST_UNCHECKED))
    disowned: Recent[str, None] = field(default_factory=lambda: Recent(MOST_DISOWNED))
    awaited: str = ""  # the prompt that the record was given time for
    _last: tuple[str, int, float] = ("", -1, 0.0)  # the last prompt, its place, when it came

    def is_echo(self, prompt: str, place: int, now: float) -> bool:
        """Whether it was just heard, with nothing since then. `place`: events so far."""
        last, then, at = self._last
        again = last == prompt and then == place and 0.0 <= now - at <= ECHO_SECONDS
        self._last = (prompt, place if again else place + 1, now)
        return again

    def add_typed(self, text: str) -> None:
        """By a person, as far as anybody knows yet."""
        self.unchecked[text] = None

    def check(self, marks: Mapping[str, bool]) -> list[str]:
        """Takes what the record says of prompts; returns those that passed for a person's until
        now."""
        for text in marks:
            self.unchecked.pop(text, None)
        found = [text for text, machine in marks.items() if machine]
        for text in found:
            self.disown(text)
        return found

    def disown(self, text: str) -> None:
        self.unchecked.pop(text, None)
        self.disowned[person_words(text)] = None

    def persons(self, transcript: Transcript) -> Transcript:
        """Without the words that nobody typed."""
        if not self.disowned:
            return transcript
        return Transcript(tuple(one for one in transcript.entries if not self._disowns(one)))

    def _disowns(self, entry: Entry) -> bool:
        return isinstance(entry, UserMessage) and entry.text in self.disowned


def said_by_agent(text: str, entries: Iterable[Entry]) -> bool:
    """Whether the agent passed these words to a tool: what it schedules comes back as a prompt."""
    words = _plain(text)
    if len(words) < LEAST_QUOTED:
        return False
    # Looking for one word is quick, and most strings do not even have that.
    longest = max(words.split(), key=len)
    return any(
        longest in passed and words in _plain(passed)
        for entry in entries
        if isinstance(entry, PriorCall)
        for passed in input_texts(entry.input)
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
