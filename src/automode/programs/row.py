"""One row of the table: what a program, or one of its sub-commands, does with its words.

A row is a list of what is known. An option, a word or a sub-command that no row names is unknown,
and unknown is never harmless.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from automode.programs.deeds import Deeds
from automode.programs.use import READS, Effect, Invocation, Use
from automode.shell.options import Arguments, Spec
from automode.shell.script import Origin, Word


class Kind(StrEnum):
    """What a word, or the value of an option, is to the program."""

    TEXT = "text"  # data: a pattern, a number, a format, the name of something that is no file
    NAMES = "names"  # a path that is looked up or listed; its contents are not read
    READS = "reads"  # a file that is read
    TREE = "tree"  # a file, or a folder that is read with all that lies below it
    LISTS = "lists"  # a file that holds the names of files to read
    WRITES = "writes"  # a file that is created or changed
    DELETES = "deletes"  # a path that is removed
    MOVES = "moves"  # a path that goes away and comes up elsewhere
    RUNS = "runs"  # a program or a script that is started
    HOST = "host"  # a machine or an address that it connects to
    CODE = "code"  # text in the row's language; a file, where an option holds the code
    ANY = "any"  # what the code that it runs makes of it: a file, perhaps


PROGRAM_KINDS: Mapping[str, str] = {
    "names-only": "prints names, sizes and kinds of files",
    "no-contents": "prints nothing out of the files whose names it is given",
    "interpreter": "runs the script that it is given",
    "tester": "runs the tests that it is given",
    "launcher": "starts the program that it is given, out of packages",
    "checker": "looks at files or formats them: to hand it one is not to run it",
    "client": "does what a service offers; what is not known to read may do anything there",
    "file-tool": "works on texts and files: where it starts a program, that is a way around",
    "downloader": "is given addresses and fetches what lies there",
    "remover": "deletes what it is given",
    "copier": "copies files",
    "packer": "packs files",
    "searcher": "looks for files or for texts in them",
    "package-manager": "fetches from the registry that it is set up for",
}
"""What a program is, for layers that ask for a whole kind."""

EFFECTS: Mapping[str, Effect] = {
    "reads": Effect.NONE,
    "contents": Effect.NONE,
    "summary": Effect.NONE,
    "code": Effect.NONE,
    "scripts": Effect.UNKNOWN,
    "lists": Effect.UNKNOWN,
    "writes": Effect.WRITES,
    "deletes": Effect.WRITES,
    "moves": Effect.WRITES,
    "runs": Effect.RUNS,
    "network": Effect.NETWORK,
    "remote-read": Effect.REMOTE_READ,
    "remote-write": Effect.REMOTE_WRITE,
    "secrets": Effect.SECRETS,
    "system": Effect.SYSTEM,
    "develops": Effect.DEVELOPMENT | Effect.RUNS,
    "installs": Effect.RUNS | Effect.WRITES | Effect.NETWORK,
    "unknown": Effect.UNKNOWN,
}
"""The words that a row uses for what happens, and what they mean to the layers."""

_BY_OPTION = {
    "scripts": "takes its code from a file",
    "lists": "takes the names of files from a file",
    "writes": "writes a file",
    "deletes": "deletes files",
    "runs": "runs another program or code",
    "network": "connects to another machine",
    "remote-read": "asks a service",
    "remote-write": "changes something on another machine",
    "secrets": "prints a credential",
    "system": "changes the running system",
    "unknown": "is not known to be harmless",
}
OPTION_KEYS = ("reads", "contents", "summary", "code", *_BY_OPTION)
"""Keys of a row that list options by what they do. Those under `options` change only output."""

_BY_WORD = {
    Kind.LISTS: "lists",
    Kind.WRITES: "writes",
    Kind.DELETES: "deletes",
    Kind.MOVES: "moves",
    Kind.RUNS: "runs",
    Kind.HOST: "network",
}


@dataclass(frozen=True, slots=True)
class Words:
    """The kinds of the operands, in order. `many` may stand any number of times, between the
    fixed ones before and after it."""

    before: tuple[Kind, ...] = ()
    many: Kind | None = None
    after: tuple[Kind, ...] = ()

    def kinds(self, count: int) -> tuple[Kind, ...] | None:
        """The kind of each of `count` operands; None where there are too many. Too few are for
        the program to complain about."""
        fixed = len(self.before) + len(self.after)
        if count >= fixed:
            if count > fixed and self.many is None:
                return None
            middle = (self.many,) * (count - fixed) if self.many is not None else ()
            return (*self.before, *middle, *self.after)
        kept = max(count - len(self.after), 0)
        return (*self.before[:kept], *self.after)[:count]

    @property
    def repeats_harmlessly(self) -> bool:
        """Whether any number of operands is known, and none of them does harm."""
        return self.many is not None and not _BY_WORD.keys() & {
            *self.before,
            self.many,
            *self.after,
        }

    def without_code(self) -> "Words":
        """The words of a command line whose code stands in an option."""
        before = tuple(kind for kind in self.before if kind is not Kind.CODE)
        return Words(before, None if self.many is Kind.CODE else self.many, self.after)

    @classmethod
    def parse(cls, text: str) -> "Words":
        before: list[Kind] = []
        after: list[Kind] = []
        many: Kind | None = None
        for word in text.split():
            kind = Kind(word.removesuffix("*"))
            if word.endswith("*") and many is not None:
                raise ValueError("two kinds repeat")
            if word.endswith("*"):
                many = kind
            elif many is None:
                before.append(kind)
            else:
                after.append(kind)
        return cls(tuple(before), many, tuple(after))


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line of `refuses`: it holds where a word of `places` is `like` the one pattern or not
    `unlike` the other, without a pattern where there is such a word, without places always."""

    use: Use
    places: tuple[str, ...] = ()  # words of REFUSED_PLACES, or options whose values are meant
    like: str | None = None  # searched in the text of a word
    unlike: str | None = None  # has to match the whole value, which has to be known
    unknown: bool = False  # a word that is only known when it runs counts, too
    numbers: bool = False  # a number is fine although it is not known which
    past: int = 0  # so many words do not count
    needs: bool = False  # it holds where no word is there, too
    bare: bool = False  # the option without a value counts, too
    given: frozenset[str] = frozenset()  # only with one of these options
    unless: frozenset[str] = frozenset()  # not with one of these


