"""What a tool call is, read once for all checks: its script, its commands, what their programs do.

Costly fields are lazy. Readings depend on text alone; what is known of files comes from
`workspace.files`, which looks at each file once for a call.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TypeVar, cast

from automode.core.call import Shell, ToolCall
from automode.core.recent import Recent
from automode.core.workspace import Workspace
from automode.programs.deeds import of_undescribed
from automode.programs.inline_code import inside, powershell_danger, windows_script
from automode.programs.powershell_code import powershell_script
from automode.programs.program import Program
from automode.programs.row import Given, Kind, Touch, TouchedFile
from automode.programs.table import programs
from automode.programs.use import Effect, Invocation, Use, unknown
from automode.shell.script import Command, Reader, Script, Word

NESTING = 3
"""How deep code inside code inside a command is followed for files."""

LONGEST_KEPT = 400  # characters of a command whose deeds are kept
LONGEST_REMEMBERED = 4_096  # characters: long scripts seldom come again
MOST_REMEMBERED = 8_192

_UNKNOWN_PROGRAM = unknown("the program is not known")
T = TypeVar("T")


def _deeds(name: str, args: tuple[Word, ...]) -> tuple[str, ...]:
    program = programs().get(name)
    return tuple(of_undescribed(name, args) if program is None else program.deeds(args))


_kept_deeds = lru_cache(maxsize=4_096)(_deeds)  # agents run the same commands again and again


@dataclass(frozen=True, eq=False)
class CommandFacts:
    """One simple command with what the table of programs knows of it."""

    command: Command
    workspace: Workspace

    @cached_property
    def program(self) -> Program | None:
        """By its exact name; None for one without a row."""
        return programs().get(self.command.program) if self.command.words else None

    @cached_property
    def given(self) -> Given | None:
        """The command line taken apart by its row; None where no row fits."""
        return None if self.program is None else self.program.given(self._invocation)

    @cached_property
    def use(self) -> Use:
        """What the command does."""
        if self.program is None:
            return _UNKNOWN_PROGRAM
        return self.program.use(self._invocation, self.given)

    @property
    def effect(self) -> Effect:
        """Of a bare assignment or redirect: none."""
        return self.use.effect if self.command.words else Effect.NONE

    @cached_property
    def touches(self) -> tuple[Touch, ...]:
        """The files that it names, as far as its row tells."""
        return () if self.program is None else tuple(self.program.touches(self.given))

    @cached_property
    def guarded_touches(self) -> tuple[Touch, ...]:
        """The same for guards, to whom `RM.EXE` is `rm`."""
        command = self.command
        if command.name == command.program:
            return self.touches
        program = programs().get(command.name)
        line = Invocation(command.name, command.args, command, self.workspace)
        return () if program is None else tuple(program.touches(program.given(line)))

    @cached_property
    def deeds(self) -> tuple[str, ...]:
        """What its words make the command to the judge."""
        name, args = self.command.program.removesuffix(".exe"), self.command.args
        short = len(self.command.text) <= LONGEST_KEPT
        return _kept_deeds(name, args) if short else _deeds(name, args)

    @cached_property
    def touched_files(self) -> tuple[TouchedFile, ...]:
        """Files it reads or writes. Of a program without a row every word may be a file, and
        anything may happen to it."""
        return tuple(self._touched_files())

    @cached_property
    def inner(self) -> tuple[Script | str, ...]:
        """What its inline code would do: scripts, or texts that a shell would read."""
        return tuple(inside(self.command, self.workspace))

    @cached_property
    def _invocation(self) -> Invocation:
        command = self.command
        return Invocation(command.program, command.args, command, self.workspace)

    def _touched_files(self) -> Iterator[TouchedFile]:
        command = self.command
        for redirect in command.redirects:
            if redirect.writes:
                yield TouchedFile(Kind.WRITES, redirect.target, command.cwd)
            if redirect.op in ("<", "<>"):
                yield TouchedFile(Kind.READS, redirect.target, command.cwd)
        if not command.words or command.transparent:
            return
        if self.given is None:
            yield from (TouchedFile(None, word, command.cwd) for word in command.args)
        for touch in self.touches:
            kind = None if touch.kind is Kind.ANY else touch.kind
            yield TouchedFile(kind, touch.word, command.cwd)


@dataclass(frozen=True, slots=True)
class _Remembered:
    """How a call was read, every file that was looked at since, and what checks said of it."""

    script: Script
    files: object
    answers: Mapping[Hashable, object]


# Agents run the same commands again and again. A decision about one seen before takes a third
# longer without this.
_REMEMBERED = Recent[tuple[Hashable, ...], _Remembered](MOST_REMEMBERED)


@dataclass(frozen=True, eq=False)
class CallFacts:
    """Made once for a call, before the first check."""

    call: ToolCall
    workspace: Workspace
    reader: Reader
    _commands: dict[int, CommandFacts] = field(default_factory=dict, repr=False)
    _answers: dict[Hashable, object] = field(default_factory=dict, init=False, repr=False)
    _once: dict[Hashable, object] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def first(self) -> Script:
        """One parser's quick reading. It may prove a call dangerous, never safe. Empty for a call
        that is no script."""
        match self.call.action:
            case Shell(command=text, dialect="bash"):
                return self.reader.first(text, self.workspace)
            case Shell(command=text, dialect="powershell"):
                return powershell_danger(text, self.workspace)
            case Shell(command=text):
                return windows_script(text, self.workspace)
            case _:
                return Script(())

    @cached_property
    def script(self) -> Script:
        """The reading both parsers agree on. Only this one may be `complete`."""
        match self.call.action:
            case Shell(command=text, dialect="bash"):
                return self.reader.full(text, self.workspace)
            case Shell(command=text, dialect="powershell"):
                return powershell_script(text, self.workspace)
            case _:
                return self.first

    def remember(self, question: Hashable, answer: Callable[["CallFacts"], T]) -> T:
        """What `answer` says of this call, or said before of the same call while all files that it
        looked at are the same. It must depend on the call and the workspace alone."""
        action, place, answers = self.call.action, self.workspace, self._answers
        if question in answers:
            return cast(T, answers[question])
        if not isinstance(action, Shell) or len(action.command) > LONGEST_REMEMBERED:
            return answer(self)
        folders = (place.root, place.cwd, place.home, place.other_home, place.roots)
        key = (action, *folders, place.temporary)
        known = None if answers else _REMEMBERED.get(key)
        if known and known.script is self.script and place.files.matches(known.files):
            answers.update(known.answers)
        if question not in answers:
            answers[question] = answer(self)
            files = place.files.snapshot()
            if files is not None:
                _REMEMBERED[key] = _Remembered(self.script, files, dict(answers))
        return cast(T, answers[question])

    def once(self, question: Hashable, answer: Callable[[], T]) -> T:
        """What `answer` says, for this call alone: it may depend on the session, too."""
        if question not in self._once:
            self._once[question] = answer()
        return cast(T, self._once[question])

    def other(self, text: str) -> "CallFacts":
        """Another script in the same place: one inside this call, or of an earlier call."""
        return CallFacts(ToolCall("bash", Shell(text)), self.workspace, self.reader)

    def of(self, command: Command) -> CommandFacts:
        known = self._commands.get(id(command))
        if known is None:
            known = self._commands[id(command)] = CommandFacts(command, self.workspace)
        return known

    def inner(self, command: Command) -> Iterator[Script]:
        """The scripts that code inside a command amounts to, by one parser."""
        inner = self.of(command).inner  # of nearly every command nothing
        return self.by_one_parser(inner) if inner else iter(())

    def by_one_parser(self, scripts: Iterable[Script | str]) -> Iterator[Script]:
        """Texts that a shell would read, as scripts."""
        for one in scripts:
            yield self.reader.first(one, self.workspace) if isinstance(one, str) else one

    @cached_property
    def inner_scripts(self) -> tuple[Script, ...]:
        """The scripts inside the call's script, and those inside them. They may prove a call
        dangerous, never safe."""
        return tuple(self._all_inner(self.script, NESTING))

    def _all_inner(self, script: Script, depth: int) -> Iterator[Script]:
        for command in script.commands:
            for one in self.inner(command) if depth and not command.remote else ():
                yield one
                yield from self._all_inner(one, depth - 1)

    @cached_property
    def touched_files(self) -> tuple[TouchedFile, ...]:
        """Which files the script reads, writes, moves or removes, as far as the reading tells."""
        every = (self.script, *self.inner_scripts)
        commands = (command for script in every for command in script.commands)
        return tuple(
            one
            for command in commands
            if not command.remote
            for one in self.of(command).touched_files
        )
