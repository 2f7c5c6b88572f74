"""Takes a command line apart the way getopt does, as far as the words are known.

Two families cover nearly every program: GNU style (`-abc`, `--long=value`, abbreviated long
options, options after operands) and single-dash style (`-name value`, as terraform and java use).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from automode.shell.script import HOLE, Origin, Word


@dataclass(frozen=True, slots=True)
class Option:
    name: str  # `-n` or `--lines`, the full long name where the spec knows it
    value: Word | None = None


@dataclass(frozen=True, slots=True)
class Arguments:
    options: tuple[Option, ...]
    operands: tuple[Word, ...]
    unclear: tuple[str, ...] = ()
    """Options the spec does not list, and words that may or may not be options."""

    def has(self, *names: str) -> bool:
        return any(option.name in names for option in self.options)

    def value(self, *names: str) -> Word | None:
        """The value of the last of `names`, None when absent."""
        return next((o.value for o in reversed(self.options) if o.name in names), None)


@dataclass(frozen=True, slots=True)
class Spec:
    """The options a program knows. Short options are letters; long ones carry their dashes.

    `flags` and `long_flags` take no value, `values` and `long_values` take one, `maybe` and
    `long_maybe` take one only when it is glued on (`-i.bak`, `--color=auto`). `long_pairs` take
    two, of which the second is the value (`--arg NAME VALUE`).
    """

    flags: str = ""
    values: str = ""
    maybe: str = ""
    long_flags: Collection[str] = ()
    long_values: Collection[str] = ()
    long_maybe: Collection[str] = ()
    long_pairs: Collection[str] = ()
    single_dash: bool = False  # `-name` is one option, not four letters
    stops_at_operand: bool = False  # options after the first operand belong to someone else
    ends: Collection[str] = ()  # options after which all words belong to someone else
    only_words: bool = False  # it has no options: a word with a dash is a word
    numbers: bool = False  # `-20` is a count
    abbreviates: bool = True  # `--li` may stand for `--lines`; else `--fix` is never `--fixable`
    glues: bool = True  # `-ofile`; else what follows a letter with a value may be more letters
    sure_names: bool = False  # `--since="$day"` is surely that option, whatever the day is
    cmdlet: bool = False  # PowerShell's own: `-Name value`, `-Name:value`, `-Na` for `-Name`

    def long(self, typed: str) -> tuple[str, str] | None:
        """Full name and kind of a long option, also when abbreviated."""
        kinds = (
            (self.long_flags, "flag"),
            (self.long_values, "value"),
            (self.long_maybe, "maybe"),
            (self.long_pairs, "pair"),
        )
        for names, kind in kinds:
            if typed in names:
                return typed, kind
        if (self.single_dash and not self.cmdlet) or not self.abbreviates:
            return None
        found = [(name, kind) for names, kind in kinds for name in names if name.startswith(typed)]
        return found[0] if len(found) == 1 else None


def may_split(word: Word) -> bool:
    """Whether an unquoted expansion may turn this word into several, options among them."""
    return word.splits and not word.plain


def perhaps_several(word: Word) -> bool:
    """Whether the shell may put more than one word in this one's place."""
    if word.origin is Origin.LITERAL:
        return False
    return word.splits or word.origin is Origin.GLOB or any(c in word.text for c in "*?[")


def _names_option(word: Word) -> bool:
    """Whether only the value of an option is unknown: `--since="$day"`."""
    name, equals, _ = word.text.partition("=")
    whole = word.origin is not Origin.LITERAL and not word.splits and equals
    return bool(whole) and name.startswith("--") and HOLE not in name


class _Reader:
    def __init__(self, args: Sequence[Word], spec: Spec) -> None:
        self.words: Iterator[Word] = iter(args)
        self.spec = spec
        self.options: list[Option] = []
        self.operands: list[Word] = []
        self.unclear: list[str] = []

    def read(self) -> Arguments:
        if self.spec.only_words:
            self.operands.extend(self.words)
        for word in self.words:
            text = word.text
            if text == "--" and word.value is not None:
                self.operands.extend(self.words)
            elif self.spec.sure_names and _names_option(word):
                self.long(word)
            elif word.origin is not Origin.LITERAL and (word.could_be_flag or may_split(word)):
                self.unclear.append(text.replace(HOLE, "…"))
                self.operands.append(word)
            elif len(text) < 2 or text[0] != "-" or (self.spec.cmdlet and word.plain):
                self.operands.append(word)
                if self.spec.stops_at_operand:
                    self.operands.extend(self.words)
            else:
                self.option(word)
        return Arguments(tuple(self.options), tuple(self.operands), tuple(self.unclear))

    def option(self, word: Word) -> None:
        text = word.text
        if text.startswith("--") or self.spec.single_dash:
            self.long(word)
        elif self.spec.numbers and text[1:].isdigit():
            self.options.append(Option("-#", Word(text[1:])))
        else:
            self.shorts(word)
        if self.options and self.options[-1].name in self.spec.ends:
            self.operands.extend(self.words)

    def long(self, word: Word) -> None:
        name, equals, glued = word.text.partition(":" if self.spec.cmdlet else "=")
        known = self.spec.long(name)
        value = Word(glued, word.origin) if equals else None
        if known is None:
            self.unclear.append(name.replace(HOLE, "…"))
            self.options.append(Option(name, value))
        elif known[1] in ("value", "pair") and value is None:
            if known[1] == "pair":
                self.next_value()
            self.options.append(Option(known[0], self.next_value()))
        elif known[1] in ("flag", "pair") and value is not None and not self.spec.cmdlet:
            self.unclear.append(word.text.replace(HOLE, "…"))
            self.options.append(Option(known[0], value))
        else:
            self.options.append(Option(known[0], value))

    def next_value(self) -> Word | None:
        """The next word as the value of an option."""
        word = next(self.words, None)
        globs = word is not None and word.origin is Origin.GLOB and not self.spec.cmdlet
        if word is not None and (may_split(word) or globs):
            self.unclear.append(word.text.replace(HOLE, "…"))
        return word

    def may_glue(self, value: str) -> bool:
        """Whether this is surely the value of the letter before it, or nothing. After a number any
        program is done with the word."""
        return self.spec.glues or not value or (value.isascii() and value.isdigit())

    def shorts(self, word: Word) -> None:
        rest = word.text[1:]
        while rest:
            letter, rest = rest[0], rest[1:]
            if letter in self.spec.values + self.spec.maybe and not self.may_glue(rest):
                self.unclear.append(word.text.replace(HOLE, "…"))
            if letter in self.spec.values:
                glued = Word(rest, word.origin) if rest else self.next_value()
                self.options.append(Option(f"-{letter}", glued))
                return
            if letter in self.spec.maybe:
                self.options.append(Option(f"-{letter}", Word(rest, word.origin) if rest else None))
                return
            if letter not in self.spec.flags:
                self.unclear.append(f"-{letter}".replace(HOLE, "…"))
            self.options.append(Option(f"-{letter}"))


