"""From a call to its deeds, with what the rest of the judge wants to know of the script."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from automode.core.call import Shell, ToolCall
from automode.core.files import Files
from automode.core.looks import Remembered
from automode.core.paths import absolute
from automode.core.session import Session
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import Workspace
from automode.judge import command_deeds, file_deeds, shell_deeds, tool_deeds
from automode.programs.use import Effect, Invocation, Judge
from automode.shell.reader import Reader
from automode.shell.script import HOLE, Command, Script

MOST_COMMANDS = 60
LONGEST_TEXT = 12_000
MOST_KEPT = 8_192
LONGEST_KEPT = 4_096  # characters: long scripts seldom come again
# What an earlier script wrote anew: the path behind a redirect or `-o`.
_WRITTEN = re.compile(r"(?:(?<!>)>\s*|-o\s+)[\"']?([\w./@~-]{1,200})")
# What a compiler makes of the project is no stranger than the project.
_BUILT = re.compile(
    r"\b(?:go build|go test|cargo|rustc|gcc|g\+\+|cc|clang(?:\+\+)?|swiftc|javac|zig|dotnet|tsc|"
    r"deno compile|bun build)\b[^\n;|&]{0,200}?"
    r"(?:-o|--output|--outfile)[ =][\"']?([\w./@~-]{1,200})"
)
_DELETIONS = ("deletes", "deletes-near", "deletes-outside")


@dataclass(frozen=True, slots=True)
class Reading:
    deeds: tuple[str, ...]  # names, each once
    script: Script | None  # None where no script is read
    effects: Effect
    unread: bool = False  # parts of it were not looked at: nothing can be said for it


@dataclass(frozen=True, slots=True)
class _Done:
    """What a script does, whoever runs it."""

    deeds: tuple[str, ...]
    effects: Effect


_KEPT = Remembered[_Done](MOST_KEPT)
"""The calls of a session are looked at again with each later one. Shared by the judges of all
projects, so that many of them take no more memory than one."""


@dataclass(frozen=True, slots=True)
class Looking:
    """Pure but for what the reader of scripts does and what it keeps."""

    reader: Reader
    programs: Mapping[str, Judge]
    _name: object = field(default_factory=object)  # others may know other programs

    def __call__(self, call: ToolCall, session: Session) -> Reading:
        match call.action:
            case Shell(command, "bash"):
                return self._read(command, session)
            case Shell(text):
                found = shell_deeds.text_deeds(text[:LONGEST_TEXT])
                return Reading(_once(found), None, Effect.UNKNOWN, unread=True)
            case _:
                found = tool_deeds.deeds_of(call, session.workspace)
                return Reading(_once(found), None, Effect.UNKNOWN)

    def _read(self, command: str, session: Session) -> Reading:
        script = self.reader.full(command, session.workspace)
        done = self._done(command, script, session.workspace)
        unread = not script.complete or len(script.commands) > MOST_COMMANDS
        unread = unread or len(command) > LONGEST_TEXT
        found = _unless_made(_unless_built(done.deeds, command, script, session), script, session)
        return Reading(found, script, done.effects, unread)

    def _done(self, command: str, script: Script, place: Workspace) -> _Done:
        def found(files: Files) -> _Done:
            return self._looked_at(script, replace(place, files=files))

        if len(command) > LONGEST_KEPT:
            return found(place.files)
        where = (place.cwd, place.root, place.home, place.roots, place.temporary)
        return _KEPT.of((self._name, command, *where), script, place.files, found)

    def _looked_at(self, script: Script, workspace: Workspace) -> _Done:
        effects = Effect.NONE
        found: list[str] = []
        for one in script.commands[:MOST_COMMANDS]:
            effect = self._effect(one, workspace)
            effects |= effect
            found += command_deeds.deeds_of(one, effect, workspace)
        return _Done(_once(found), effects)

    def _effect(self, command: Command, workspace: Workspace) -> Effect:
        judge = self.programs.get(command.program) if command.words else None
        if judge is None:
            return Effect.UNKNOWN if command.words else Effect.NONE
        return judge(Invocation(command.program, command.args, command, workspace)).effect


def _unless_made(deeds: tuple[str, ...], script: Script, session: Session) -> tuple[str, ...]:
    """That a file goes which this very script or an earlier call made is no loss."""
    if not any(name in _DELETIONS for name in deeds) or not _own_making(script, session):
        return deeds
    return _once("deletes-made" if name in _DELETIONS else name for name in deeds)


def _unless_built(
    deeds: tuple[str, ...], text: str, script: Script, session: Session
) -> tuple[str, ...]:
    """A program in a temporary folder that this script or an earlier call compiled there."""
    if "runs-scratch" not in deeds:
        return deeds
    run = {one.words[0].text for one in script.commands if one.words}
    left = {path for path in run if file_deeds.SCRATCH.search(path)} - set(_built(text))
    for one in latest(session):
        if not left:
            break
        command = one.input.get("command")
        left -= set(_built(command)) if isinstance(command, str) else set()
    if left:
        return deeds
    return _once("runs-made" if name == "runs-scratch" else name for name in deeds)


def _built(text: str) -> tuple[str, ...]:
    return (
        _outputs(text) if len(text) <= LONGEST_KEPT else tuple(_BUILT.findall(text[:LONGEST_TEXT]))
    )


@lru_cache(maxsize=1_024)
def _outputs(text: str) -> tuple[str, ...]:
    return tuple(_BUILT.findall(text))


def _own_making(script: Script, session: Session) -> bool:
    gone: set[str] = set()
    made: set[str] = set()
    here = session.workspace.cwd
    for command in script.commands:
        at = command.cwd or here
        made |= {absolute(one.target.text, at) for one in command.redirects if one.op == ">"}
        if command.program in ("rm", "unlink"):
            words = (word.text for word in command.args if not word.text.startswith("-"))
            gone |= {absolute(word, at) for word in words}
    left = gone - made
    for one in latest(session):
        if not left:
            break
        left -= {absolute(path, here) for path in _made_by(one)}
    return bool(gone) and not left


def latest(session: Session) -> Iterator[PriorCall]:
    """Earlier calls that nobody stopped, the newest first: what was refused is no evidence for what
    comes next."""
    for one in reversed(session.transcript.entries):
        if isinstance(one, PriorCall) and one.outcome not in (Outcome.DENIED, Outcome.REJECTED):
            yield one


def _made_by(call: PriorCall) -> Iterable[str]:
    written = tool_deeds.written(call.input)[:LONGEST_TEXT]
    names = _targets(written) if len(written) <= LONGEST_KEPT else _WRITTEN.findall(written)
    if "content" not in call.input:
        return names
    paths = (call.input.get(name) for name in tool_deeds.PATH_FIELDS)
    return (*names, *(path for path in paths if isinstance(path, str)))


@lru_cache(maxsize=4_096)
def _targets(text: str) -> tuple[str, ...]:
    return tuple(_WRITTEN.findall(text))


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def has_holes(script: Script) -> bool:
    """Whether a word of it can only be known when it runs."""
    return any(HOLE in word.text for one in script.commands for word in one.words)
