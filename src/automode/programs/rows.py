"""A flat row of a program that is not in the table, and how a word is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.programs.use import READS, Effect, Invocation, Use, unknown
from automode.shell.options import Spec, arguments
from automode.shell.script import HOLE, Word


def printable(word: Word) -> str:
    return word.text.replace(HOLE, "…")


@dataclass(frozen=True, slots=True)
class Flat:
    """A program without sub-commands that reads and prints, apart from `effects`.

    `effects` maps an option (full name) to what it adds. `any_option` is for programs none of whose
    options can write, run or connect: then unlisted and dynamic words do no harm either.
    `operands` bounds how many operands still mean reading (`uniq IN OUT` writes).
    """

    spec: Spec = field(default_factory=Spec)
    effects: Mapping[str, Use] = field(default_factory=dict)
    any_option: bool = False
    operands: int | None = None
    base: Use = READS

    def __call__(self, invocation: Invocation) -> Use:
        if self.any_option:
            return self.base
        given = arguments(invocation.args, self.spec)
        use = self.base
        for option in given.options:
            use |= self.effects.get(option.name, READS)
        harmless = use.effect is self.base.effect or not use.effect & ~Effect.REMOTE_READ
        if harmless and given.unclear:
            return use | unknown(f"option `{given.unclear[0]}` is not known to be harmless")
        if self.operands is not None and len(given.operands) > self.operands:
            written = printable(given.operands[self.operands])
            return use | Use(Effect.WRITES, f"`{written}` is written")
        return use
