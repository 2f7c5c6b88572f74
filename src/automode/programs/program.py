"""A program of the table: finds the row of a command line, and says what the command does."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from automode.programs.checks import touches_of
from automode.programs.deeds import deeds_in, said
from automode.programs.glob_words import settled
from automode.programs.loading import loading
from automode.programs.proof import objections, use_of, use_of_options, use_of_other
from automode.programs.row import Kind, Row
from automode.programs.touch import NOTHING, Given, Touch, option_touches
from automode.programs.use import READS, Invocation, Use, printable, unknown
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import Word

Path: TypeAlias = tuple[tuple[str, ...], ...]
"""The words of a sub-command, each with its alternatives; `list-*` is any word that starts so."""


_NAMED = 1_000
"""The rank of a word that a row names; that of a pattern is its length."""


class _Found(NamedTuple):
    """The row of a command line. Of a sub-command: the words after it, the options before it, and
    its own words."""

    row: Row
    rest: tuple[Word, ...]
    before: Arguments = NOTHING
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    row: Row
    subcommands: Mapping[Path, Row] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    family: Mapping[str, "Program"] = field(default_factory=dict, repr=False, compare=False)
    _first: Mapping[str, Mapping[Path, Row]] = field(init=False, repr=False, compare=False)
    _leading: Spec = field(init=False, repr=False, compare=False)  # up to the sub-command

    def __post_init__(self) -> None:
        """Sub-commands by the first word that they name; under `*` those with a pattern there."""
        first: dict[str, dict[Path, Row]] = {"*": {}}
        for path, row in self.subcommands.items():
            for word in path[0]:
                first.setdefault("*" if word.endswith("*") else word, {})[path] = row
        object.__setattr__(self, "_first", first)
        object.__setattr__(self, "_leading", replace(self.row.spec, stops_at_operand=True))

    def __call__(self, invocation: Invocation) -> Use:
        """What the command does: what its row says, plus what its check objects to."""
        return self.use(invocation, self.given(invocation))

    def use(self, invocation: Invocation, given: Given | None) -> Use:
        """The same for a command line that was taken apart before."""
        if self._helps(invocation.args):
            helping = Given(invocation, self.row, invocation.args, NOTHING)
            # The help of a sub-command may come from another program.
            asked = objections(helping) if len(invocation.args) > 1 else READS
            return loading(helping) | asked
        if given is None:
            verb = next((w for w in invocation.args if w.text[:1] != "-"), Word("…"))
            use = unknown(f"`{invocation.name} {printable(verb)}` is not known to only read")
            leading = arguments(invocation.args, self._leading)
            unnamed = Given(invocation, self.row, invocation.args, leading)
            return use | use_of_options(unnamed) | objections(unnamed)
        if given.row.program:
            return use_of_other(given, self._other(given.row, given.verb)(given.inner))
        return use_of(given)

    def touches(self, given: Given | None) -> Iterator[Touch]:
        """The files that the command reads, writes, moves or removes, as far as the row tells."""
        if given is None:
            return
        if given.row.program:
            other = self._other(given.row, given.verb)
            yield from other.touches(other.given(given.inner))
            return
        if given.options.unclear and not given.row.spec.abbreviates:
            given = replace(given, options=arguments(given.args, given.row.loose_spec))
        for touch in _touches(given):
            written = touch.kind in (Kind.WRITES, Kind.DELETES, Kind.MOVES)
            if touch.word.value != "-" or (written and not given.row.dash):
                yield touch

    @property
    def always(self) -> tuple[str, ...]:
        """What the program is to the judge, whatever its words are."""
        return self.row.always

    def deeds(self, args: tuple[Word, ...]) -> Iterator[str]:
        """What its words make the command to the judge. The lines of the program's row hold for all
        its sub-commands."""
        found = self._found(args) or _Found(self.row, args)
        options = arguments(found.rest, found.row.loose_spec)
        yield from deeds_in(self.row.deeds, said(found.path, found.rest, options, found.before))
        if found.path:
            yield from found.row.always
            before = found.before if self.row.globals_anywhere else NOTHING
            yield from deeds_in(found.row.deeds, said((), found.rest, options, before))
        elif self.subcommands and options.unclear and options.operands:
            # The first word may belong to an option that nobody knows.
            left = replace(options, operands=options.operands[1:])
            yield from deeds_in(self.row.deeds, said((), found.rest, left))
        if found.row.program:
            other = self._other(found.row, found.path[-1])
            yield from (*other.always, *other.deeds(found.rest))

    def _other(self, row: Row, verb: str) -> "Program":
        """The program that the words after the sub-command are meant for."""
        return self.family[verb if row.program == "*" else row.program]

    def _helps(self, args: tuple[Word, ...]) -> bool:
        """Whether it only prints help: a word of `help` alone, or one of `verb-help` after words of
        a sub-command that is named. After any other word it may be the help of another program."""
        if len(args) == 1:
            return args[0].value in self.row.help | self.row.verb_help
        if not args or args[-1].value not in self.row.verb_help:
            return False
        words = [word.value or "-" for word in args[:-1]]
        return any(
            all(word in part for word, part in zip(words, path, strict=False))
            for path in self.subcommands
            if len(path) >= len(words)
        )

    def given(self, invocation: Invocation) -> Given | None:
        """The row of this command line and its words; None where no row fits."""
        invocation = settled(invocation)
        found = self._found(invocation.args)
        if found is None:
            return None
        outer = self.row if found.path else None
        options = arguments(found.rest, found.row.spec)
        return Given(invocation, found.row, found.rest, options, outer, found.before)

    def _found(self, args: tuple[Word, ...]) -> "_Found | None":
        if not self.subcommands:
            return _Found(self.row, args)
        before = arguments(args, self._leading)
        found = self._subcommand(before)
        if found is None and before.operands and self.row.words is None:
            return None
        return found or _Found(self.row, args)

    def _subcommand(self, before: Arguments) -> "_Found | None":
        """The longest sub-command that has a row."""
        path: list[str] = []
        rest = before.operands
        best: _Found | None = None
        while rest and rest[0].value is not None:
            path.append(rest[0].text)
            rest = rest[1:]
            row = self._fitting(path)
            best = best if row is None else _Found(row, rest, before, tuple(path))
            if not self._deeper(path):
                break
            if self.row.globals_anywhere:
                more = arguments(rest, self._leading)
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
            for path, row in self._starting(words[0])
            if len(path) == len(words) and (rank := _rank(path, words)) is not None
        ]
        return max(fits, key=lambda one: one[0])[1] if fits else None

    def _deeper(self, words: list[str]) -> bool:
        return any(
            len(path) > len(words) and _rank(path[: len(words)], words) is not None
            for path, _ in self._starting(words[0])
        )

    def _starting(self, word: str) -> Iterator[tuple[Path, Row]]:
        yield from self._first.get(word, {}).items()
        yield from self._first["*"].items()


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


def _touches(given: Given) -> Iterator[Touch]:
    if given.row.touches:
        yield from touches_of(given.row.touches)(given)
        return
    yield from option_touches(given)
    kinds = given.kinds
    if kinds is None:
        kinds = (Kind.ANY if given.row.words is None else Kind.TEXT,) * len(given.operands)
    for kind, word in zip(kinds, given.operands, strict=True):
        if kind not in (Kind.TEXT, Kind.HOST, Kind.CODE):
            yield Touch(kind, word)
