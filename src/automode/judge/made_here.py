"""What this session made itself: that it goes again is no loss, and that it runs is no surprise.

Only what cannot have been there before counts: what a command made that fails where there is such a
thing already, what an earlier call looked for in vain, and what lies in a folder for temporary
files. `mkdir -p` and a written file tell nothing about what they found.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise

from automode.core.paths import absolute, within
from automode.core.session import Session
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import Workspace
from automode.judge import file_deeds, shell_deeds, tool_deeds
from automode.judge.deeds import DELETIONS
from automode.judge.touching import COMPILERS, DELETERS, prints
from automode.programs.call_facts import CommandFacts
from automode.shell.script import HOLE, Command, Script

EARLIER_CALLS = 40
_OUTPUT = ("-o", "--output", "--outfile")
_NOT_DONE = (Outcome.DENIED, Outcome.REJECTED)
EXCUSABLE = DELETIONS | frozenset({"runs-scratch", "deletes-made", "runs-made"})
"""The deeds that `unless_made` takes away, and those it puts in their places."""

Read = Callable[[str], Script]


@dataclass(slots=True)
class Made:
    workspace: Workspace
    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)  # looked for in vain

    def add(self, command: Command) -> None:
        at = command.cwd or self.workspace.cwd
        words = [word.text for word in command.args]
        if command.redirects and prints(command):
            redirected = (one.target.text for one in command.redirects if one.op in (">", ">|"))
            self.write(_absolute(redirected, at))
        if command.program == "mkdir":
            folders = _absolute(file_deeds.plain_words(command), at)
            new = not any(_MAKES_PARENTS.fullmatch(word) for word in words)
            self.folders |= {one for one in folders if new or self._is_new(one)}
        if command.program == "git":
            self.folders |= _absolute(_git_folder(words), at)
        if command.program in COMPILERS:
            self.programs |= _absolute(_outputs(command), at)
            self.write(_absolute(_outputs(command), at))
        if command.program == "mv":  # what was moved there is not made there
            moved = _absolute(file_deeds.plain_words(command), at)
            self.folders -= {one for one in self.folders if any(within(m, one) for m in moved)}

    def write(self, paths: set[str]) -> None:
        self.files |= {one for one in paths if self._is_new(one)}

    def _is_new(self, path: str) -> bool:
        place = file_deeds.where(path, Command(()), self.workspace)
        return place == "scratch" or path in self.missing

    def holds(self, path: str, *, deep: bool) -> bool:
        inside = any(within(path, folder) for folder in self.folders)
        return inside if deep else inside or path in self.files


_MAKES_PARENTS = re.compile(r"-[a-zA-Z]*p[a-zA-Z]*|--p\w*")
_LOOKERS = frozenset("ls cat stat test [ head tail".split())


def _git_folder(words: list[str]) -> list[str]:
    """Where `git worktree add` puts what it makes: it takes no folder that has something in it. A
    clone counts not: work may have gone into it since."""
    plain = [word for word in words if not word.startswith("-")]
    return plain[2:3] if plain[:2] == ["worktree", "add"] else []


def unless_made(
    deeds: tuple[str, ...], script: Script, session: Session, read: Read
) -> tuple[str, ...]:
    """The deeds again, those apart that only concern what this very script or an earlier call
    made."""
    deletes, runs = not DELETIONS.isdisjoint(deeds), "runs-scratch" in deeds
    if not deletes and not runs:
        return deeds
    before = _made_before(session, read)
    excused: dict[str, str] = {}
    if deletes and _loses_nothing(script, session, before):
        excused |= dict.fromkeys(DELETIONS, "deletes-made")
    if runs and _runs_nothing_else(script, session, before):
        excused["runs-scratch"] = "runs-made"
    return tuple(dict.fromkeys(excused.get(name, name) for name in deeds))


def latest(session: Session) -> Iterator[PriorCall]:
    """Earlier calls that nobody stopped, the newest first: what was refused is no evidence for what
    comes next."""
    for one in reversed(session.transcript.entries):
        if isinstance(one, PriorCall) and one.outcome not in _NOT_DONE:
            yield one


def _made_before(session: Session, read: Read) -> Made:
    made = Made(session.workspace)
    here = session.workspace.cwd
    for one in reversed([*islice(latest(session), EARLIER_CALLS)]):
        command = one.input.get("command")
        paths = [one.input.get(name) for name in tool_deeds.PATH_FIELDS]
        named = _absolute((path for path in paths if isinstance(path, str)), here)
        if one.outcome is Outcome.ERROR:
            made.missing |= _sought(read(command), here) if isinstance(command, str) else set()
        elif isinstance(command, str):
            for part in read(command).commands if _may_make(command) else ():
                made.add(part)
        elif "content" in one.input:
            made.write(named)
    return made


def _sought(script: Script, here: str) -> set[str]:
    """What a single look that failed did not find."""
    if len(script.commands) != 1 or script.commands[0].program not in _LOOKERS:
        return set()
    paths = _absolute(file_deeds.plain_words(script.commands[0]), script.commands[0].cwd or here)
    return paths if len(paths) == 1 else set()


def _may_make(text: str) -> bool:
    return any(one in text for one in (">", "mkdir", "-o", "--out", "clone", "worktree", "mv"))


def _loses_nothing(script: Script, session: Session, made: Made) -> bool:
    """In order: what a script makes after it deleted the same was not its own to delete."""
    here = session.workspace.cwd
    gone = 0
    for command in script.commands:
        if command.program in ("rm", "unlink"):
            deep = any(_recursive(word.text) for word in command.args)
            for path in _absolute(file_deeds.plain_words(command), command.cwd or here):
                gone += 1
                if not made.holds(path, deep=deep):
                    return False
        elif command.program in DELETERS | {"find", "mv"}:
            return False
        made.add(command)
    return gone > 0


def _runs_nothing_else(script: Script, session: Session, made: Made) -> bool:
    here = session.workspace.cwd
    for command in script.commands:
        if "runs-scratch" in shell_deeds.deeds_of(CommandFacts(command, session.workspace)):
            program = absolute(command.words[0].text, command.cwd or here)
            if program not in made.programs:
                return False
        made.add(command)
    return True


def _recursive(word: str) -> bool:
    return word.startswith("-") and "r" in word.casefold()


def _outputs(command: Command) -> Iterator[str]:
    words = [word.text for word in command.args]
    for word, following in pairwise(words):
        if word in _OUTPUT:
            yield following
    yield from (word.partition("=")[2] for word in words if word.startswith(("--output=", "-o=")))


def _absolute(paths: Iterable[str], at: str) -> set[str]:
    return {absolute(path, at) for path in paths if path and HOLE not in path}
