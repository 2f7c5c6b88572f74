"""The instruction files that an agent was given when its session began: what the classifier is
shown of them, kept so that a restart has them. They may set boundaries and never give consent."""

import json
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from automode.agents.events import Instructions
from automode.classifier.budget import FILE_CHARACTERS
from automode.classifier.prompt import ContextFile
from automode.core.session import Session
from automode.sessions.event_text import encode
from automode.sessions.scribe import MARK_ROOM, Scribe

MOST_FILES = 32
INSTRUCTIONS_START = '{"heard":"instructions"'
"""How the line begins that keeps them."""

Files: TypeAlias = tuple[tuple[str, str], ...]


def shown(files: Iterable[Instructions], scribe: Scribe) -> Files:
    """Each with its path; cut, and without secrets."""
    most = FILE_CHARACTERS - MARK_ROOM
    return tuple(
        (scribe.brief(one.path), scribe.excerpt(one.text, most)) for one in list(files)[:MOST_FILES]
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
