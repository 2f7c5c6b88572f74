"""What surrounds a command while a script is walked, and how much work the walk may be."""

from dataclasses import dataclass, field, replace

from automode.shell.script import HOLE, Assignment, Command, Origin, Redirect, Word
from automode.shell.syntax import Node

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


@dataclass(slots=True)
class Budget:
    steps: int = 0
    scripts: int = 0
    nesting: int = 0

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > STEP_LIMIT:
            raise TooMuchWork

    def enter(self) -> None:
        self.nesting += 1
        if self.nesting > NESTING_LIMIT:
            raise TooMuchWork

    def leave(self) -> None:
        self.nesting -= 1

    def script(self) -> None:
        self.scripts += 1
        if self.scripts > SCRIPT_LIMIT:
            raise TooMuchWork


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
    input_plain: bool = False  # lines on standard input surely are no options
    defining: tuple[str, ...] = ()  # functions whose body this is
    depth: int = 0

    def unfed(self) -> "Frame":
        """As what comes later sees it: the text on standard input may have been read."""
        return self if self.fed is None else replace(self, fed=None)

    def stage(self, pipeline: int, position: int, fed: str | None, *, input_plain: bool) -> "Frame":
        """As a stage of a pipeline sees it."""
        return Frame(
            self.via,
            self.redirects,
            self.assignments,
            self.remote,
            self.elevated,
            pipeline,
            position,
            fed,
            input_plain,
            self.defining,
            self.depth,
        )


@dataclass(slots=True)
class Listing:
    """What a walk has found so far."""

    commands: list[Command] = field(default_factory=list)
    gaps: dict[str, None] = field(default_factory=dict)  # an ordered set
    pipelines: int = 0
    budget: Budget = field(default_factory=Budget)
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

    def gap(self, why: str) -> None:
        self.gaps.setdefault(why)

    def add(self, command: Command) -> int:
        """Lists a command; returns its place."""
        if len(self.commands) >= COMMAND_LIMIT:
            raise TooMuchWork
        self.budget.step()
        self.commands.append(command)
        return len(self.commands) - 1
