"""Layer: notes when a call executes files that were written in this session, or by another one of
the same project.

What an agent wrote a moment ago is whatever the agent wants it to be, so a rule that names the
command says nothing about what it does.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from automode.core.call import Action, Shell, ToolCall, Write
from automode.core.decision import Remark
from automode.core.errors import BadCall
from automode.core.files import Files
from automode.core.layer import Answer, Layer, Trail
from automode.core.looks import Remembered
from automode.core.paths import located
from automode.core.session import Session
from automode.core.tools import meant_paths, tool_call
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import Workspace
from automode.guards.executed import executed, may_execute
from automode.guards.guard import Sight, bare_name
from automode.guards.inline_code import inside
from automode.guards.own_files import OwnFiles
from automode.guards.targets import targets
from automode.guards.windows import windows_script
from automode.programs.table import of_kind
from automode.shell.reader import Reader
from automode.shell.script import HOLE, Command, Script

MARK = "executes-session-files"
_Place: TypeAlias = tuple[int, str, str, bool]
SEEN_CALLS = 4_096
MOST_SCRIPTS = 8_192
PRIOR_CALLS = 400
"""Older calls are not looked at: a session has no end, and this is asked before every run."""

LONG_TEXT = 1_500
LONG_TEXTS_READ = 24
"""A long script takes both parsers some ten milliseconds; older ones are only searched for what
looks like a target."""

_TARGET = re.compile(
    r"""(?:>>?\|?|\btee(?:[ ]-a)?|[ ]-o|[ ]--output[= ]|\bcp[ ]\S+|\bmv[ ]\S+)[ ]*["']?
    (?P<path>[^\s"'<>|;&()`$*?]+)""",
    re.X,
)
REMOVERS = of_kind("remover")
"""Programs whose targets are gone afterwards, or no file worth running."""

_NO_EFFECT = (Outcome.DENIED, Outcome.REJECTED)
_NO_OWN_FILES = OwnFiles()
_NO_SCRIPT = Script(())


class SessionFiles:
    name = "session-files"

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._script_writes = Remembered[tuple[str, ...]](MOST_SCRIPTS)
        # By identity, with the call itself so that its identity is not given to another one.
        self._seen: OrderedDict[_Place, tuple[PriorCall, int, Mapping[str, str]]] = OrderedDict()

    async def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Answer:
        found = self.executed(call, session)
        if not found:
            return None
        names = ", ".join(f"`{path}`" for path in found[:3])
        return Remark(self.name, MARK, f"executes what was written in this session: {names}")

    def executed(self, call: ToolCall, session: Session) -> tuple[str, ...]:
        """The files of this session, and of others around it, that the call executes; what it
        writes itself counts too."""
        if not isinstance(call.action, Shell):
            return ()
        plain = call.action.dialect == "bash" and self._reader.full(
            call.action.command, session.workspace
        )
        if plain and not any(may_execute(command) for command in plain.commands):
            return ()  # nothing that could run a file, nor code that could
        commands = self.commands(call, session.workspace)
        # Where somebody keeps what was written, it holds this session's own files as well.
        around = session.written_around
        before = self.written(session) if around is None else around
        itself = _folded(_writes(commands, session.workspace), session.workspace)
        found = (
            path
            for command in commands
            if may_execute(command)
            for files in (itself, before)
            if files
            for path in executed(command, commands, files, session.workspace)
        )
        return tuple(dict.fromkeys(found))

    def written(self, session: Session) -> Mapping[str, str]:
        """Paths that earlier calls of the session wrote, without regard to case and with links
        followed too, each with the path as it was written."""
        calls = [one for one in session.transcript.entries if isinstance(one, PriorCall)]
        paths: dict[str, str] = {}
        long = 0
        for call in reversed(calls[-PRIOR_CALLS:]):
            if call.outcome not in _NO_EFFECT:
                closely = long < LONG_TEXTS_READ
                is_long, found = self._remembered(call, session.workspace, closely=closely)
                long += is_long
                for folded, path in found.items():
                    paths.setdefault(folded, path)
        return paths

    def _remembered(
        self, call: PriorCall, workspace: Workspace, *, closely: bool
    ) -> tuple[int, Mapping[str, str]]:
        """A call does not change once it was made: each is looked at once, soon after, and its
        links followed then. Says whether it was long, and what it wrote."""
        key = (id(call), workspace.cwd, workspace.root, closely)
        known = self._seen.get(key)
        if known is None or known[0] is not call:
            action = _action(call)
            is_long = int(isinstance(action, Shell) and len(action.command) > LONG_TEXT)
            found = () if action is None else self._written_by(action, workspace, closely=closely)
            known = self._seen[key] = (call, is_long, _folded(found, workspace))
            if len(self._seen) > SEEN_CALLS:
                self._seen.popitem(last=False)
        return known[1], known[2]

    def written_by(self, action: Action, workspace: Workspace) -> Mapping[str, str]:
        """Paths that one call leaves behind written, like `written`."""
        return _folded(self._written_by(action, workspace, closely=True), workspace)

    def commands(self, call: ToolCall, workspace: Workspace) -> tuple[Command, ...]:
        """Every command of a shell call, in either reading, and of the code inside it."""
        if not isinstance(call.action, Shell):
            return ()
        return self._commands(call.action.command, call.action.dialect, workspace, both=True)

    def _written_by(self, action: Action, workspace: Workspace, *, closely: bool) -> Iterator[str]:
        """Where the call started is not recorded: the project is as likely as the folder of now."""
        for place in dict.fromkeys((workspace.cwd, workspace.root)):
            here = workspace if place == workspace.cwd else replace(workspace, cwd=place)
            match action:
                case Write(paths):
                    yield from (meant for path in paths for meant in meant_paths(path, here))
                case Shell(command) if len(command) > LONG_TEXT and not closely:
                    yield from (
                        located(found["path"], place, here.files)
                        for found in _TARGET.finditer(command)
                    )
                case Shell(command, dialect):
                    yield from self._read_writes(command, dialect, here)
                case _:
                    pass

    def _read_writes(self, text: str, dialect: str, workspace: Workspace) -> tuple[str, ...]:
        def found(files: Files) -> tuple[str, ...]:
            here = replace(workspace, files=files)
            return tuple(_writes(self._commands(text, dialect, here, both=False), here))

        if len(text) > LONG_TEXT or dialect != "bash":
            return found(workspace.files)
        key = (text, workspace.cwd, workspace.home)
        reading = self._reader.first(text, workspace).commands
        return self._script_writes.of(key, reading, workspace.files, found)

    def _commands(
        self, text: str, dialect: str, workspace: Workspace, *, both: bool
    ) -> tuple[Command, ...]:
        if dialect != "bash":
            return windows_script(text, workspace).commands
        found = first = self._reader.first(text, workspace).commands
        full = self._reader.full(text, workspace).commands if both else first
        if full is not first:  # mostly both parsers' reading is at hand, and is the first one too
            found = (*first, *full)
        for command in found:
            if command.remote:
                continue
            for inner in inside(command, workspace):
                known = self._reader.first(inner, workspace) if isinstance(inner, str) else inner
                found = (*found, *known.commands)
        return found if found is first else tuple(dict.fromkeys(found))


class Unless:
    """A door that stays shut when the trail carries `mark`."""

    def __init__(self, mark: str, door: Layer) -> None:
        self.mark = mark
        self.door = door

    @property
    def name(self) -> str:
        return self.door.name

    async def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Answer:
        if any(remark.mark == self.mark for remark in trail):
            return None
        return await self.door(call, session, trail)


def _action(prior: PriorCall) -> Action | None:
    try:
        return tool_call(prior.tool, prior.input).action
    except BadCall:
        return None


def _writes(commands: Sequence[Command], workspace: Workspace) -> Iterator[str]:
    """The paths that stay behind written; what is removed or moved away does not."""
    for command in commands:
        name = bare_name(command)
        if command.remote:
            continue
        sight = Sight(command, _NO_SCRIPT, workspace, _NO_OWN_FILES, name)
        for target in targets(sight):
            known = HOLE not in target.path and not target.path.startswith("/dev/")
            if known and not target.whole and name not in REMOVERS:
                yield target.path


def _folded(paths: Iterable[str], workspace: Workspace) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        resolved = workspace.files.resolve(path) or path
        found[path.casefold()] = found[resolved.casefold()] = path
    return found