REFUSED_PLACES = frozenset("operands first args line verb values".split())


@dataclass(frozen=True, slots=True)
class Row:
    """See docs/contributing/programs.md for what each key of a row means."""

    name: str  # `sort`, `gh pr view`
    base: Use = READS  # what it does whatever its options are
    develops: bool = False  # an ordinary step of development, as long as it stays in the project
    installs: bool = False  # the same for packages that the project declares
    contents: bool = False  # it prints what the files hold that it keeps the versions of
    reads_with: frozenset[str] = frozenset()  # one of these options makes it only read; `*`: none
    everyday: frozenset[str] | None = None  # with no other options it is a step of development
    bare: Use | None = None  # what it does without any argument
    help: frozenset[str] = frozenset()  # each of these, as the only argument, only prints
    verb_help: frozenset[str] = frozenset()  # the same after each sub-command
    help_first: bool = False  # it prints help before it loads anything of the project
    words: Words | None = None  # None: any operand, for a row that is not harmless anyway
    spec: Spec = field(default_factory=Spec)
    effects: Mapping[str, str] = field(default_factory=dict)  # option to a key of EFFECTS
    language: str = ""  # a function of `checks.languages` that judges its code
    script: bool = False  # the first operand is a script, and what follows belongs to that
    foreign: frozenset[str] = frozenset()  # options that bring code from outside the project
    optional_values: bool = False  # after an option, `-x` may be an option and not its value
    complete: bool = False  # every option is listed, and but for `lists` none does harm
    connects: bool = False  # it can resolve a name or connect
    at_files: bool = False  # `@file` stands for the words in that file
    loads: tuple[str, ...] = ()  # files of the project whose contents steer it: `NAME:function`
    opens: tuple[str, ...] = ()  # files of the project that it opens, which cannot steer it
    folder: frozenset[str] = frozenset()  # options that name the folder it works in
    settings: frozenset[str] | None = None  # parts of the program's settings that steer it
    dash: bool = False  # `-` as the file that is written is the output
    globals_anywhere: bool = False  # its options may stand after the sub-command too
    refuses: tuple[Refusal, ...] = ()  # what speaks against it; the first that holds counts
    check: str = ""  # a function of `checks` that may add objections
    program: str = ""  # the words after the sub-command are those of this program
    always: tuple[str, ...] = ()  # the deeds that it is to the judge, whatever follows
    deeds: Deeds = ()  # those that its words and options make it
    touches: str = ""  # a function of `checks` that names the files, where words do not tell
    # An abbreviated option proves nothing, but it may name a file, or say what is done.
    loose_spec: Spec = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        loose = self.spec if self.spec.abbreviates else replace(self.spec, abbreviates=True)
        object.__setattr__(self, "loose_spec", loose)


def option_use(name: str, key: str) -> Use:
    effect = EFFECTS[key]
    return Use(effect, f"`{name}` {_BY_OPTION[key]}") if effect else READS


def word_use(text: str, kind: Kind) -> Use:
    key = _BY_WORD.get(kind)
    if key is None:
        return READS
    verb = {"lists": "reads the files that it lists:", "network": "connects to"}.get(key, key)
    return Use(EFFECTS[key], f"{verb} `{text}`")


ANY = "*"
"""Under `reads-with`: no option is needed for it to only read."""

STREAMS = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"))
"""Writing to these changes no file."""


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


@dataclass(frozen=True)
class Given:
    """A command line taken apart by its row. For a sub-command `args` are the words after it,
    `outer` is the program's row, and `before` are the options in front of the sub-command."""

    invocation: Invocation
    row: Row
    args: tuple[Word, ...]
    options: Arguments
    outer: Row | None = None
    before: Arguments = NOTHING

    @cached_property
    def operands(self) -> tuple[Word, ...]:
        return self.options.operands

    @cached_property
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

    @cached_property
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


def option_touches(given: Given, besides: Collection[str] = ()) -> Iterator[Touch]:
    """The files that options of the command name."""
    for option in given.options.options:
        kind = _TOUCHED_BY_OPTION.get(given.row.effects.get(option.name, ""))
        if option.value is not None and kind is not None and option.name not in besides:
            yield Touch(kind, option.value)


_TOUCHED_BY_OPTION = {
    "scripts": Kind.RUNS,
    **{kind.value: kind for kind in (Kind.READS, Kind.LISTS, Kind.WRITES, Kind.DELETES, Kind.RUNS)},
}

Check: TypeAlias = Callable[[Given], Use]
"""Says what speaks against a command that its row would prove. It can only object."""

Language: TypeAlias = Callable[[Given, tuple[str, ...]], Use]
"""Says what code on a command line does. It can only object."""

TouchedBy: TypeAlias = Callable[[Given], Iterator[Touch]]
