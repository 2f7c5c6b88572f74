"""A program of the table: finds the row of a command line, and says what the command does."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from automode.core.paths import absolute
from automode.programs.checks import check_of, harmless_of, touches_of
from automode.programs.development import FOREIGN, Develops, Installs, ordinary
from automode.programs.row import STREAMS, Kind, Row, option_use, word_use
from automode.programs.rows import printable
from automode.programs.settings_above import has_settings, project_code
from automode.programs.touch import NOTHING, Given, Touch
from automode.programs.use import READS, Effect, Invocation, Use, unknown
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import Word

Path: TypeAlias = tuple[tuple[str, ...], ...]
"""The words of a sub-command, each with its alternatives; `list-*` is any word that starts so."""


ANY = "*"
"""Under `reads-with`: no option is needed for it to only read."""

_TOUCHING = frozenset({Kind.READS, Kind.LISTS, Kind.WRITES, Kind.DELETES, Kind.RUNS})


@dataclass(frozen=True, slots=True)
class Program:
    row: Row
    subcommands: Mapping[Path, Row] = field(default_factory=dict)

    def __call__(self, invocation: Invocation) -> Use:
        """What the command does: what its row says, plus what its check objects to."""
        if len(invocation.args) == 1 and invocation.args[0].value in self.row.help:
            return _loading(Given(invocation, self.row, invocation.args, NOTHING))
        given = self.given(invocation)
        if given is None:
            verb = next((w for w in invocation.args if w.text[:1] != "-"), Word("…"))
            return unknown(f"`{invocation.name} {printable(verb)}` is not known to only read")
        return _use(given)

    def touches(self, invocation: Invocation) -> Iterator[Touch]:
        """The files that the command reads, writes, moves or removes, as far as the row tells."""
        given = self.given(invocation)
        if given is None:
            return
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
    """How exactly the path names the words; None where it does not."""
    ranks: list[int] = []
    for part, word in zip(path, words, strict=True):
        if word in part:
            ranks.append(2)
        elif any(p.endswith("*") and word.startswith(p[:-1]) for p in part) and word[:1] != "-":
            ranks.append(1)
        else:
            return None
    return tuple(ranks)


def _use(given: Given) -> Use:
    row = given.row
    if not given.invocation.args and row.bare is not None:
        return row.bare
    use = _by_options(given)
    if given.before.unclear:
        # An unknown option before the sub-command may swallow the next word and the meaning.
        return use | unknown(f"option `{given.before.unclear[0]}` is not known to be harmless")
    if len(given.args) == 1 and given.args[0].value in row.help:
        return use | _loading(given)
    if row.reads_with and (ANY in row.reads_with or given.options.has(*row.reads_with)):
        reading = use | _by_words(given)
        reading |= READS if reading.effect & ~Effect.REMOTE_READ else _unproved(given)
        if not reading.effect & ~Effect.REMOTE_READ or not row.develops:
            return reading
    if row.develops or row.installs:
        return use | _development(given)
    # Where an option would make it read, the words are those of reading.
    use |= row.base if row.reads_with else row.base | _by_words(given)
    if use.effect & ~Effect.REMOTE_READ:
        return use if not row.check else use | check_of(row.check)(given)
    return use | _unproved(given)


def _development(given: Given) -> Use:
    """A step of development. What a check objects to is not an ordinary one."""
    row, invocation = given.row, given.invocation
    shape = Installs(row.foreign) if row.installs else Develops(row.foreign)
    use = shape(given.inner)
    leading = invocation.args[: len(invocation.args) - len(given.args)]
    if not ordinary(replace(invocation, args=leading), row.foreign):
        use = Use(use.effect & ~Effect.DEVELOPMENT, FOREIGN)
    use |= Use(row.base.effect & ~Effect.DEVELOPMENT, row.base.why)
    objection = check_of(row.check)(given) if row.check else READS
    if objection is READS:
        return use
    both = use.effect & objection.effect & Effect.DEVELOPMENT
    return Use((use.effect | objection.effect) & ~Effect.DEVELOPMENT | both, objection.why)


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
        return unknown(f"`{given.invocation.name}` is not known to take `{printable(word)}`")
    use = READS
    for kind, word in zip(kinds, given.operands, strict=True):
        if not (kind is Kind.WRITES and word.value in STREAMS):
            use |= word_use(printable(word), kind)
    return use


def _unproved(given: Given) -> Use:
    """What speaks against a command that would only read: everything that is not known."""
    row, invocation = given.row, given.invocation
    unclear = list(given.options.unclear)
    if row.complete:
        # A word that is only known when it runs may be an option: none of them does harm.
        unclear = [one for one in unclear if one[:1] == "-" and "…" not in one]
    if unclear:
        return unknown(f"option `{unclear[0]}` is not known to be harmless")
    if row.optional_values and (swallowed := _dashed_value(given)):
        return unknown(f"`{swallowed}` may be an option")
    if (row.connects or row.base.effect & Effect.REMOTE_READ) and not invocation.literal:
        return unknown("it can connect, and an argument is only known when it runs")
    if row.at_files and any(word.text.startswith("@") for word in invocation.args):
        return unknown("`@file` brings options along")
    use = _loading(given)
    return check_of(row.check)(given) if row.check and use is READS else use


def _dashed_value(given: Given) -> str | None:
    """A word that is taken for the value of the option before it, and looks like an option."""
    for option in (*given.before.options, *given.options.options):
        value = option.value
        own = value is not None and any(value is word for word in given.invocation.args)
        if value is not None and own and len(value.text) > 1 and value.text.startswith("-"):
            return printable(value)
    return None


def _loading(given: Given) -> Use:
    """Settings of the folder that are not known to be harmless make a look run the project."""
    invocation, folders = given.invocation, []
    for option in (*given.before.options, *given.options.options):
        if option.name in given.row.folder:
            value = option.value.value if option.value else None
            if value is None or value[:1] == "~" or invocation.command.cwd is None:
                return unknown(f"the folder of `{option.name}` is not known")
            folders.append(absolute(value, invocation.command.cwd))
    for name, _, function in (one.partition(":") for one in given.row.loads):
        harmless = harmless_of(function) if function else None
        if has_settings(invocation, (name,), harmless, tuple(folders)):
            return project_code(invocation, READS, f"it loads `{name}` of this folder")
    return READS