def arguments(args: Sequence[Word], spec: Spec) -> Arguments:
    """Options and operands of a command line. What the spec does not know is in `unclear`."""
    return _Reader(args, spec).read()


STYLES = ("getopt", "go", "one-dash", "words", "cmdlet")
_WHOLE = ("one-dash", "cmdlet")  # `-name` is one option
_COMMON_FLAGS = ("-verbose", "-debug", "-vb", "-db")
_COMMON_VALUES = tuple(
    "-erroraction -ea -warningaction -wa -informationaction -infa -progressaction -proga".split()
)
"""Parameters that every cmdlet has, and that only change what it says."""


def parse_spec(
    text: str,
    style: str = "getopt",
    *,
    numbers: bool = False,
    stops: bool = False,
    abbreviates: bool = False,
) -> Spec:
    """The options in `text`: `-abc` are three flags, `-n=` and `--depth=` take a value, `-i[=]` and
    `--color[=]` take one only when it is glued on, `--arg==` takes two. In the style `go` a flag
    may be `--all=false`; in `one-dash` `-name` is one option; `cmdlet` is PowerShell's own."""
    if style not in STYLES:
        raise ValueError(f"`{style}` is not a style of options")
    short = {"": "", "=": "", "[=]": ""}
    long: dict[str, list[str]] = {"": [], "=": [], "[=]": [], "==": []}
    for word in text.split():
        name, kind = split_option(word)
        if name.startswith("--") or style in _WHOLE:
            long[kind].append(name)
        elif kind and len(name) > 2:
            raise ValueError(f"`{word}` is one letter with a value, or the style is `one-dash`")
        else:
            short[kind] += name[1:]
    flags, maybe = long[""], long["[=]"]
    if style == "cmdlet":
        flags += _COMMON_FLAGS
        long["="] += _COMMON_VALUES
    return Spec(
        flags=short[""],
        values=short["="],
        maybe=short["[=]"],
        long_flags=frozenset(() if style == "go" else flags),
        long_values=frozenset(long["="]),
        long_maybe=frozenset((*flags, *maybe) if style == "go" else maybe),
        long_pairs=frozenset(long["=="]),
        single_dash=style in _WHOLE,
        only_words=style == "words",
        stops_at_operand=stops,
        numbers=numbers,
        abbreviates=abbreviates or style == "cmdlet",
        cmdlet=style == "cmdlet",
    )


def split_option(word: str) -> tuple[str, str]:
    kind = ""
    if word.endswith(("=", "]")):
        kind = next(mark for mark in ("[=]", "==", "=", "") if word.endswith(mark))
    name = word.removesuffix(kind)
    if not name.startswith("-") or len(name) < 2:
        raise ValueError(f"`{word}` is no option")
    return name, kind


def option_names(text: str, style: str) -> Sequence[str]:
    """Each option by itself: `-abc` are three, unless the style is `one-dash`."""
    found: list[str] = []
    for word in text.split():
        name, _ = split_option(word)
        single = name.startswith("--") or style in _WHOLE
        found += (name,) if single else (f"-{letter}" for letter in name[1:])
    return found


def each_option(word: str, style: str) -> list[str]:
    """`-ab=` is `-a=` and `-b=`."""
    mark = split_option(word)[1]
    return [f"{name}{mark}" for name in option_names(word, style)]


_JOINS = frozenset({"-o", "-or", "!", "-not", ","})


def found_ending(words: Sequence[Word]) -> str:
    """How the path of each file ends that `find` is told to run a command for; nothing where others
    may be found as well."""
    tests = list(takewhile(lambda word: not word.text.startswith(("-exec", "-ok")), words))
    for at in range(len(tests) - 3, -1, -1):
        if tests[at].text in ("!", "-not") and tests[at + 1].text == "-path":
            del tests[at : at + 3]  # fewer are found
    names = [name.value for option, name in pairwise(tests) if option.text == "-name"]
    if len(names) != 1 or not names[0] or any(word.text in _JOINS for word in tests):
        return ""
    return "" if set("*?[\\") & set(names[0]) else f"/{names[0]}"
