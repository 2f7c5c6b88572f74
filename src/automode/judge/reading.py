"""From a call to its deeds, with what the rest of the judge wants to know of the script."""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace

from automode.core.call import Shell, ToolCall
from automode.core.files import Files
from automode.core.looks import Remembered
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.judge import command_deeds, shell_deeds, tool_deeds
from automode.judge.made_here import EXCUSABLE, Read, unless_made
from automode.programs.use import Effect, Invocation, Judge
from automode.shell.reader import Reader
from automode.shell.script import HOLE, Command, Script

MOST_COMMANDS = 60
LONGEST_TEXT = 12_000
MOST_KEPT = 8_192
LONGEST_KEPT = 4_096  # characters: long scripts seldom come again


# A secret of the environment that is printed: the reading knows no values, and so no names.
_SHOWN = re.compile(
    r"\b(?:echo|printf)\b[^|;&\n]{0,200}\$\{?\w{0,40}(?:TOKEN|SECRET|PASSW|API_?KEY|PRIVATE_KEY)"
)


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
        found = unless_made(done.deeds, script, session, self._earlier(session))
        return Reading(found, script, done.effects, unread)

    def done_by(self, command: str, session: Session, sought: Set[str]) -> Set[str]:
        """Which of the `sought` deeds an earlier command of this session is."""
        script = self.reader.full(command, session.workspace)
        found = self._done(command, script, session.workspace).deeds
        if not EXCUSABLE.isdisjoint(sought):
            found = unless_made(found, script, session, self._earlier(session))
        return sought & set(found)

    def _earlier(self, session: Session) -> Read:
        return lambda text: self.reader.full(text[:LONGEST_TEXT], session.workspace)

    def _done(self, command: str, script: Script, place: Workspace) -> _Done:
        def found(files: Files) -> _Done:
            return self._looked_at(command, script, replace(place, files=files))

        if len(command) > LONGEST_KEPT:
            return found(place.files)
        where = (place.cwd, place.root, place.home, place.roots, place.temporary)
        return _KEPT.of((self._name, command, *where), script, place.files, found)

    def _looked_at(self, text: str, script: Script, workspace: Workspace) -> _Done:
        effects = Effect.NONE
        found: list[str] = []
        for one in script.commands[:MOST_COMMANDS]:
            effect = self._effect(one, workspace)
            if effect is not Effect.NONE:
                effects |= effect
            found += command_deeds.deeds_of(one, effect, workspace)
        if "$" in text and _SHOWN.search(text[:LONGEST_TEXT]):
            found.append("reads-secret")
        return _Done(_once(found), effects)

    def _effect(self, command: Command, workspace: Workspace) -> Effect:
        judge = self.programs.get(command.program) if command.words else None
        if judge is None:
            return Effect.UNKNOWN if command.words else Effect.NONE
        return judge(Invocation(command.program, command.args, command, workspace)).effect


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def has_holes(script: Script) -> bool:
    """Whether a word of it can only be known when it runs."""
    for one in script.commands:
        for word in one.words:
            if HOLE in word.text:
                return True
    return False
