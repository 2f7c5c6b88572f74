"""The shape of programs whose sub-commands are known one by one, each with its own options."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from automode.programs.use import READS, Effect, Invocation, Use, unknown
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import HOLE, Word

REMOTE = Use(Effect.REMOTE_READ)
ELSEWHERE = Use(Effect.NETWORK, "another endpoint, profile or identity is named")
SECRET = Use(Effect.SECRETS, "prints a credential")
CHANGES = Use(Effect.REMOTE_WRITE, "changes something in a service")
WRITES = Use(Effect.WRITES, "writes a file")
RUNS = Use(Effect.RUNS, "runs other code")
BUILDS = Use(Effect.DEVELOPMENT | Effect.RUNS, "ordinary development")

HELP = ("--help", "-h", "-help")


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def options(text: str, *, single_dash: bool = False) -> Spec:
    """A spec written as people write it: `-a --all -n= --name= --color?`. `=` takes a value, `?`
    takes one only when glued on. Long flags also accept `--all=false`, as Go programs do."""
    shorts = {"": "", "=": "", "?": ""}
    longs: dict[str, list[str]] = {"": [], "=": [], "?": []}
    for word in text.split():
        kind = word[-1] if word[-1] in "=?" else ""
        name = word.rstrip("=?")
        if len(name) == 2 and not single_dash:
            shorts[kind] += name[1]
        else:
            longs[kind].append(name)
    return Spec(
        flags=shorts[""],
        values=shorts["="],
        maybe=shorts["?"],
        long_values=tuple(longs["="]),
        long_maybe=(*longs[""], *longs["?"]),
        single_dash=single_dash,
    )


def merged(one: Spec, other: Spec) -> Spec:
    """Both together; where they disagree about a short option, `other` is right."""

    def own(letters: str) -> str:
        return "".join(c for c in letters if c not in other.flags + other.values + other.maybe)

    return replace(
        one,
        flags=own(one.flags) + other.flags,
        values=own(one.values) + other.values,
        maybe=own(one.maybe) + other.maybe,
        long_values=(*one.long_values, *other.long_values),
        long_maybe=(*one.long_maybe, *other.long_maybe),
    )


def asks_for_help(args: Sequence[Word], verbs: frozenset[str], depth: int) -> bool:
    """Whether this only prints help: at most `depth` plain words, then `--help`. A first word
    outside `verbs` may be a plug-in, and after deeper words `--help` may be somebody else's."""
    *before, last = [word.value or HOLE for word in args] or [""]
    if last not in HELP or len(before) > depth or any(word.startswith("-") for word in before):
        return False
    return not before or before[0] in verbs


Check: TypeAlias = Callable[[Arguments], Use]


def harmless(_: Arguments) -> Use:
    """The check of a row whose operands do not matter."""
    return READS


def alone(given: Arguments) -> Use:
    """The check of a group that reads by itself but has other sub-commands too."""
    return unknown("a sub-command is not known to only read") if given.operands else READS


@dataclass(frozen=True, slots=True)
class Row:
    """One sub-command: the options it may have, what they add, and what it does by itself."""

    spec: Spec = field(default_factory=Spec)
    base: Use = READS
    effects: Mapping[str, Use] = field(default_factory=dict)
    check: Check = harmless


def row(text: str = "", base: Use = READS, **effects: Use) -> Row:
    """A row from its options; `output=WRITES` says what `--output` adds."""
    found = {f"--{name.replace('_', '-')}": use for name, use in effects.items()}
    return Row(options(text), base, found)


@dataclass(frozen=True, slots=True)
class Verbs:
    """A program whose sub-commands and their options are listed one by one."""

    rows: Mapping[str, Row]
    spec: Spec = field(default_factory=Spec)  # options that may stand before the sub-command
    effects: Mapping[str, Use] = field(default_factory=dict)
    uses: Mapping[str, Use] = field(default_factory=dict)  # sub-commands known not to read
    bare: Use = READS
    help_depth: int = 0  # words before `--help`, where all of them belong to the program
    literal: bool = True  # every word must be known: what is sent away must be what was typed

    @property
    def verbs(self) -> frozenset[str]:
        return frozenset(key.split()[0] for key in (*self.rows, *self.uses))

    def __call__(self, invocation: Invocation) -> Use:
        args = invocation.args
        if self.helps(args):
            return READS
        if self.literal and not invocation.literal:
            return unknown("an argument is not known")
        verb, rest, leading = self.subcommand(args)
        for name in leading.options:
            if name.name in self.effects:
                return self.effects[name.name]
        if leading.unclear:
            return unknown(f"option `{leading.unclear[0]}` is not known to be harmless")
        return self.judged(verb, rest, invocation.name) if verb else self.bare

    def helps(self, args: Sequence[Word]) -> bool:
        known = " ".join(word.text for word in args[:-1]) in self.prefixes
        help_asked = known and args[-1].value in HELP
        return help_asked or asks_for_help(args, self.verbs, self.help_depth)

    def subcommand(self, args: Sequence[Word]) -> tuple[str, Sequence[Word], Arguments]:
        """The longest known sub-command, what follows it, and the options before it."""
        first = replace(self.spec, stops_at_operand=True)
        given = arguments(args, first)
        if not given.operands:
            return "", (), given
        verb, rest = given.operands[0].text, given.operands[1:]
        while any(key.startswith(f"{verb} ") for key in (*self.rows, *self.uses)):
            deeper = arguments(rest, first)
            if not deeper.operands or f"{verb} {deeper.operands[0].text}" not in self.prefixes:
                break
            given = Arguments((*given.options, *deeper.options), (), deeper.unclear)
            verb, rest = f"{verb} {deeper.operands[0].text}", deeper.operands[1:]
        return verb, rest, given

    @property
    def prefixes(self) -> frozenset[str]:
        keys = [key.split() for key in (*self.rows, *self.uses)]
        return frozenset(" ".join(k[:end]) for k in keys for end in range(1, len(k) + 1))

    def judged(self, verb: str, rest: Sequence[Word], name: str) -> Use:
        if verb in self.uses:
            return self.uses[verb]
        found = self.rows.get(verb)
        if found is None:
            return unknown(f"`{name} {verb.replace(HOLE, '…')}` is not known to only read")
        given = arguments(rest, merged(self.spec, found.spec))
        use = found.base
        # A letter that the sub-command has for itself does not mean what it means before it.
        own = {f"-{c}" for c in found.spec.flags + found.spec.values + found.spec.maybe}
        for option in given.options:
            outer = READS if option.name in own else self.effects.get(option.name, READS)
            use |= found.effects.get(option.name, outer)
        if use.effect == found.base.effect and given.unclear:
            return unknown(f"option `{given.unclear[0]}` is not known to be harmless")
        return use | found.check(given)
