"""Rows for programs whose sub-commands each have options of their own.

A row is written as one line of text (`-la --json --depth=`), so that a table of a hundred verbs
stays a table.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from automode.programs.development import FOREIGN, ordinary
from automode.programs.rows import Flat, printable
from automode.programs.use import READS, Effect, Invocation, Judge, Use, unknown
from automode.shell.options import Spec, arguments, may_split
from automode.shell.script import Word

REMOTE = Use(Effect.REMOTE_READ)
HELP = ("--help", "-h")


def spec(text: str, *, single_dash: bool = False, numbers: bool = False) -> Spec:
    """The options in `text`: `-abc` are three flags, `-n=` and `--depth=` take a value, `-i[=]` and
    `--color[=]` take one only when it is glued on."""
    short = {"": "", "=": "", "[=]": ""}
    long: dict[str, list[str]] = {"": [], "=": [], "[=]": []}
    for word in text.split():
        kind = next(mark for mark in ("[=]", "=", "") if word.endswith(mark))
        name = word.removesuffix(kind) if kind else word
        if name.startswith("--") or single_dash:
            long[kind].append(name)
        else:
            short[kind] += name[1:]
    return Spec(
        flags=short[""],
        values=short["="],
        maybe=short["[=]"],
        long_flags=tuple(long[""]),
        long_values=tuple(long["="]),
        long_maybe=tuple(long["[=]"]),
        single_dash=single_dash,
        numbers=numbers,
        abbreviates=False,
    )


def reads(
    options: str = "",
    *,
    operands: int | None = None,
    effects: Mapping[str, Use] | None = None,
) -> Flat:
    """A sub-command that reads with these options and no others."""
    return Flat(spec(options, numbers=True), effects or {}, operands=operands)


def remote(
    options: str = "",
    *,
    operands: int | None = None,
    effects: Mapping[str, Use] | None = None,
) -> Flat:
    """A sub-command that reads from a service with these options and no others."""
    return Flat(spec(options, numbers=True), effects or {}, operands=operands, base=REMOTE)


def always(effect: Effect, why: str) -> Judge:
    """A sub-command that does this whatever its options are."""
    use = Use(effect, why)
    return lambda invocation: use


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def prints(_: Invocation) -> Use:
    """It prints something about itself and nothing else."""
    return READS


def many(names: str, judge: Judge) -> dict[str, Judge]:
    """The same row under several names."""
    return dict.fromkeys(names.split(), judge)


def bare_or(bare: Judge, otherwise: Judge) -> Judge:
    """`npm version` prints, `npm version 2.0.0` writes: only without operands is it `bare`."""

    def judge(invocation: Invocation) -> Use:
        plain = all(word.value is not None and word.text[:1] == "-" for word in invocation.args)
        return (bare if plain else otherwise)(invocation)

    return judge


def blurred(invocation: Invocation) -> bool:
    """Whether some word may turn into several, any of which may be an option."""
    return any(may_split(word) for word in invocation.args)


_NOT_KNOWN = always(Effect.UNKNOWN, "without a sub-command it is not known to only read")


@dataclass(frozen=True, slots=True)
class Verbs:
    """A program whose first operand chooses the row. Options before it must be in `spec`.

    `other` judges verbs that are not in the table (`yarn build` runs the script `build`).
    """

    table: Mapping[str, Judge]
    spec: Spec = field(default_factory=Spec)
    effects: Mapping[str, Use] = field(default_factory=dict)
    bare: Judge = _NOT_KNOWN
    other: Judge | None = None
    helps: bool = True  # whether `VERB --help` prints help whatever VERB is

    def __call__(self, invocation: Invocation) -> Use:
        if blurred(invocation):
            return unknown("an unquoted argument may become several")
        given = arguments(invocation.args, replace(self.spec, stops_at_operand=True))
        use = READS
        for option in given.options:
            use |= self.effects.get(option.name, READS)
        if given.unclear:
            return use | unknown(f"option `{given.unclear[0]}` is not known to be harmless")
        if not given.operands:
            return use if given.has("--help", "-h", "--version") else use | self.bare(invocation)
        found = self.verb(given.operands[0], given.operands[1:], invocation)
        leading = invocation.args[: len(invocation.args) - len(given.operands)]
        if found.effect & Effect.DEVELOPMENT and not ordinary(replace(invocation, args=leading)):
            found = Use(found.effect & ~Effect.DEVELOPMENT, FOREIGN)
        if found.effect & Effect.REMOTE_READ and not invocation.literal:
            return use | found | unknown("an argument to a service is not known")
        return use | found

    def verb(self, verb: Word, rest: tuple[Word, ...], invocation: Invocation) -> Use:
        judge = self.table.get(verb.text) if verb.value is not None else None
        if judge is not None:
            if self.helps and len(rest) == 1 and rest[0].value in HELP:
                return READS
            return judge(replace(invocation, name=f"{invocation.name} {verb.text}", args=rest))
        if self.other is not None and verb.value is not None:
            return self.other(replace(invocation, args=(verb, *rest)))
        return unknown(f"`{invocation.name} {printable(verb)}` is not known to only read")


def asks_only(invocation: Invocation, *options: str) -> bool:
    """Whether the whole command line is one of these options: `--version` and nothing else."""
    return len(invocation.args) == 1 and invocation.args[0].value in options
