"""What this session made itself: that it goes again is no loss, and that it runs is no surprise.

Only what was read counts, and only calls that went well: text that merely looks like a redirect, or
a compiler that failed, made nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise

from automode.core.paths import absolute, within
from automode.core.session import Session
from automode.core.transcript import Outcome, PriorCall
from automode.judge import file_deeds, shell_deeds, tool_deeds
from automode.judge.deeds import DELETIONS
from automode.judge.touching import COMPILERS, DELETERS, prints
from automode.shell.script import HOLE, Command, Script

EARLIER_CALLS = 40
_OUTPUT = ("-o", "--output", "--outfile")
_NOT_DONE = (Outcome.DENIED, Outcome.REJECTED)
EXCUSABLE = DELETIONS | frozenset({"runs-scratch", "deletes-made", "runs-made"})
"""The deeds that `unless_made` takes away, and those it puts in their places."""

Read = Callable[[str], Script]


@dataclass(slots=True)
class Made:
    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)

    def add(self, command: Command, here: str) -> None:
        at = command.cwd or here
        if command.redirects and prints(command):
            redirected = (one.target.text for one in command.redirects if one.op in (">", ">|"))
            self.files |= _absolute(redirected, at)
        if command.program == "mkdir":
            self.folders |= _absolute(file_deeds.plain_words(command), at)
        if command.program in COMPILERS:
            self.programs |= _absolute(_outputs(command), at)
            self.files |= _absolute(_outputs(command), at)

    def holds(self, path: str, *, deep: bool) -> bool:
        inside = any(within(path, folder) for folder in self.folders)
        return inside if deep else inside or path in self.files


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
    made = Made()
    here = session.workspace.cwd
    for one in islice(latest(session), EARLIER_CALLS):
        if one.outcome is Outcome.ERROR:
            continue
        command = one.input.get("command")
        if isinstance(command, str):
            for part in read(command).commands if _may_make(command) else ():
                made.add(part, here)
        elif "content" in one.input:
            paths = (one.input.get(name) for name in tool_deeds.PATH_FIELDS)
            made.files |= _absolute((path for path in paths if isinstance(path, str)), here)
    return made


def _may_make(text: str) -> bool:
    return ">" in text or "mkdir" in text or "-o" in text or "--out" in text


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
        made.add(command, here)
    return gone > 0


def _runs_nothing_else(script: Script, session: Session, made: Made) -> bool:
    here = session.workspace.cwd
    for command in script.commands:
        if "runs-scratch" in shell_deeds.deeds_of(command, session.workspace):
            program = absolute(command.words[0].text, command.cwd or here)
            if program not in made.programs:
                return False
        made.add(command, here)
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
