"""The shapes most programs fit: a flat one with options, and one with sub-commands.

A row lists what *reads*. Whatever a row does not list is not understood, so a new flag of a new
version is never taken for a harmless one.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from automode.programs.use import READS, Effect, Invocation, Use, unknown
from automode.shell.options import Arguments, Spec, arguments
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


@dataclass(frozen=True, slots=True)
class Tree:
    """A program with sub-commands. `reads` and `uses` are keyed by the words of the sub-command
    ("pr view"); a trailing `*` matches any one word that starts so (`describe-*`).

    `spec` lists the global options (before or between sub-command words). With `strict`, options
    after the sub-command must be in `spec` or `options` too; without it only those in `effects`
    matter (for clients with thousands of harmless filters).
    """

    reads: Collection[str] = ()
    uses: Mapping[str, Use] = field(default_factory=dict)
    spec: Spec = field(default_factory=Spec)
    effects: Mapping[str, Use] = field(default_factory=dict)
    base: Use = READS  # what a listed read is: READS, or Effect.REMOTE_READ for services
    depth: int = 3  # longest sub-command, in words
    strict: bool = False
    bare: Use = READS  # the program without any sub-command
    verbs: Collection[str] = ()  # further sub-commands of the program itself, for `VERB --help`
    help_depth: int = 1  # how many words before `--help` still mean "print help"

    def __call__(self, invocation: Invocation) -> Use:
        given = arguments(invocation.args, self.spec)
        use = READS
        for option in given.options:
            use |= self.effects.get(option.name, READS)
        if not use.effect and self.helps(given):
            return READS
        if any(word.value is None and word.could_be_flag for word in invocation.args):
            return use | unknown("an argument is not known and may be an option")
        # An unknown option before the sub-command may swallow the next word and the meaning.
        unclear = given.unclear if self.strict else self.leading(invocation).unclear
        if unclear:
            return use | unknown(f"option `{unclear[0]}` is not known to be harmless")
        return use | self.subcommand(given, invocation)

    def helps(self, given: Arguments) -> bool:
        """Whether this only prints help. `docker run IMAGE --help` runs the image, and an unknown
        first word may be a plug-in, so only known verbs count."""
        if not given.has("--help", "-h", "--version"):
            return False
        words = [word.text for word in given.operands]
        known = {key.split()[0] for key in (*self.reads, *self.uses, *self.verbs)}
        return not words or (words[0] in known and len(words) <= self.help_depth)

    def leading(self, invocation: Invocation) -> Arguments:
        return arguments(invocation.args, replace(self.spec, stops_at_operand=True))

    def subcommand(self, given: Arguments, invocation: Invocation) -> Use:
        words = [word.text for word in given.operands[: self.depth]]
        if not words:
            return self.bare
        for length in range(len(words), 0, -1):
            key = " ".join(words[:length])
            if key in self.uses:
                return self.uses[key]
            if self.listed(words[:length]):
                return self.base
        verb = words[0].replace(HOLE, "…")
        return unknown(f"`{invocation.name} {verb}` is not known to only read")

    def listed(self, words: list[str]) -> bool:
        if " ".join(words) in self.reads:
            return True
        for pattern in self.reads:
            parts = pattern.split()
            if len(parts) == len(words) and all(
                word.startswith(part[:-1]) if part.endswith("*") else word == part
                for part, word in zip(parts, words, strict=True)
            ):
                return True
        return False
