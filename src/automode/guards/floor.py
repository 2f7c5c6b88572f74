"""The floor: deterministic hard denies that nobody may permit."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache, partial

from automode.core.call import Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.decision import Decision, deny
from automode.core.layer import Answer, Trail
from automode.core.session import Session
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.guards.catalog import GUARDS
from automode.guards.guard import Guard, Sight, Target, bare_name
from automode.guards.inline_code import code_of_tool, inside
from automode.guards.own_channel import reader_like
from automode.guards.own_files import OwnFiles, own_files
from automode.guards.targets import targets
from automode.guards.windows import windows_script
from automode.shell.reader import Reader
from automode.shell.script import HOLE, Command, Script, Word

_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "docker-compose"})
_NESTING = 4
"""How deep code inside code inside a command is followed."""


class Floor:
    """Asks every guard about every command that a call would run, and about every file it writes.

    Danger found in an incomplete reading is danger all the same."""

    name = "floor"

    def __init__(
        self,
        reader: Reader,
        own: Callable[[str, str], OwnFiles] = own_files,
        guards: tuple[Guard, ...] = GUARDS,
    ) -> None:
        """`own` names the files that keep the gate standing, for a home and a project."""
        self._reader = reader
        self._own = lru_cache(maxsize=64)(partial(_own_of, own))
        self._everywhere = tuple(guard for guard in guards if guard.everywhere)
        self._writing = tuple(guard for guard in guards if guard.writes)
        self._only_writing = tuple(guard for guard in self._writing if not guard.everywhere)
        self._by_program: dict[str, tuple[Guard, ...]] = {}
        for guard in guards:
            # Those that are asked everywhere need not be asked twice.
            for program in () if guard.everywhere else guard.programs:
                known = self._by_program.get(program, ())
                self._by_program[program] = (*known, guard)

    async def __call__(self, call: ToolCall, session: Session, trail: Trail) -> Answer:
        return self.judge(call, session.workspace)

    def judge(self, call: ToolCall, workspace: Workspace) -> Decision | None:
        match call.action:
            case Shell(command=command, dialect="bash"):
                return self._script(command, workspace)
            case Shell(command=command):
                return self._read(windows_script(command, workspace), workspace)
            case Write(paths=paths, removes=removes):
                lost = self._removed(paths, workspace) if removes else None
                return self._files(paths, workspace) if lost is None else lost
            case Read(paths=paths):
                return self._reads(call.tool, paths, workspace)
            case Fetch(url=url):
                return self._fetched(url, workspace)
            case Other():
                return self._code(call, workspace)
            case _:
                return None

    def _code(self, call: ToolCall, workspace: Workspace) -> Decision | None:
        """Tools that run Python take it as `code`."""
        code = call.input.get("code")
        if not isinstance(code, str) or "python" not in call.tool.casefold():
            return None
        return self._first(code_of_tool(code, workspace), workspace, 0)

    def _script(self, text: str, workspace: Workspace) -> Decision | None:
        """One parser's reading is quick and may already show the danger."""
        first = self._reader.first(text, workspace)
        found = self._read(first, workspace)
        if found is not None:
            return found
        full = self._reader.full(text, workspace)
        return None if full.commands == first.commands else self._read(full, workspace)

    def _read(self, script: Script, workspace: Workspace, depth: int = 0) -> Decision | None:
        for command in script.commands:
            for variant in _variants(command, script):
                found = self._command(variant, script, workspace)
                if found is not None:
                    return found
        if depth < _NESTING:
            return self._inside(script, workspace, depth)
        return None

    def _inside(self, script: Script, workspace: Workspace, depth: int) -> Decision | None:
        for command in script.commands:
            if command.remote:
                continue
            found = self._first(inside(command, workspace), workspace, depth)
            if found is not None:
                return found
        return None

    def _first(
        self, scripts: Iterable[Script | str], workspace: Workspace, depth: int
    ) -> Decision | None:
        for inner in scripts:
            known = self._reader.first(inner, workspace) if isinstance(inner, str) else inner
            found = self._read(known, workspace, depth + 1)
            if found is not None:
                return found
        return None

    def _command(self, command: Command, script: Script, workspace: Workspace) -> Decision | None:
        if command.remote and not _CONTAINERS.isdisjoint(command.via):
            return None  # what a container loses is the container's
        own = self._own(workspace.home, workspace.folders, workspace.cwd)
        sight = Sight(command, script, workspace, own, bare_name(command))
        # A path on another machine is none of ours.
        written = () if command.remote else targets(sight)
        asked: list[Guard] = [*self._by_program.get(sight.name, ()), *self._everywhere]
        if written:
            sight = Sight(command, script, workspace, own, sight.name, written)
            asked += self._only_writing
        for guard in asked:
            if command.remote and not guard.remote:
                continue
            detail = guard.sees(sight)
            if detail is not None:
                return _denial(guard, detail)
        return None

    def _removed(self, paths: tuple[str, ...], workspace: Workspace) -> Decision | None:
        """A tool that deletes does what `rm -rf` does."""
        places = (Word(meant) for path in paths for meant in meant_paths(path, workspace))
        words = (Word("rm"), Word("-rf"))
        for command in (Command((*words, place), cwd=workspace.cwd) for place in places):
            denied = self._command(command, Script((command,)), workspace)
            if denied is not None:
                return denied
        return None

    def _files(self, paths: tuple[str, ...], workspace: Workspace) -> Decision | None:
        found: list[Target] = []
        for path in paths:
            for meant in meant_paths(path, workspace):
                found.append(Target(meant, workspace.files.resolve(meant) or meant))
        command = Command((), cwd=workspace.cwd)
        own = self._own(workspace.home, workspace.folders, workspace.cwd)
        sight = Sight(command, Script(()), workspace, own, targets=tuple(found))
        for guard in self._writing:
            detail = guard.sees(sight)
            if detail is not None:
                return _denial(guard, detail)
        return None

    def _reads(self, tool: str, paths: tuple[str, ...], workspace: Workspace) -> Decision | None:
        """Reading is free, but for what speaks in the person's name."""
        words = tuple(Word(meant) for path in paths for meant in meant_paths(path, workspace))
        command = Command((Word(reader_like(tool)), *words), cwd=workspace.cwd)
        return self._command(command, Script((command,)), workspace)

    def _fetched(self, url: str, workspace: Workspace) -> Decision | None:
        """Asking the network is free, but for the address at which the daemon hears hooks."""
        command = Command((Word("curl"), Word(url)), cwd=workspace.cwd)
        return self._command(command, Script((command,)), workspace)


