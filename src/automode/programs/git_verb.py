"""The shape of one git command that can read: its options, what some of them add, its hazards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from automode.programs.git_options import options, read
from automode.programs.git_repository import Hazard
from automode.programs.rows import printable
from automode.programs.use import READS, Use, runs, unknown
from automode.shell.options import Arguments, Spec
from automode.shell.script import HOLE, Word

Check: TypeAlias = Callable[[Arguments], Use]


def nothing(given: Arguments) -> Use:
    """No further condition."""
    return READS


@dataclass(frozen=True, slots=True)
class Verb:
    """Reads with the options of `spec`, apart from `effects`, when `check` agrees.

    `any_option` is for commands none of whose options can write, run or connect.
    """

    spec: Spec = field(default_factory=options)
    hazards: Hazard = Hazard.NONE
    effects: Mapping[str, Use] = field(default_factory=dict)
    check: Check = nothing
    any_option: bool = False
    operands: int | None = None

    def __call__(self, args: Sequence[Word]) -> Use:
        if self.any_option:
            return READS
        given = read(args, self.spec)
        use = READS
        for option in given.options:
            use |= self.effects.get(option.name, READS)
        if use.effect:
            return use
        use = self.check(given)
        if use.effect:
            return use
        if given.unclear:
            return unknown(f"option `{given.unclear[0]}` is not known to be harmless")
        if self.operands is not None and len(given.operands) > self.operands:
            return unknown(f"`{printable(given.operands[self.operands])}` is not expected here")
        return READS


def plain_format(given: Arguments) -> Use:
    """A format may ask for the state of a signature, which runs gpg."""
    for option in given.options:
        if option.name not in ("--format", "--pretty", "--batch", "--batch-check"):
            continue
        text = option.value.text if option.value else ""
        if "%G" in text or "signature" in text:
            return runs("the format asks for signatures, which runs gpg")
        if HOLE in text:
            return unknown("the format is not known")
    return READS


def needs(*names: str, otherwise: Use) -> Check:
    """One of these options must be there, as `--dry-run`."""

    def check(given: Arguments) -> Use:
        return READS if given.has(*names) else otherwise

    return check
