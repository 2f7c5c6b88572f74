"""What a shell script would do, as a flat list of simple commands."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from automode.core.workspace import Workspace

HOLE = "\0"
"""Stands in `Word.text` for a part that cannot be known. No real word can contain it."""


PIPED = f"/dev/fd/{HOLE}"
MADE = f"/tmp/tmp.{HOLE}"  # noqa: S108 - a text
"""Stands for what another command of the script prints: `<(sort x)`."""

POWERSHELL = "powershell"
"""In `Command.via` of everything that a script of PowerShell runs."""

EXECUTABLE_ENDINGS = (".exe", ".cmd", ".bat", ".ps1", ".com")


class Origin(IntEnum):
    """Where a word's value comes from, best known first; a word is as good as its worst part."""

    LITERAL = 0  # written in the script: `text` is the value
    GLOB = 1  # file names that a pattern written in the script matches
    DERIVED = 2  # output of a command of this script, a loop variable, `read`
    UNKNOWN = 3  # from outside: an environment variable, a positional parameter


@dataclass(frozen=True, slots=True)
class Word:
    """One word after expansion, as far as it can be known without running anything."""

    text: str  # HOLE for each unknown part; live glob characters stay as they are
    origin: Origin = Origin.LITERAL
    splits: bool = False  # unquoted expansion: may become no word, or several
    plain: bool = False  # not known, but surely no option: a hash, a number, an absolute path
    number: bool = False  # not known, but surely a number, or nothing at all

    @property
    def value(self) -> str | None:
        """The exact value, or None when it cannot be known."""
        return self.text if self.origin is Origin.LITERAL else None

    @property
    def is_pipe(self) -> bool:
        """Whether it is what `<(…)` stands for; who writes `/dev/fd/$x` names a file."""
        return self.text == PIPED and self.plain

    @property
    def is_made(self) -> bool:
        """Whether it is a path that `mktemp` made, or one below it."""
        return self.text.startswith(MADE) and self.plain

    @property
    def could_be_flag(self) -> bool:
        """Whether the program may take this word for an option."""
        first = self.text[:1]
        if self.plain:
            return False
        return first in ("-", HOLE) or (self.origin is Origin.GLOB and first in ("*", "?", "["))


@dataclass(frozen=True, slots=True)
class Assignment:
    name: str
    value: Word
    appends: bool = False  # `NAME+=value`
    array: bool = False


@dataclass(frozen=True, slots=True)
class Redirect:
    """`op` is one of `<` `>` `>>` `>|` `<>` `&>` `&>>` `<&` `>&` `<<` `<<<`.

    For `<<` and `<<<` the target is the text that is fed in. For `<&` and `>&` onto a descriptor
    the target is its number or `-`."""

    op: str
    target: Word
    fd: str = ""

    @property
    def writes(self) -> bool:
        """Whether it may create or change what it names."""
        if self.op == ">&":
            return not (self.target.text.isdigit() or self.target.text == "-")
        return self.op in (">", ">>", ">|", "<>", "&>", "&>>")

    @property
    def feeds(self) -> bool:
        """Whether its target is text fed to standard input."""
        return self.op in ("<<", "<<<")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A folder a command runs in should each `cd` to one of `missing` have failed."""

    folder: str | None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command with everything that is known of its surroundings."""

    words: tuple[Word, ...]  # words[0] is the program; empty for a bare assignment or redirect
    assignments: tuple[Assignment, ...] = ()  # `NAME=value` before the program
    redirects: tuple[Redirect, ...] = ()  # its own and those of the groups around it
    cwd: str | None = None  # where it runs, after every `cd` before it; None when not known
    via: tuple[str, ...] = ()  # programs it was found inside of: ("sudo", "bash")
    transparent: bool = False  # a wrapper whose whole effect is the commands found inside it
    remote: bool = False  # runs on another machine or in a container
    elevated: bool = False  # sudo, doas, su
    environment: tuple[Assignment, ...] = ()  # exported by the script before this command
    pipeline: int = 0  # commands of one pipeline share this number
    position: int = 0  # place in its pipeline; above 0 it reads what the one before writes
    fed: str | None = None  # the literal text on its standard input, where it is known
    elsewhere: tuple[Elsewhere, ...] = ()  # where else it may run, a `cd` before it having failed
    program: str = field(init=False, repr=False, compare=False)
    """The program's bare name, or HOLE-bearing text when it is not known."""
    name: str = field(init=False, repr=False, compare=False)
    """The same without an ending for executables; case is folded because some disks fold it."""

    args: tuple[Word, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "args", self.words[1:])
        first = self.words[0].text if self.words else ""
        program = first.rsplit("/", 1)[-1] if not first.endswith("/") else first
        object.__setattr__(self, "program", program)
        name = program.casefold()
        if "\\" in name:
            name = name.rsplit("\\", 1)[-1]
        name = name.rsplit(".", 1)[0] if name.endswith(EXECUTABLE_ENDINGS) else name
        object.__setattr__(self, "name", name)

    @property
    def text(self) -> str:
        """The command as rules match it: words joined by one blank."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Script:
    """An incomplete script may prove a call dangerous. It must never prove one safe."""

    commands: tuple[Command, ...]
    gaps: tuple[str, ...] = ()
    """Why the reading is incomplete, one phrase each; empty when it is complete."""

    steering: tuple[Command, ...] = ()
    """What assigns a variable that is no shell's own: it may steer programs that run later."""

    excused: frozenset[str] = frozenset()
    """Those of the gaps that are no more than that."""

    @property
    def complete(self) -> bool:
        return not self.gaps

    @property
    def understood(self) -> bool:
        """For who looks at `steering`: whether nothing else is missing."""
        return self.excused.issuperset(self.gaps)


class Reader(Protocol):
    """Contract: never raises on any text, never runs anything."""

    def first(self, text: str, workspace: Workspace) -> Script:
        """A quick reading by one parser. It may prove a call dangerous, never safe."""
        ...

    def full(self, text: str, workspace: Workspace) -> Script:
        """The reading both parsers agree on. Only this one may be `complete`."""
        ...


class NoReader:
    """For gates that decide no scripts: reading one is an error, and the gate fails closed."""

    def first(self, text: str, workspace: Workspace) -> Script:
        raise NotImplementedError("this gate reads no scripts")

    full = first
