"""Shapes for programs that mostly do something and only now and then just print."""

from collections.abc import Collection
from dataclasses import dataclass, field

from automode.programs.use import READS, Invocation, Use
from automode.shell.options import Spec, arguments
from automode.shell.script import Origin, Word

HELP = ("--help", "--version")


def sole(invocation: Invocation, words: Collection[str]) -> bool:
    """Whether there is exactly one argument, and it is one of `words`."""
    return len(invocation.args) == 1 and invocation.args[0].value in words


def perhaps_several(word: Word) -> bool:
    """Whether the shell may put more than one word in this one's place."""
    if word.origin is Origin.LITERAL:
        return False
    return word.splits or word.origin is Origin.GLOB or any(c in word.text for c in "*?[")


@dataclass(frozen=True, slots=True)
class Mostly:
    """A program that does `use` unless its only argument asks for help."""

    use: Use
    reads: Collection[str] = HELP

    def __call__(self, invocation: Invocation) -> Use:
        return READS if sole(invocation, self.reads) else self.use


@dataclass(frozen=True, slots=True)
class Asked:
    """A program that reads only when one of the options `by` asks it to and `spec` lists the rest.

    `bare` is what it does without arguments; `operands` how many operands still mean reading.
    """

    by: Collection[str]
    otherwise: Use
    spec: Spec = field(default_factory=Spec)
    bare: Use | None = None
    operands: int | None = None

    def __call__(self, invocation: Invocation) -> Use:
        if not invocation.args:
            return self.otherwise if self.bare is None else self.bare
        if sole(invocation, HELP):
            return READS
        given = arguments(invocation.args, self.spec)
        crowded = self.operands is not None and (
            len(given.operands) > self.operands or any(map(perhaps_several, given.operands))
        )
        if crowded or not given.has(*self.by) or given.unclear:
            return self.otherwise
        return READS