def _own_of(
    own: Callable[[str, str], OwnFiles], home: str, folders: tuple[str, ...], cwd: str
) -> OwnFiles:
    """Agents look for their settings in the project and in the folder they were started in."""
    first, *others = dict.fromkeys((*folders, cwd))
    return own(home, first).with_projects(tuple(own(home, other) for other in others))


def _denial(guard: Guard, detail: str) -> Decision:
    return deny(f"floor.{guard.id}", f"{guard.reason}: {detail}", guard.advice)


def _variants(command: Command, script: Script) -> Iterator[Command]:
    """The command, and the command with words from standard input filled in where those are
    known: `echo / | xargs rm -rf`."""
    yield command
    if "xargs" not in command.via or all(word.value is not None for word in command.words):
        return
    given = tuple(Word(text) for text in _input(command, script).replace("\0", " ").split()[:64])
    if given:
        yield replace(command, words=tuple(_filled(command.words, given)))


def _input(command: Command, script: Script) -> str:
    """What the xargs around the command reads, where that is known."""
    for one in script.commands:
        here = one.pipeline == command.pipeline and one.position == command.position
        if here and one.fed is not None and one.program in ("xargs", "gxargs"):
            return one.fed
    return ""


def _filled(words: tuple[Word, ...], given: tuple[Word, ...]) -> Iterator[Word]:
    for word in words:
        if word.text == HOLE:
            yield from given
        elif HOLE in word.text:
            yield Word(word.text.replace(HOLE, given[0].text))
        else:
            yield word
