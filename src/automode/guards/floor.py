"""The floor: deterministic hard denies that nobody may permit."""

from collections.abc import Iterator
from dataclasses import replace

from automode.core.call import Read, Shell, ToolCall, Write
from automode.core.decision import Decision, deny
from automode.core.layer import Answer, Trail
from automode.core.session import Session
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.guards.catalog import GUARDS
from automode.guards.guard import Guard, Sight, Target
from automode.guards.inline_code import inside
from automode.guards.own_files import OwnFiles
from automode.guards.targets import targets
from automode.guards.windows import windows_script
from automode.shell.reader import Reader
from automode.shell.script import HOLE, Command, Origin, Script, Word

_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "docker-compose"})
_NESTING = 4
"""How deep code inside code inside a command is followed."""


class Floor:
    """Asks every guard about every command that a call would run, and about every file it writes.

    Danger found in an incomplete reading is danger all the same."""

    name = "floor"

    def __init__(
        self, reader: Reader, own: OwnFiles, guards: tuple[Guard, ...] = GUARDS
    ) -> None:
        self._reader = reader
        self._own = own
        self._everywhere = tuple(guard for guard in guards if guard.everywhere)
        self._writing = tuple(guard for guard in guards if guard.writes)
        self._by_program: dict[str, tuple[Guard, ...]] = {}
        for guard in guards:
            for program in guard.programs:
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
            case Write(paths=paths):
                return self._files(paths, workspace)
            case Read(paths=paths):
                return self._reads(paths, workspace)
            case _:
                return None

    def _script(self, text: str, workspace: Workspace) -> Decision | None:
        """One parser's reading is quick and may already show the danger."""
        first = self._read(self._reader.first(text, workspace), workspace)
        return first or self._read(self._reader.full(text, workspace), workspace)

    def _read(self, script: Script, workspace: Workspace, depth: int = 0) -> Decision | None:
        for command in script.commands:
            for variant in _variants(command):
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
            for inner in inside(command, workspace):
                text = inner if isinstance(inner, str) else None
                known = self._reader.first(text, workspace) if text is not None else inner
                if isinstance(known, str):
                    continue
                found = self._read(known, workspace, depth + 1)
                if found is not None:
                    return found
        return None

    def _command(self, command: Command, script: Script, workspace: Workspace) -> Decision | None:
        if command.remote and not _CONTAINERS.isdisjoint(command.via):
            return None  # what a container loses is the container's
        sight = Sight(command, script, workspace, self._own)
        # A path on another machine is none of ours.
        written = () if command.remote else targets(sight)
        asked: list[Guard] = [*self._by_program.get(sight.name, ()), *self._everywhere]
        if written:
            sight = replace(sight, targets=written)
            asked += self._writing
        for guard in asked:
            if command.remote and not guard.remote:
                continue
            detail = guard.sees(sight)
            if detail is not None:
                return _denial(guard, detail)
        return None

    def _files(self, paths: tuple[str, ...], workspace: Workspace) -> Decision | None:
        found: list[Target] = []
        for path in paths:
            for meant in meant_paths(path, workspace):
                found.append(Target(meant, workspace.files.resolve(meant) or meant))
        sight = Sight(
            Command((), cwd=workspace.cwd), Script(()), workspace, self._own, tuple(found)
        )
        for guard in self._writing:
            detail = guard.sees(sight)
            if detail is not None:
                return _denial(guard, detail)
        return None

    def _reads(self, paths: tuple[str, ...], workspace: Workspace) -> Decision | None:
        """Reading is free, but for what speaks in the person's name."""
        words = tuple(Word(meant) for path in paths for meant in meant_paths(path, workspace))
        if not any("automode" in word.text for word in words):
            return None
        command = Command((Word("cat"), *words), cwd=workspace.cwd)
        return self._command(command, Script((command,)), workspace)


def _denial(guard: Guard, detail: str) -> Decision:
    return deny(f"floor.{guard.id}", f"{guard.reason}: {detail}", guard.advice)


def _variants(command: Command) -> Iterator[Command]:
    """The command, and the command with words from standard input filled in where those are
    known: `echo / | xargs rm -rf`."""
    yield command
    if command.fed is None or not command.via or command.via[-1] not in ("xargs", "parallel"):
        return
    given = tuple(Word(text) for text in command.fed.replace("\0", " ").split()[:64])
    if given and any(word.origin > Origin.GLOB for word in command.words):
        yield replace(command, words=tuple(_filled(command.words, given)))


def _filled(words: tuple[Word, ...], given: tuple[Word, ...]) -> Iterator[Word]:
    for word in words:
        if word.text == HOLE:
            yield from given
        elif HOLE in word.text:
            yield Word(word.text.replace(HOLE, given[0].text))
        else:
            yield word
