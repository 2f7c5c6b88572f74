"""What a call of a tool acts upon that is no shell: by the fields of its input."""

import re
from collections.abc import Iterator, Mapping

from automode.core.call import ToolCall, Write
from automode.core.workspace import Workspace
from automode.judge.objects import (
    ANY_STATE,
    LONGEST_VALUE,
    MOST_NAMES,
    STATEMENT,
    Name,
    Objects,
    file_name,
    names_in_statement,
    qualifiers_of,
    table,
)
from automode.judge.tool_names import SAFES, tool_words

_FREE = frozenset(
    "body text content message subject title description payload prompt comment summary notes html"
    " status note owner reason new_string old_string code state_reason draft value_type format"
    " caption markdown operations blocks icon emoji color priority properties estimate due_date"
    " transition state transition_id transitionid state_id stateid status_id statusid labels label"
    " labelids team teamid team_id milestone cycle issuetype issue_type relatedto parentid".split()
)
# What a thing is to become: the user says it as "to In Progress".
_BY_NUMBER = re.compile(r"(?:transition|state|status)_?id", re.IGNORECASE)
_BECOMES = frozenset("state status transition priority team milestone".split())
_PLACES = frozenset(
    "project project_id projectid team database db zone workspace org organization base server host"
    " namespace context cluster account region environment".split()
)
_LABELS = frozenset({"label", "labels", "labelids"})  # of a new thing they say little
_REPOSITORIES = frozenset({"repo", "repository"})


def objects_of(call: ToolCall, workspace: Workspace) -> Objects:
    words = frozenset(tool_words(call.tool))
    server = frozenset(re.split(r"[^a-z0-9]+", call.tool.casefold())) - {"mcp", ""}
    free = _FREE if "create" in words else _FREE - _LABELS
    names: list[Name] = []
    values: list[str] = []
    for field, value in call.input.items():
        for text in _texts(value):
            here = field.casefold() in _REPOSITORIES and _is_here(text, workspace)
            if field.casefold() not in free and not here:
                values.append(text)
                names += _tool_names(field, text, firm=bool(SAFES & server))
    paths = call.action.paths if isinstance(call.action, Write) else _patched(call)
    if paths:
        names = [file_name(path) for path in paths]
    return Objects(
        tuple(dict.fromkeys(names))[:MOST_NAMES],
        words | server,
        qualifiers_of([*values, *_short(call.input), *words]),
        f"{call.tool} {' '.join([*values, *_becomes(call.input)])}"
        f" {'draft' if call.input.get('draft') is True else ''}",
    )


def _is_here(text: str, workspace: Workspace) -> bool:
    """Whether it is the repository that is worked on."""
    here = workspace.root.rstrip("/").rsplit("/", 1)[-1].casefold()
    return text.casefold().rsplit("/", 1)[-1] == here


def _becomes(given: Mapping[str, object]) -> Iterator[str]:
    for field, value in given.items():
        if field.casefold() in _BECOMES and isinstance(value, str):
            yield value
        elif _BY_NUMBER.fullmatch(field):
            yield ANY_STATE


def _short(given: Mapping[str, object]) -> list[str]:
    """Values that say what is to be done, whatever field they stand in."""
    return [value for value in given.values() if isinstance(value, str) and " " not in value]


def _patched(call: ToolCall) -> tuple[str, ...]:
    """The files of a patch, where the call has nothing else to say."""
    patch = call.input.get("patch", call.input.get("input"))
    if not isinstance(patch, str) or len(call.input) > 1:
        return ()
    return tuple(_PATCHED.findall(patch[:MOST_PATCHED]))


_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (\S.*)$", re.MULTILINE)
MOST_PATCHED = 200_000


def _tool_names(field: str, text: str, *, firm: bool) -> Iterator[Name]:
    if STATEMENT.search(text) and " " in text:
        yield from (Name(one) for one in names_in_statement(text))
    elif text.casefold() not in table().plain | table().verbs | table().kinds:
        yield Name(text[:LONGEST_VALUE], field.casefold() in _PLACES, firm=firm)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list | tuple):
        for one in value[:MOST_NAMES]:
            yield from _texts(one)
    elif isinstance(value, Mapping):
        for one in list(value.values())[:MOST_NAMES]:
            yield from _texts(one)
