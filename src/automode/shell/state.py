"""What is known at one point of a script: folder, variables, functions; what surrounds a command
while the script is walked, and how much work the walk may be."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from automode.core.paths import absolute
from automode.core.word_lists import word_sets
from automode.shell.script import (
    HOLE,
    Assignment,
    Command,
    Elsewhere,
    Origin,
    Redirect,
    Script,
    Word,
)
from automode.shell.syntax import Node
from automode.shell.variables import (
    NO_CHANGES,
    Changes,
    harmless_assignment,
    shells_own,
)

WORDS = word_sets("automode.shell")

UNKNOWN_VALUE = Word(HOLE, Origin.UNKNOWN)
DERIVED_VALUE = Word(HOLE, Origin.DERIVED)
NUMBER = Word(HOLE, Origin.DERIVED, plain=True, number=True)

ANY_VARIABLE = "*"
_FOR_MISSING = frozenset({"command_not_found_handle", "command_not_found_handler"})
"""Functions that bash and zsh call in place of a program that is not there."""

VALUE_LIMIT = 8_192
"""Longer values are not kept: `x=$x$x`, thirty times, would fill the memory."""


PLACE_LIMIT = 12
"""Places a command may run in, kept apart by which `cd` failed."""

_OWN_NUMBERS = WORDS["own-numbers"]
_OWN = _OWN_NUMBERS | frozenset("_ - @ * FUNCNAME GROUPS PIPESTATUS HISTCMD EPOCHREALTIME".split())
"""Variables the shell itself fills in: what a script assigns to one is not what it reads back."""

_PLAIN_ENV = WORDS["plain-environment"]


@dataclass(slots=True)
class Outside:
    """Variables that hold a value from outside at some point of the script, kept for all of it."""

    names: set[str] = field(default_factory=set)
    deferred: set[str] = field(default_factory=set)  # what functions and traps took to be known
    relied: set[str] = field(default_factory=set)  # programs whose work was taken to be known
    stays: bool = False  # functions and traps are taken to run where they were written
    waits: bool = False  # there are some
    moved: bool = False  # the folder changed since


@dataclass(slots=True)
class State:
    cwd: str | None
    home: str
    variables: dict[str, Word] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)  # variables that surely hold a number
    exported: dict[str, Assignment] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    perhaps: set[str] = field(default_factory=set)  # functions that may or may not be defined
    calls: Changes = NO_CHANGES  # what calling any of the functions may change
    fixed: set[str] = field(default_factory=set)  # read-only: assigning to them may fail
    arrays: set[str] = field(default_factory=set)  # variables that may be arrays
    in_function: bool = False  # elsewhere `local` fails and assigns nothing
    in_loop: bool = False
    elsewhere: tuple[Elsewhere, ...] = ()  # where this may be, an earlier `cd` having failed
    failed: tuple[Elsewhere, ...] = ()  # the same, should the last `cd` have failed
    outside: Outside = field(default_factory=Outside)
    warn: Callable[[str, Command | None], None] = lambda why, steering: None

    def copy(self) -> "State":
        return State(
            self.cwd,
            self.home,
            self.variables.copy(),
            self.numbers.copy(),
            self.exported.copy(),
            self.functions.copy(),
            self.perhaps.copy(),
            self.calls,
            self.fixed.copy(),
            self.arrays.copy(),
            self.in_function,
            self.in_loop,
            self.elsewhere,
            self.failed,
            self.outside,
            self.warn,
        )

    def later(self) -> "State":
        """As a function's body or a trap sees it: whatever may have been assigned by then."""
        names = Changes(frozenset(self.variables), moves=not self.outside.stays)
        state = self.copy()
        state.forget(names)
        self.outside.waits = True
        self.outside.deferred |= names.names - self.outside.names
        return state

    def process(self, given: Iterable[Assignment]) -> "State":
        """As a program started from here sees it: what is exported, and what it is given."""
        kept = {name: self.variables[name] for name in self.exported if name in self.variables}
        state = State(self.cwd, self.home, exported=dict(self.exported), warn=self.warn)
        state.elsewhere, state.outside = self.places, self.outside
        for name, value in kept.items():
            state.keep(name, value)
        for assigned in given:
            value = UNKNOWN_VALUE if assigned.appends or assigned.array else assigned.value
            state.keep(assigned.name, value)
        return state

    @property
    def places(self) -> tuple[Elsewhere, ...]:
        return unique(self.elsewhere, self.failed)

    def move(self, target: str | None) -> None:
        """Goes to a folder (None: not known which), which may fail wherever this is now."""
        self.outside.moved |= self.outside.waits
        now = (Elsewhere(self.cwd), *self.places)
        self.failed = unique(Elsewhere(p.folder, _and(p.missing, target, p.folder)) for p in now)
        self.elsewhere = unique(Elsewhere(_from(p.folder, target), p.missing) for p in now[1:])
        self.cwd = _from(self.cwd, target)

    def settle(self, *aside: Elsewhere) -> None:
        """Whether the last `cd` failed no longer decides what runs."""
        self.elsewhere = unique(self.elsewhere, self.failed, aside)
        self.failed = ()

    def assign(self, name: str, value: Word, *, appends: bool = False) -> None:
        if appends:
            before = self.value(name)
            worst = max(before.origin, value.origin)
            value = Word(before.text + value.text, worst)
        self.keep(name, value)
        self.check(name, value)

    def keep(self, name: str, value: Word) -> None:
        if name in _OWN:
            return
        if name in self.fixed or len(value.text) > VALUE_LIMIT:
            value = UNKNOWN_VALUE
        self.variables[name] = replace(value, splits=False)
        if value.origin is Origin.UNKNOWN:
            self.outside.names.add(name)
            if name in self.outside.deferred:
                self.warn(
                    f"`{name}` is given a value from outside before a function or trap runs", None
                )
        text = value.value if value.value is not None else ""
        number = re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text) is not None
        self.mark_number(name, number=number or value.number)

    def check(self, name: str, value: Word) -> None:
        if not name.isdigit() and not harmless_assignment(name, value.value):
            why = f"`{name}` is no plain variable: it may be evaluated, or steer what runs later"
            given = Command((), (Assignment(name, value),), cwd=self.cwd)
            self.warn(why, None if shells_own(name) else given)

    def mark_number(self, name: str, *, number: bool = True) -> None:
        (self.numbers.add if number else self.numbers.discard)(name)

    def count(self, name: str) -> None:
        """`name` now holds some number."""
        self.assign(name, NUMBER)
        self.mark_number(name, number=name not in self.fixed)

    def forget(self, changes: Changes) -> None:
        """These may have been changed where we cannot tell how. Whoever changes one is walked
        through by itself, so that this is no place to ask whether its name is plain."""
        self.forget_values(changes)
        if changes.moves:
            self.outside.moved |= self.outside.waits
            self.cwd = None

    def forget_values(self, changes: Changes) -> None:
        """The same for the variables alone, without the folder."""
        names = changes.names | frozenset(self.variables) if changes.anything else changes.names
        self.arrays |= changes.arrays
        if changes.anything:
            self.arrays.add(ANY_VARIABLE)
        for name in names:
            if name in changes.counted and name in self.numbers and not changes.anything:
                self.keep(name, NUMBER)
                self.mark_number(name, number=name not in self.fixed)
            else:
                self.keep(name, UNKNOWN_VALUE if name in self.outside.names else DERIVED_VALUE)

    def may_be_array(self, name: str) -> bool:
        return name in self.arrays or ANY_VARIABLE in self.arrays

    def merge(self, other: "State") -> None:
        """What happened there may have happened here: what differs is no longer known."""
        names = (n for n, value in other.variables.items() if self.variables.get(n) != value)
        self.forget_names(*names)
        self.numbers &= other.numbers
        self.learn(other)
        if other.cwd != self.cwd:
            self.cwd = None

    def learn(self, other: "State") -> None:
        """What may have been exported or defined there counts from here on."""
        self.exported.update(other.exported)
        self.fixed |= other.fixed
        self.arrays |= other.arrays
        # A function that may be defined hides no program: `if x; then rm() { :; }; fi; rm y`.
        self.perhaps |= other.functions | other.perhaps
        self.calls |= other.calls
        self.elsewhere = unique(self.elsewhere, other.places)

    def forget_names(self, *names: str) -> None:
        self.forget(Changes(frozenset(names)))

    def forget_arguments(self) -> None:
        """The positional parameters are others now."""
        self.forget_names(*(name for name in self.variables if name.isdigit()))

    def rely(self, commands: Iterable[Command]) -> bool:
        """Whether these are the programs of that name, here and wherever this runs again."""
        names = {command.program for command in commands} | _FOR_MISSING
        self.outside.relied |= names
        return names.isdisjoint(self.functions | self.perhaps)

    def define(self, name: str, changes: Changes) -> None:
        if name in self.outside.relied:
            self.warn(
                f"`{name}` becomes a function after a program of that name was relied on", None
            )
        self.functions.add(name)
        self.calls |= changes

    def value(self, name: str) -> Word:
        if name in self.variables:
            return self.variables[name]
        if name == "HOME":
            return Word(self.home)
        if name == "PWD" and self.cwd is not None:
            return Word(self.cwd)
        if name in _OWN_NUMBERS:
            return NUMBER
        return DERIVED_VALUE if name in _PLAIN_ENV or name.isdigit() else UNKNOWN_VALUE


