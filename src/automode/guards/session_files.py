"""Layer: notes when a call executes files that were written in this session, or by another one of
the same project.

What an agent wrote a moment ago is whatever the agent wants it to be, so a rule that names the
command says nothing about what it does.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from automode.core.call import Shell, ToolCall, Write
from automode.core.decision import Remark
from automode.core.errors import BadCall
from automode.core.paths import located
from automode.core.session import Session
from automode.core.tools import meant_paths, tool_call
from automode.core.transcript import Outcome, PriorCall
from automode.core.workspace import Workspace
from automode.gate.layer import Answer, Layer, Trail
from automode.guards.executed import executed, may_execute
from automode.guards.guard import Sight, targets
from automode.guards.own_files import OwnFiles
from automode.programs.call_facts import CallFacts
from automode.programs.table import of_kind
from automode.shell.reader import Reader
from automode.shell.script import HOLE, Command, Script

MARK = "executes-session-files"
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

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        found = executed_files(facts, session)
        if not found:
            return None
        names = ", ".join(f"`{path}`" for path in found[:3])
        return Remark(self.name, MARK, f"executes what was written in this session: {names}")


def executed_files(facts: CallFacts, session: Session) -> tuple[str, ...]:
    """The files of this session, and of others around it, that the call executes; what it writes
    itself counts too."""
    action = facts.call.action
    if not isinstance(action, Shell):
        return ()
    if action.dialect == "bash" and not any(map(may_execute, facts.script.commands)):
        return ()  # nothing that could run a file, nor code that could
    commands = every_command(facts)
    # Where somebody keeps what was written, it holds this session's own files as well.
    around = session.written_around
    before = written_before(session, facts.reader) if around is None else around
    itself = _folded(_writes(commands, facts), facts.workspace)
    found = (
        path
        for command in commands
        if may_execute(command)
        for files in (itself, before)
        if files
        for path in executed(command, commands, files, facts.workspace)
    )
    return tuple(dict.fromkeys(found))


def written_before(session: Session, reader: Reader) -> Mapping[str, str]:
    """Paths that earlier calls of the session wrote, without regard to case and with links
    followed too, each with the path as it was written."""
    calls = [one for one in session.transcript.entries if isinstance(one, PriorCall)]
    paths: dict[str, str] = {}
    long = 0
    for prior in reversed(calls[-PRIOR_CALLS:]):
        call = None if prior.outcome in _NO_EFFECT else _call(prior)
        if call is None:
            continue
        closely = long < LONG_TEXTS_READ
        long += isinstance(call.action, Shell) and len(call.action.command) > LONG_TEXT
        found = _written_by(CallFacts(call, session.workspace, reader), closely=closely)
        for folded, path in _folded(found, session.workspace).items():
            paths.setdefault(folded, path)
    return paths


def written_by(facts: CallFacts) -> Mapping[str, str]:
    """Paths that one call leaves behind written, like `written_before`."""
    return _folded(_written_by(facts, closely=True), facts.workspace)


def every_command(facts: CallFacts) -> tuple[Command, ...]:
    """Every command of a shell call, in either reading, and of the code inside it."""
    first, full = facts.first.commands, facts.script.commands
    # Mostly both parsers' reading is at hand, and is the first one too.
    both = first if full is first else tuple(dict.fromkeys((*first, *full)))
    return _with_inner(both, facts)


def _with_inner(commands: tuple[Command, ...], facts: CallFacts) -> tuple[Command, ...]:
    inner = [  # nearly no command has any
        one
        for command in commands
        if not command.remote
        for script in facts.inner(command)
        for one in script.commands
    ]
    return tuple(dict.fromkeys((*commands, *inner))) if inner else commands


def _written_by(facts: CallFacts, *, closely: bool) -> Iterator[str]:
    """Where the call started is not recorded: the project is as likely as the folder of now."""
    workspace = facts.workspace
    for place in dict.fromkeys((workspace.cwd, workspace.root)):
        here = facts
        if place != workspace.cwd:
            here = replace(facts, workspace=replace(workspace, cwd=place), _commands={})
        match facts.call.action:
            case Write(paths):
                yield from (meant for one in paths for meant in meant_paths(one, here.workspace))
            case Shell(command) if len(command) > LONG_TEXT and not closely:
                yield from (
                    located(found["path"], place, workspace.files)
                    for found in _TARGET.finditer(command)
                )
            case Shell():
                yield from _writes(_with_inner(here.first.commands, here), here)
            case _:
                pass


class Unless:
    """A door that stays shut when the trail carries `mark`."""

    def __init__(self, mark: str, door: Layer) -> None:
        self.mark = mark
        self.door = door

    @property
    def name(self) -> str:
        return self.door.name

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if any(remark.mark == self.mark for remark in trail):
            return None
        return await self.door(facts, session, trail)


def _call(prior: PriorCall) -> ToolCall | None:
    try:
        return tool_call(prior.tool, prior.input)
    except BadCall:
        return None


def _writes(commands: Sequence[Command], facts: CallFacts) -> Iterator[str]:
    """The paths that stay behind written; what is removed or moved away does not."""
    for command in commands:
        if command.remote:
            continue
        sight = Sight(facts.of(command), _NO_SCRIPT, _NO_OWN_FILES)
        for target in targets(sight):
            known = HOLE not in target.path and not target.path.startswith("/dev/")
            if known and not target.whole and command.name not in REMOVERS:
                yield target.path


def _folded(paths: Iterable[str], workspace: Workspace) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        resolved = workspace.files.resolve(path) or path
        found[path.casefold()] = found[resolved.casefold()] = path
    return found
