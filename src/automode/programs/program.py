"""A program of the table: finds the row of a command line, and says what the command does."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from automode.programs.checks import check_of, touches_of
from automode.programs.development import FOREIGN, Develops, Installs, ordinary
from automode.programs.row import STREAMS, Kind, Row, option_use, word_use
from automode.programs.rows import printable
from automode.programs.settings_above import has_settings
from automode.programs.touch import Given, Touch
from automode.programs.use import READS, Effect, Invocation, Use, unknown
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import Word

Path: TypeAlias = tuple[tuple[str, ...], ...]
"""The words of a sub-command, each with its alternatives; `list-*` is any word that starts so."""


_ASKS_FOR_HELP = frozenset(("--help", "-help", "-h", "help"))
_NAMED = 1_000  # the rank of a word that a row names; that of a pattern is its length
_TOUCHING = frozenset({Kind.READS, Kind.LISTS, Kind.WRITES, Kind.DELETES, Kind.RUNS})


@dataclass(frozen=True, slots=True)
class Program:
    row: Row
    subcommands: Mapping[Path, Row] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    family: Mapping[str, "Program"] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, invocation: Invocation) -> Use:
        """What the command does: what its row says, plus what its check objects to."""
        if self._helps(invocation.args):
            return READS
        given = self.given(invocation)
        if given is None:
            verb = next((w for w in invocation.args if w.text[:1] != "-"), Word("…"))
            return unknown(f"`{invocation.name} {printable(verb)}` is not known to only read")
        return self._other(given) if given.row.program else _use(given)

    def _other(self, given: Given) -> Use:
        """What another program does with the words, plus what speaks against those in front."""
        use = self.family[given.row.program](given.inner) | _by_options(given) | _unclear(given)
        literal = given.invocation.literal or not use.effect & Effect.REMOTE_READ
        use |= READS if literal else unknown("an argument is only known when it runs")
        return use | _checked(given) | _dashed(given)

    def touches(self, invocation: Invocation) -> Iterator[Touch]:
        """The files that the command reads, writes, moves or removes, as far as the row tells."""
        given = self.given(invocation)
        if given is None:
            return
        if given.row.program:
            yield from self.family[given.row.program].touches(given.inner)
        if given.row.touches:
            yield from touches_of(given.row.touches)(given)
            return
        for option in given.options.options:
            key = given.row.effects.get(option.name, "")
            if option.value is not None and key in _TOUCHING:
                yield Touch(Kind(key), option.value)
        kinds = _kinds(given) or (Kind.TEXT,) * len(given.operands)
        for kind, word in zip(kinds, given.operands, strict=True):
            if kind not in (Kind.TEXT, Kind.HOST):
                yield Touch(kind, word)

    def _helps(self, args: tuple[Word, ...]) -> bool:
        """Whether it only prints help: `--help` alone, or after the words of a sub-command that is
        known. After any other word it may be the help of another program, or no help at all. After
        a sub-command `--version` may mean nothing."""
        if not args or args[-1].value not in self.row.help:
            return False
        words = [word.value or "-" for word in args[:-1]]
        if words and args[-1].value not in _ASKS_FOR_HELP:
            return False
        return not words or self._fitting(words) is not None or self._deeper(words)

    def given(self, invocation: Invocation) -> Given | None:
        """The row of this command line and its words; None where no row fits."""
        args = invocation.args
        if self.subcommands:
            leading = replace(self.row.spec, stops_at_operand=True)
            before = arguments(args, leading)
            found = self._subcommand(before, leading)
            if found is not None:
                row, rest, before = found
                options = arguments(rest, row.spec)
                return Given(invocation, row, rest, options, self.row, before)
            if before.operands and self.row.words is None:
                return None
        return Given(invocation, self.row, args, arguments(args, self.row.spec))

    def _subcommand(
        self, before: Arguments, leading: Spec
    ) -> tuple[Row, tuple[Word, ...], Arguments] | None:
        """The longest sub-command that has a row, the words after it and the options before it."""
        path: list[str] = []
        rest = before.operands
        best: tuple[Row, tuple[Word, ...], Arguments] | None = None
        while rest and rest[0].value is not None:
            path.append(rest[0].text)
            rest = rest[1:]
            row = self._fitting(path)
            best = best if row is None else (row, rest, before)
            if not self._deeper(path):
                break
            if self.row.globals_anywhere:
                more = arguments(rest, leading)
                options, unclear = (
                    (*before.options, *more.options),
                    (*before.unclear, *more.unclear),
                )
                before, rest = Arguments(options, more.operands, unclear), more.operands
        return best

    def _fitting(self, words: list[str]) -> Row | None:
        """The row for exactly these words; one that names them before one with a pattern."""
        fits = [
            (rank, row)
            for path, row in self.subcommands.items()
            if len(path) == len(words) and (rank := _rank(path, words)) is not None
        ]
        return max(fits, key=lambda one: one[0])[1] if fits else None

    def _deeper(self, words: list[str]) -> bool:
        return any(
            len(path) > len(words) and _rank(path[: len(words)], words) is not None
            for path in self.subcommands
        )


def _rank(path: Path, words: list[str]) -> tuple[int, ...] | None:
    """How exactly the path names the words; None where it does not. A word that is named wins over
    a pattern, a longer pattern over a shorter one."""
    ranks: list[int] = []
    for part, word in zip(path, words, strict=True):
        fits = [len(p) for p in part if p.endswith("*") and word.startswith(p[:-1])]
        if word in part:
            ranks.append(_NAMED)
        elif fits and word[:1] != "-":
            ranks.append(max(fits))
        else:
            return None
    return tuple(ranks)


def _use(given: Given) -> Use:
    row = given.row
    if not given.invocation.args and row.bare is not None:
        return row.bare
    if len(given.args) == 1 and given.args[0].value in row.help:
        return READS
    use = _by_options(given)
    if _looks_only(given):
        use |= _by_words(given)
    elif row.develops or row.installs:
        use |= _developing(given)
    else:
        use |= row.base | _by_words(given)
    if use.effect & ~Effect.REMOTE_READ:
        return use | _checked(given)
    use |= _unproved(given)
    if (row.connects or use.effect & Effect.REMOTE_READ) and not given.invocation.literal:
        return use | unknown("it can connect, and an argument is only known when it runs")
    return use | _dashed(given) if use.effect or row.reads_with else use


def _looks_only(given: Given) -> bool:
    """Whether an option is there that makes it only read, and none of them says `=false`."""
    found = [one for one in given.options.options if one.name in given.row.reads_with]
    values = [one.value.text.casefold() if one.value else "" for one in found]
    return bool(found) and not any(value in ("false", "f", "0") for value in values)


def _dashed(given: Given) -> Use:
    """A value that looks like an option: where the option has no value after all, it is one."""
    for option in (*given.before.options, *given.options.options):
        text = option.value.text if option.value else ""
        if text[:1] == "-" and not text[1:].isdigit() and len(text) > 1:
            return unknown(f"`{printable(Word(text))}` may be an option")
    return READS


def _developing(given: Given) -> Use:
    """An ordinary step of development, as long as nothing before or after the sub-command leads out
    of the project."""
    row, invocation = given.row, given.invocation
    shape = Installs(row.foreign) if row.installs else Develops(row.foreign)
    use = shape(given.inner) | Use(row.base.effect & ~Effect.DEVELOPMENT, row.base.why)
    leading = invocation.args[: len(invocation.args) - len(given.args)]
    if ordinary(replace(invocation, args=leading)):
        return use
    return Use(use.effect & ~Effect.DEVELOPMENT, FOREIGN)


def _by_options(given: Given) -> Use:
    use = READS
    pairs = [(given.row, option) for option in given.options.options]
    if given.outer is not None:
        pairs += [(given.outer, option) for option in given.before.options]
    for row, option in pairs:
        key = row.effects.get(option.name)
        to_stream = key == "writes" and option.value and option.value.value in STREAMS
        if key is not None and not to_stream:
            use |= option_use(option.name, key)
    return use


def _kinds(given: Given) -> tuple[Kind, ...] | None:
    words = given.row.words
    return None if words is None else words.kinds(len(given.operands))


def _by_words(given: Given) -> Use:
    row = given.row
    kinds = _kinds(given)
    if kinds is None:
        if row.words is None and (row.base.effect & ~Effect.REMOTE_READ or not given.operands):
            return READS  # it is not harmless anyway, or there is nothing to know
        word = given.operands[-1]
        return unknown(f"`{row.name}` is not known to take `{printable(word)}`")
    use = READS
    for kind, word in zip(kinds, given.operands, strict=True):
        if not (kind is Kind.WRITES and word.value in STREAMS):
            use |= word_use(printable(word), kind)
    return use


def _unproved(given: Given) -> Use:
    """What speaks against a command that would only read: everything that is not known."""
    row, invocation = given.row, given.invocation
    if (unclear := _unclear(given)) is not READS:
        return unclear
    if row.at_files and any(word.text.startswith("@") for word in invocation.args):
        return unknown("`@file` brings options along")
    if row.loads and has_settings(invocation, row.loads):
        return Use(Effect.RUNS, f"it loads settings of this folder: {', '.join(row.loads[:3])}")
    return _checked(given)


def _checked(given: Given) -> Use:
    """What the row's check objects to, and the program's own check."""
    use = READS
    for row in (given.row, given.outer):
        if row is not None and row.check:
            use |= check_of(row.check)(given)
    return use


def _unclear(given: Given) -> Use:
    unclear = [*given.before.unclear, *given.options.unclear]
    if given.row.program:
        unclear = [*given.before.unclear]
    elif given.row.complete:
        # A word that is only known when it runs may be an option: none of them does harm.
        unclear = [one for one in unclear if one[:1] == "-" and "…" not in one]
    return unknown(f"option `{unclear[0]}` is not known to be harmless") if unclear else READS
