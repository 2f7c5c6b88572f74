"""The sub-commands of a program: which row a command line has, and whether anybody can tell."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from automode.programs.row import NOTHING, Row
from automode.shell.options import Arguments, Spec, arguments, may_split
from automode.shell.script import HOLE, Word

Path: TypeAlias = tuple[tuple[str, ...], ...]
"""The words of a sub-command, each with its alternatives; `list-*` is any word that starts so."""


_UNKNOWN_PART = re.compile(rf"[{HOLE}*?\[]")
_NAMED = 1_000
"""The rank of a word that a row names; that of a pattern is its length."""


class Found(NamedTuple):
    """The row of a command line. Of a sub-command: the words after it, the options before it, and
    its own words."""

    row: Row
    rest: tuple[Word, ...]
    before: Arguments = NOTHING
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Subcommands:
    row: Row  # of the program
    rows: Mapping[Path, Row]
    leading: Spec = field(init=False, repr=False, compare=False)  # up to the sub-command
    _first: Mapping[str, Mapping[Path, Row]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """By the first word that they name; under `*` those with a pattern there."""
        first: dict[str, dict[Path, Row]] = {"*": {}}
        for path, row in self.rows.items():
            for word in path[0]:
                first.setdefault("*" if word.endswith("*") else word, {})[path] = row
        object.__setattr__(self, "_first", first)
        object.__setattr__(self, "leading", replace(self.row.spec, stops_at_operand=True))

    def find(self, args: tuple[Word, ...]) -> Found | None:
        if not self.rows:
            return Found(self.row, args)
        before = arguments(args, self.leading)
        found = self._subcommand(before)
        if found is None and before.operands and self.row.words is None:
            return None
        return found or Found(self.row, args)

    def _subcommand(self, before: Arguments) -> Found | None:
        """The longest sub-command that has a row."""
        path: list[str] = []
        rest = before.operands
        best: Found | None = None
        while rest and rest[0].value is not None:
            path.append(rest[0].text)
            rest = rest[1:]
            row = self._fitting_row(path)
            best = best if row is None else Found(row, rest, before, tuple(path))
            if not self._deeper(path):
                break
            if self.row.globals_anywhere:
                more = arguments(rest, self.leading)
                options, unclear = (
                    (*before.options, *more.options),
                    (*before.unclear, *more.unclear),
                )
                before, rest = Arguments(options, more.operands, unclear), more.operands
        return best

    def hides_verb(self, args: tuple[Word, ...]) -> bool:
        """Whether a word that is only known when it runs stands where a sub-command is told."""
        if not self.rows or self.row.words is not None:
            return False
        operands = arguments(args, self.leading).operands
        if any(map(may_split, args[: len(args) - len(operands)])):
            return True  # `npm --prefix $x test`: it may bring a sub-command of its own
        if self.row.globals_anywhere:
            operands = arguments(args, self.row.spec).operands
        path: list[str] = []
        for word in operands:
            if path and not self._deeper(path):
                return False
            if word.value is None:
                return not word.plain and (not path or self._may_go_on(path, word))
            path.append(word.text)
        return False

    def _may_go_on(self, words: list[str], word: Word) -> bool:
        """Whether the word may be the next one of a longer sub-command: `stash@{…}` is none."""
        start = _UNKNOWN_PART.split(word.text)[0]
        return any(
            one.startswith(start) or start.startswith(one.removesuffix("*"))
            for path, _ in self._rows_starting(words[0])
            if len(path) > len(words) and _rank(path[: len(words)], words) is not None
            for one in path[len(words)]
        )

    def _fitting_row(self, words: list[str]) -> Row | None:
        """The row for exactly these words; one that names them before one with a pattern."""
        fits = [
            (rank, row)
            for path, row in self._rows_starting(words[0])
            if len(path) == len(words) and (rank := _rank(path, words)) is not None
        ]
        return max(fits, key=lambda one: one[0])[1] if fits else None

    def _deeper(self, words: list[str]) -> bool:
        return any(
            len(path) > len(words) and _rank(path[: len(words)], words) is not None
            for path, _ in self._rows_starting(words[0])
        )

    def _rows_starting(self, word: str) -> Iterator[tuple[Path, Row]]:
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
