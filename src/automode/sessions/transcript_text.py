"""Events of a session and its instruction files as JSON, one line each, and back."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from automode.agents.events import Instructions
from automode.classifier.budget import FILE_CHARACTERS
from automode.classifier.events import (
    AgentParagraph,
    Event,
    FactNoted,
    HostQuestionAnswered,
    Origin,
    ToolFinished,
    ToolProposed,
    UserPrompt,
)
from automode.classifier.prompt import ContextFile
from automode.core.session import Session
from automode.core.transcript import Fact, Outcome
from automode.sessions.record_builder import MARK_ROOM, RecordBuilder

PROMPT_START = '{"heard":"prompt"'
"""How the line of what somebody said to the agent begins."""

ANSWER_START = '{"heard":"answer"'
"""How the line of an answer to the agent's own question begins."""

Clean = Callable[[str], str]
encode = json.JSONEncoder(separators=(",", ":"), default=repr).encode


def call_text(
    identity: str, tool: str, given: str, outcome: Outcome | None, wrote: Sequence[str] = ()
) -> str:
    """The line of a proposed call. `given` is its input, already JSON and without secrets, `wrote`
    the paths that it leaves behind written."""
    ended = "" if outcome is None else f',"outcome":{encode(outcome.value)}'
    paths = f',"wrote":{encode(list(wrote))}' if wrote else ""
    call = f'"id":{encode(identity)},"tool":{encode(tool)},"input":{given}'
    return f'{{"heard":"call",{call}{ended}{paths}}}'


def event_text(event: Event, clean: Clean) -> str:
    """The line of any other event; `clean` takes the secrets out of its texts."""
    return encode(_fields(event, clean))


def events_of(text: str) -> tuple[Event, ...]:
    """What a line says; nothing for one that cannot be read."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return _events(value) if isinstance(value, Mapping) else ()


def _fields(event: Event, clean: Clean) -> dict[str, object]:
    match event:
        case UserPrompt(text, origin):
            return {"heard": "prompt", "text": clean(text), "origin": origin.value}
        case AgentParagraph(text):
            return {"heard": "paragraph", "text": clean(text)}
        case ToolProposed(identity, tool, given):
            return {"heard": "call", "id": identity, "tool": tool, "input": given}
        case ToolFinished(identity, outcome):
            return {"heard": "finished", "id": identity, "outcome": outcome.value}
        case HostQuestionAnswered(question, answer, own_tool):
            asked = {"question": clean(question), "answer": clean(answer)}
            return {"heard": "answer", **asked, "own": own_tool}
        case FactNoted(fact):
            return {"heard": "fact", "name": fact.name, "text": clean(fact.text)}


def _events(value: Mapping[str, object]) -> tuple[Event, ...]:
    match value:
        case {"heard": "call", "id": str(identity), "tool": str(tool), "input": given}:
            known = given if isinstance(given, Mapping) else {"input": given}
            proposed = ToolProposed(identity, tool, known)
            outcome = _outcome(value.get("outcome"))
            return (proposed,) if outcome is None else (proposed, ToolFinished(identity, outcome))
        case {"heard": "finished", "id": str(identity), "outcome": word}:
            outcome = _outcome(word)
            return () if outcome is None else (ToolFinished(identity, outcome),)
        case _:
            return _words(value)


def _words(value: Mapping[str, object]) -> tuple[Event, ...]:
    match value:
        case {"heard": "prompt", "text": str(text), "origin": origin}:
            # Who said it is not known any more: then it was not the person.
            return (UserPrompt(text, _ORIGINS.get(str(origin), Origin.MACHINE)),)
        case {"heard": "paragraph", "text": str(text)}:
            return (AgentParagraph(text),)
        case {"heard": "answer", "question": str(question), "answer": str(answer), "own": own}:
            return (HostQuestionAnswered(question, answer, own is True),)
        case {"heard": "fact", "name": str(name), "text": str(text)}:
            return (FactNoted(Fact(name, text)),)
        case _:
            return ()


def _outcome(word: object) -> Outcome | None:
    return next((one for one in Outcome if one.value == word), None)


_ORIGINS = {origin.value: origin for origin in Origin}


MOST_FILES = 32
INSTRUCTIONS_START = '{"heard":"instructions"'
"""How the line begins that keeps them."""

Files: TypeAlias = tuple[tuple[str, str], ...]


def shown(files: Iterable[Instructions], builder: RecordBuilder) -> Files:
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


def instructions_text(files: Files) -> str:
    """The line of them; also of none, because it takes the place of what was kept before."""
    return encode({"heard": "instructions", "files": [list(one) for one in files]})


def instructions_of(text: str) -> Files | None:
    """What such a line says; None for any other line."""
    if not text.startswith(INSTRUCTIONS_START):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    given = value.get("files") if isinstance(value, Mapping) else None
    pairs = given if isinstance(given, list) else []
    found = (_file(one) for one in pairs)
    return tuple(one for one in found if one is not None)[:MOST_FILES]


def _file(value: object) -> tuple[str, str] | None:
    match value:
        case [str(path), str(text)]:
            return path, text
        case _:
            return None
