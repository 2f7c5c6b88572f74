"""The deeds that a row names for the judge: what its words and options make a command.

A line holds conditions, all of which have to be met. Words come first, in their order.

    push              a word, also a longer form of it such as `push-all` or `push:x`
    pr|mr create      alternatives; `*` stands for any text
    ~deploy*|ship     a word with such a part: `pre-deploys`, `db:ship`
    ** ~deploy*       any further word
    *** ~drop         any further word, or the value of any option
    /[0-7]+$/         a word that this regular expression matches from its start
    -f|--force*       an option; `--for` is one, too, where its row lists none of that name
    -X|--method=p*    an option with such a value; `=!p*`: with another one
    ^-c=!user.*       an option before the sub-command
    --                the mark after which no options come
    !-n|--dry-run     not so
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeAlias

from automode.shell.options import Arguments, Option, Spec, arguments
from automode.shell.script import HOLE, Word

MOST_WORDS = 200
LONGEST_WORD = 300
_ANYWHERE = "**"
_VALUES_TOO = "***"


@dataclass(frozen=True, slots=True)
class CommandWords:
    """The words of a command that are no options, its options, what unknown options got, the
    options before the sub-command, and the names of those that its row does not list."""

    words: tuple[str, ...]
    options: tuple[Option, ...]
    values: tuple[str, ...] = ()
    before: tuple[Option, ...] = ()
    unknown: frozenset[str] = frozenset()


Condition: TypeAlias = Callable[[CommandWords], bool]


@dataclass(frozen=True, slots=True)
class DeedLine:
    deed: str
    words: tuple[re.Pattern[str], ...] = ()
    wanted: tuple[Condition, ...] = ()
    unwanted: tuple[Condition, ...] = ()

    def holds(self, said: CommandWords) -> bool:
        if len(said.words) < len(self.words):
            return False
        for one, word in zip(self.words, said.words, strict=False):
            if one.match(word) is None:
                return False
        if not self.wanted and not self.unwanted:
            return True
        left = said
        if self.words:
            rest = said.words[len(self.words) :]
            left = replace(said, words=rest)
        return all(one(left) for one in self.wanted) and not any(one(left) for one in self.unwanted)


Deeds: TypeAlias = tuple[tuple[str, str], ...]
"""Each deed with its lines, as they are written. `like`: the name of lines that programs share."""


@cache
def parse_deeds(given: Deeds) -> tuple[DeedLine, ...]:
    """Raises ValueError."""
    found: list[DeedLine] = []
    for deed, text in given:
        if deed == "like":
            found += (line for name in text.split() for line in parse_deeds(_shared_deeds(name)))
        else:
            found += (_line(deed, line.split()) for line in text.splitlines() if line.strip())
    return tuple(found)


def _shared_deeds(name: str) -> Deeds:
    try:
        given = written_deeds()["shared"][name]
    except KeyError:
        raise ValueError(f"`{name}` is no name of shared deeds") from None
    return tuple((deed, text) for deed, text in given.items() if deed != "programs")


@lru_cache(maxsize=1)
def written_deeds() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """`shared`: by a name, lines and the programs without a row that they hold for. `always`: by a
    deed, the programs without a row that are it whatever follows."""
    return tomllib.loads(files("automode.programs").joinpath("deeds.toml").read_text("utf-8"))


@lru_cache(maxsize=1)
def _undescribed_programs() -> Mapping[str, tuple[str, ...]]:
    return _by_program(written_deeds()["shared"])


def _by_program(given: Mapping[str, Mapping[str, str]]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, one in given.items():
        for program in one.get("programs", "").split():
            found[program] = (*found.get(program, ()), name)
    return found


def of_undescribed(program: str, args: tuple[Word, ...]) -> Iterator[str]:
    """What its words make a command whose program has no row."""
    if names := _undescribed_programs().get(program, ()):
        lines = (("like", " ".join(names)),)
        yield from deeds_in(lines, command_words((), args, arguments(args, Spec())))


@lru_cache(maxsize=1)
def always_undescribed() -> Mapping[str, tuple[str, ...]]:
    """What a program without a row is, whatever its words are."""
    return _by_program(written_deeds()["always"])


def _line(deed: str, tokens: Sequence[str]) -> DeedLine:
    words: list[re.Pattern[str]] = []
    wanted: list[Condition] = []
    unwanted: list[Condition] = []
    further = ""
    for token in tokens:
        text = token.removeprefix("!")
        into = wanted if text == token else unwanted
        if text in (_ANYWHERE, _VALUES_TOO):
            further = text
        elif text.startswith(("-", "^-")):
            into.append(_option(text, shortened=into is wanted))
        elif further:
            into.append(_further(_word(text), values_too=further == _VALUES_TOO))
        elif text != token or wanted or unwanted:
            raise ValueError(f"`{token}` of the deed `{deed}` needs `**` before it")
        else:
            words.append(_word(text))
    return DeedLine(deed, tuple(words), tuple(wanted), tuple(unwanted))


def _further(pattern: re.Pattern[str], *, values_too: bool) -> Condition:
    def holds(said: CommandWords) -> bool:
        values = (_display(one.value.text) for one in said.options if one.value is not None)
        words = (*said.words, *(values if values_too else said.values))
        return any(map(pattern.match, words))

    return holds


def _option(text: str, *, shortened: bool) -> Condition:
    """`shortened`: also by the beginning of a long name, where the row knows no such option. What
    speaks for a command has to be written out."""
    names, equals, value = text.removeprefix("^").partition("=")
    long = tuple(one for one in names.split("|") if one.startswith("--")) if shortened else ()
    unlike = value.removeprefix("!")
    like = f"(?!(?:{_any(unlike)})$)" if unlike != value else f"(?:{_any(value)})$"
    name, given = re.compile(_any(names)), _compile(like if equals else "")

    def is_meant(typed: str, said: CommandWords) -> bool:
        if name.fullmatch(typed):
            return True
        begins = len(typed) > len("--") and typed in said.unknown
        return begins and any(one.startswith(typed) for one in long)

    def holds(said: CommandWords) -> bool:
        return any(
            is_meant(one.name, said) and given.match(one.value.text if one.value else "")
            for one in (said.before if text[0] == "^" else said.options)
        )

    return holds


def _word(text: str) -> re.Pattern[str]:
    if len(text) > 1 and text[0] == text[-1] == "/":
        return _compile(text[1:-1])
    if text.startswith("~"):
        return _compile(rf".*(?<!\w)(?:{_any(text[1:])})(?!\w)")
    return _compile(rf"(?:{_any(text)})(?!\w)")


def _any(text: str) -> str:
    """`a|b*` as a regular expression."""
    return "|".join(".*".join(map(re.escape, one.split("*"))) for one in text.split("|"))


def _compile(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_NONE = Arguments((), ())
_UNKNOWN = Spec()
_LONG = Spec(single_dash=True)


def command_words(
    path: Sequence[str], args: Sequence[Word], given: Arguments, before: Arguments = _NONE
) -> CommandWords:
    """A sub-command, the words after it, and how its row took them apart. What looks like an option
    counts as one wherever it stands: after `--`, behind a program that is run, as a value."""
    options = [*before.options, *given.options]
    found = {option.name for option in options}
    glued = {word.text for word in args}  # `--sort=-date` is one option
    values = [
        one.value for one in options if one.value and f"{one.name}={one.value.text}" not in glued
    ]
    dashed = [Word(word.text) for word in (*values, *given.operands) if _is_dashed(word)]
    options += arguments(dashed, _UNKNOWN).options if dashed else ()
    # `-exec` is one option to some programs, and five to others.
    written = [Word(word.text) for word in args if _is_dashed(word)]
    whole = arguments(written, _LONG) if written else _NONE
    options += (option for option in whole.options if option.name not in found)
    words = (word.text for word in given.operands[:MOST_WORDS] if not _is_dashed(word))
    # What an option that nobody knows is given may be anything.
    unknown = {*before.unclear, *given.unclear}
    more = [one.value.text for one in options if one.value is not None and one.name in unknown]
    options += (Option(word.text) for word in args if word.text == "--")
    leading = before.options if path else given.options
    every = (*path, *map(_display, words))
    return CommandWords(every, tuple(options), tuple(more), leading, frozenset(unknown))


def _is_dashed(word: Word) -> bool:
    return len(word.text) > 1 and word.text[0] == "-" and not word.text[1].isspace()


def _display(text: str) -> str:
    return text[:LONGEST_WORD].replace(HOLE, "?")


def deeds_in(given: Deeds, of: CommandWords) -> Iterator[str]:
    return (line.deed for line in parse_deeds(given) if line.holds(of))
