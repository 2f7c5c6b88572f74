"""What one command does, as far as the knowledge of its program goes."""

from dataclasses import dataclass
from enum import Flag, auto

from automode.core.workspace import Workspace
from automode.shell.script import HOLE, Command, Word


class Effect(Flag):
    """Everything a command may do beyond reading local files and printing. NONE means just that."""

    NONE = 0
    WRITES = auto()  # creates, changes or deletes something local
    RUNS = auto()  # starts another program, or code that is not the program's own
    NETWORK = auto()  # talks to the network
    REMOTE_READ = auto()  # reads from a service the user is signed in to, changing nothing
    REMOTE_WRITE = auto()  # changes something on another machine or in a service
    SECRETS = auto()  # reads or prints a credential
    SYSTEM = auto()  # changes processes, services, kernel, hardware, users
    DEVELOPMENT = auto()  # what developers run all day: tests, builds, linters, formatters
    UNKNOWN = auto()  # not understood; the weakest knowledge, never safe


@dataclass(frozen=True, slots=True)
class Use:
    """`why` names, in a few words, what makes the effect so: "`-i` edits files in place"."""

    effect: Effect
    why: str = ""

    def __or__(self, other: "Use") -> "Use":
        if other is READS:
            return self
        if self is READS:
            return other
        return Use(self.effect | other.effect, self.why or other.why)


READS = Use(Effect.NONE)


@dataclass(frozen=True, slots=True)
class Invocation:
    """One command as its program's module sees it."""

    name: str  # bare program name
    args: tuple[Word, ...]
    command: Command
    workspace: Workspace

    @property
    def literal(self) -> bool:
        """Whether every argument is exactly known."""
        return all(word.value is not None for word in self.args)


def unknown(why: str) -> Use:
    return Use(Effect.UNKNOWN, why)


def writes(why: str) -> Use:
    return Use(Effect.WRITES, why)


def runs(why: str) -> Use:
    return Use(Effect.RUNS, why)


def network(why: str) -> Use:
    return Use(Effect.NETWORK, why)


def printable(word: Word) -> str:
    """The word as a person may read it; `…` stands for what is only known when it runs."""
    return word.text.replace(HOLE, "…")
