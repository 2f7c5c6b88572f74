"""What a check gets to see of a command, and how a file that a command touches is told."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from automode.programs.row import ANY, Kind, Row
from automode.programs.use import Effect, Invocation, Use
from automode.shell.options import Arguments
from automode.shell.script import Origin, Word


@dataclass(frozen=True, slots=True)
class Touch:
    """A file or folder as the command names it. The word may be known only when it runs."""

    kind: Kind | None  # None: it may be no file at all, or nobody knows what happens to it
    word: Word
    whole: bool = True  # of what is deleted or moved: with all below it. `rm` leaves folders


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A touched file with the folder that its name starts from. `kind` is None where nobody knows
    what the program does with its words: then the word may be no file at all."""

    kind: Kind | None
    word: Word
    cwd: str | None


NOTHING = Arguments((), ())
_ASKS = Effect.REMOTE_READ


@dataclass(frozen=True, slots=True)
class Given:
    """A command line taken apart by its row. For a sub-command `args` are the words after it,
    `outer` is the program's row, and `before` are the options in front of the sub-command."""

    invocation: Invocation
    row: Row
    args: tuple[Word, ...]
    options: Arguments
    outer: Row | None = None
    before: Arguments = NOTHING

    @property
    def operands(self) -> tuple[Word, ...]:
        return self.options.operands

    @property
    def reads_with(self) -> bool:
        """Whether an option is there that makes it only read, and none of them says `=false`. An
        option of the program counts where it may stand after the sub-command too: `apt-get -s
        install` is `apt-get install -s`. A number is the most operands that it only reads with."""
        names = self.row.reads_with
        anywhere = self.outer is not None and self.outer.globals_anywhere
        options = (*(self.before.options if anywhere else ()), *self.options.options)
        values = [o.value.text.casefold() if o.value else "" for o in options if o.name in names]
        few = any(name.isdigit() and len(self.operands) <= int(name) for name in names)
        if few and not any(word.splits or word.origin is Origin.GLOB for word in self.operands):
            return True
        return ANY in names or (bool(values) and not {"false", "f", "0"} & {*values})

    @property
    def would_read(self) -> bool:
        """Whether it only reads, unless something speaks against it."""
        return self.reads_with or not (self.row.reads_with or self.row.base.effect & ~_ASKS)

    @property
    def verb(self) -> str:
        """The last word of the sub-command."""
        return self.invocation.args[-len(self.args) - 1].text

    @property
    def kinds(self) -> tuple[Kind, ...] | None:
        """The kind of each operand; None where the row does not tell."""
        words = self.row.words
        keys = {self.row.effects.get(option.name) for option in self.options.options}
        if words is not None and keys & {"code", "scripts"}:
            words = words.without_code()
        return None if words is None else words.kinds(len(self.operands))

    @property
    def code(self) -> tuple[str, ...] | None:
        """The code on the command line, in options and in operands; None where it is not known."""
        effects = self.row.effects
        words = [one.value for one in self.options.options if effects.get(one.name) == "code"]
        kinds = zip(self.kinds or (), self.operands, strict=False)
        words += [word for kind, word in kinds if kind is Kind.CODE]
        texts = [word.value for word in words if word is not None and word.value is not None]
        return tuple(texts) if len(texts) == len(words) else None

    @property
    def inner(self) -> Invocation:
        """The command as its sub-command sees it."""
        return replace(self.invocation, args=self.args)


def option_touches(given: Given) -> Iterator[Touch]:
    """The files that options of the command name."""
    for option in given.options.options:
        kind = _BY_OPTION.get(given.row.effects.get(option.name, ""))
        if option.value is not None and kind is not None:
            yield Touch(kind, option.value)


_BY_OPTION = {
    "scripts": Kind.RUNS,
    **{kind.value: kind for kind in (Kind.READS, Kind.LISTS, Kind.WRITES, Kind.DELETES, Kind.RUNS)},
}

Check: TypeAlias = Callable[[Given], Use]
"""Says what speaks against a command that its row would prove. It can only object."""

Language: TypeAlias = Callable[[Given, tuple[str, ...]], Use]
"""Says what code on a command line does. It can only object."""

TouchedBy: TypeAlias = Callable[[Given], Iterator[Touch]]
