"""Tools whose names alone speak for them: where anybody may call a tool anything, that is no proof.

Known agents have tools of their own under known names. A program that makes its own tools can call
one `task_update` or `list` that does something else.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ParamSpec

from automode.core.call import Other, Read, ToolCall
from automode.core.layer import Answer, Layer, Trail
from automode.core.session import Session
from automode.core.tool_names import canonical, harmless, squashed
from automode.gate.gate import Gate
from automode.guards.read_only import ReadOnly

P = ParamSpec("P")
_TEXTS = frozenset(
    (
        "filepath path absolutepath notebookpath filename file targetfile targetnotebook dirpath"
        " directory relativepath relativeworkspacepath targetdirectory dir folder cwd workdir"
        " workingdirectory basepath basedir root rootpath paths filepaths files"
        " pattern patterns glob globs globpattern include includes includepattern exclude excludes"
        " excludepattern ignore filepattern fileglob query regex name"
    ).split()
)
_NUMBERS = frozenset(
    (
        "offset limit start end startline endline lines viewrange recursive depth maxdepth"
        " maxresults headlimit context casesensitive caseinsensitive ignorecase hidden showhidden"
        " multiline linenumbers i n a b c"
    ).split()
)


@dataclass(frozen=True, slots=True)
class NamedOnly:
    """Around a layer that goes by what a call does: in `session` it is shown a call that only its
    name calls a reading one as a call of which nothing is known."""

    layer: Layer
    session: str

    @property
    def name(self) -> str:
        return self.layer.name

    async def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Answer:
        if session.id == self.session and isinstance(call.action, Read) and not proved(call):
            call = replace(call, action=Other())
        return await self.layer(call, session, trail)


def doubting_names(build: Callable[P, Gate], session: str) -> Callable[P, Gate]:
    """Gates as `build` makes them, that go by no name in `session`. Walls and the person's own
    rules see every call as it is."""

    def built(*given: P.args, **named: P.kwargs) -> Gate:
        gate = build(*given, **named)
        doors = [
            NamedOnly(door, session) if door.name == ReadOnly.name else door for door in gate.doors
        ]
        return replace(gate, doors=doors, judges=[NamedOnly(one, session) for one in gate.judges])

    return built


def proved(call: ToolCall) -> bool:
    """Whether a reading call says in every field of its input which files it looks at, or how
    many."""
    if harmless(call.tool):
        return False
    if canonical(call.tool) == "edit":
        return True  # an editor's view: its fields were looked at to tell it from an edit
    return all(_known(squashed(field), value) for field, value in call.input.items())


def _known(field: str, value: object) -> bool:
    values = value if isinstance(value, list) else [value]
    if field in _TEXTS:
        return all(isinstance(one, str) or one is None for one in values)
    return field in _NUMBERS and all(isinstance(one, int | float) or one is None for one in values)