def _from(folder: str | None, target: str | None) -> str | None:
    if target is None or (folder is None and not target.startswith("/")):
        return None
    return absolute(target, folder or "/")


def _and(missing: tuple[str, ...], target: str | None, folder: str | None) -> tuple[str, ...]:
    """As it is written: `cd a/../b` fails where there is no `a`."""
    if target is None or (folder is None and not target.startswith("/")):
        return missing
    return (*missing, target if target.startswith("/") else f"{folder}/{target}")


def unique(*groups: Iterable[Elsewhere]) -> tuple[Elsewhere, ...]:
    """Each place once. One that no `cd` needs to have failed for comes to stand for the many."""
    found = tuple(dict.fromkeys(one for group in groups for one in group))
    return found if len(found) <= PLACE_LIMIT else (*found[: PLACE_LIMIT - 1], Elsewhere(None))


COMMAND_LIMIT = 400
DEPTH_LIMIT = 12
STEP_LIMIT = 4_000
"""Nodes walked and words made, loops gone through once per value included."""

NESTING_LIMIT = 40
"""Compound commands inside one another: looking ahead is quadratic in it."""

SCRIPT_LIMIT = 24
"""Scripts inside a script: each one costs two parsers."""


class TooMuchWork(Exception):
    """The walk was given up: what was listed so far stands, and the reading is incomplete."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """One reading when the parsers agree; each one's reading when they do not."""

    nodes: tuple[Node, ...]
    gap: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds a command: wrappers, redirects of groups, its pipeline."""

    via: tuple[str, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    remote: bool = False
    elevated: bool = False
    pipeline: int = 0
    position: int = 0
    fed: str | None = None  # all of the text on standard input, none of it read yet
    input_plain: int = 0  # so many words of each line on standard input surely are no options
    defining: tuple[str, ...] = ()  # functions whose body this is
    depth: int = 0

    def without_input(self) -> "Frame":
        """As what comes later sees it: the text on standard input may have been read."""
        return self if self.fed is None else replace(self, fed=None)


@dataclass(slots=True)
class Listing:
    """What a walk has found so far."""

    commands: list[Command] = field(default_factory=list)
    gaps: dict[str, None] = field(default_factory=dict)  # an ordered set
    steering: list[Command] = field(default_factory=list)
    excused: set[str] = field(default_factory=set)  # gaps that `steering` tells
    pipelines: int = 0
    steps: int = 0
    scripts: int = 0
    nesting: int = 0
    evaluates: bool = False  # some text is evaluated as arithmetic, it is not known which
    held: dict[str, None] = field(default_factory=dict)  # texts that would run something then
    looked: set[str] = field(default_factory=set)  # texts that were looked into

    traces: bool = False  # somewhere a shell prints what it runs
    unknown: bool = False  # somewhere a value is used that nobody wrote
    exposed: bool = False

    def note_unknown(self, printed: bool = False) -> None:  # noqa: FBT001
        """A value from outside is expanded; `printed` where the shell itself prints it then."""
        self.unknown = True
        if printed or self.traces:
            self.expose()

    def watch_printing(self, *, traces: bool, unknown: bool) -> None:
        """Where a shell traces, what ran before counts too: it may run again, in a loop or a
        function."""
        self.traces = self.traces or traces
        if unknown or (self.traces and self.unknown):
            self.expose()

    def expose(self) -> None:
        """Lists that the shell itself prints a value from outside, as a text that is fed in."""
        if not self.exposed:
            self.exposed = True
            self.add(Command((), redirects=(Redirect("<<<", Word(HOLE, Origin.UNKNOWN)),)))

    def spend(self, steps: int = 0, *, scripts: int = 0, nesting: int = 0) -> None:
        """Counts work, and gives up where it is too much."""
        self.steps += steps
        self.scripts += scripts
        self.nesting += nesting
        within = self.steps <= STEP_LIMIT and self.scripts <= SCRIPT_LIMIT
        if not within or self.nesting > NESTING_LIMIT:
            raise TooMuchWork

    def gap(self, why: str, steering: Command | None = None) -> None:
        self.gaps.setdefault(why)
        if steering is not None:
            self.steering.append(steering)
            self.excused.add(why)

    def script_so_far(self) -> Script:
        told = tuple(self.steering), frozenset(self.excused)
        return Script(tuple(self.commands), tuple(self.gaps), *told)

    def add(self, command: Command) -> int:
        """Lists a command; returns its place."""
        if len(self.commands) >= COMMAND_LIMIT:
            raise TooMuchWork
        self.spend(1)
        self.commands.append(command)
        return len(self.commands) - 1
