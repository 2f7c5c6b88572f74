"""Which state folders the hooks name that stand in an agent's files now."""

import json
import os
import re
from collections.abc import Iterator

from automode.agents.installing.extension_file import paths_in
from automode.agents.installing.plan import Plan
from automode.store.folder import StateFolder

_OPTION = re.compile(r"--state\s+('[^'\n]+'|[^\s'\"]+)")


def folders_named_in(plan: Plan) -> tuple[StateFolder, ...]:
    """Of the files that would be changed. What cannot be read names none; a folder below the home
    of whoever runs the agent is the usual one."""
    found = (path for change in plan.changes for path in _named(change.before or b""))
    return tuple(StateFolder(path) for path in dict.fromkeys(found) if os.path.isabs(path))


def _named(data: bytes) -> Iterator[str]:
    for word in _OPTION.findall(data.decode("utf-8", "replace")):
        yield _unescaped(word.strip("'"))
    match paths_in(data):
        case {"state": str(state)}:
            yield state
        case _:
            pass


def _unescaped(word: str) -> str:
    """Command lines stand in JSON mostly, which writes some letters in its own way."""
    try:
        text: object = json.loads(f'"{word}"')
    except ValueError:
        return word
    return text if isinstance(text, str) else word
