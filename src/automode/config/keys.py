"""Every setting, as rows of `settings.toml`: validation, JSON Schema and reference page use them.

A kind says what a setting may hold, an order which change of it loosens.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeAlias

from automode.config.jsonc import Scalar
from automode.config.settings import Source
from automode.core.errors import BadSettings

DEFAULTS = "$defaults"
LONGEST_PATTERN = 4096
LONGEST_SENTENCE = 8000
Schema: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class Flag:
    expects = "true or false"

    def accepts(self, value: Scalar) -> bool:
        return isinstance(value, bool)

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Choice:
    words: tuple[str, ...]

    @property
    def expects(self) -> str:
        return "one of " + ", ".join(f'"{word}"' for word in self.words)

    def accepts(self, value: Scalar) -> bool:
        return isinstance(value, str) and value in self.words

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class Number:
    least: int
    most: int
    whole: bool = False

    @property
    def expects(self) -> str:
        return f"a {'whole ' if self.whole else ''}number from {self.least} to {self.most}"

    def accepts(self, value: Scalar) -> bool:
        kinds = int if self.whole else int | float
        if isinstance(value, bool | str) or not isinstance(value, kinds):
            return False
        return self.least <= value <= self.most

    def schema(self) -> Schema:
        kind = "integer" if self.whole else "number"
        return {"type": kind, "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True, slots=True)
class Text:
    """A text that matches `pattern` from end to end."""

    pattern: str
    expects: str
    longest: int = 1000

    def accepts(self, value: Scalar) -> bool:
        return (
            isinstance(value, str)
            and len(value) <= self.longest
            and value.isprintable()
            and re.fullmatch(self.pattern, value) is not None
        )

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^(?:{self.pattern})$", "maxLength": self.longest}


@dataclass(frozen=True, slots=True)
class Rules:
    """A list of texts. `entry` is what one of them is called; more of them tighten or loosen."""

    entry: str
    tightens: bool
    longest: int = LONGEST_SENTENCE
    built_in: bool = True  # whether there are built-in entries for `$defaults` to stand for

    @property
    def expects(self) -> str:
        return f"a list with one {self.entry} per entry"

    def problem(self, text: str) -> str | None:
        """What is wrong with one entry, apart from what only a pattern reader knows."""
        if not text.strip():
            return f"expected a {self.entry}, found an empty text"
        if len(text) > self.longest:
            return f"expected at most {self.longest} characters, found {len(text)}"
        if any(ord(letter) < 0x20 and letter not in "\n\t" for letter in text):
            return f"expected a {self.entry}, found a control character in it"
        if re.fullmatch(r"\$[A-Za-z]+", text):
            return f"expected a {self.entry} or `{DEFAULTS}`"
        return None

    def schema(self) -> Schema:
        item: Schema = {"type": "string", "minLength": 1, "maxLength": self.longest}
        return {"type": "array", "items": item}


URL = Text(
    r"https?://[^\s/?#@]+(?:/[^\s?#]*)?", "an http(s) URL without user, query or fragment", 2000
)
VARIABLE = Text(r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable", 200)
PROGRAM = Text(r"/.+", "the whole path of a program", 4096)
PROVIDER_NAME = Text(r"[A-Za-z0-9][A-Za-z0-9._-]*", "letters, digits, `.`, `_` and `-`", 64)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An object that describes a model server of one's own, or the program of a subscription."""

    expects = 'an object with "api", "baseUrl" and perhaps "apiKeyEnv", or with "command" alone'
    apis = Choice(("openai", "anthropic"))

    @property
    def fields(self) -> dict[str, Choice | Text]:
        return {"api": self.apis, "baseUrl": URL, "apiKeyEnv": VARIABLE, "command": PROGRAM}

    def schema(self) -> Schema:
        return {
            "type": "object",
            "properties": {name: kind.schema() for name, kind in self.fields.items()},
            "oneOf": [{"required": ["api", "baseUrl"]}, {"required": ["command"]}],
            "additionalProperties": False,
        }


ScalarKind: TypeAlias = Flag | Choice | Number | Text
Kind: TypeAlias = ScalarKind | Rules | Endpoint


@dataclass(frozen=True, slots=True)
class Order:
    """`loosens(now, new)`: whether going from `now` to `new` gives anything up. `words` says the
    same to a reader of the documentation."""

    loosens: Callable[[Scalar, Scalar], bool]
    words: str


def _above(now: Scalar, new: Scalar, sign: int) -> bool:
    numbers = [float(one) * sign for one in (now, new) if isinstance(one, int | float)]
    return len(numbers) < 2 or numbers[1] > numbers[0]


def along(words: Sequence[str]) -> Order:
    """For words in order, the strictest first."""

    def loosens(now: Scalar, new: Scalar) -> bool:
        if now not in words or new not in words:
            return True
        return words.index(str(new)) > words.index(str(now))

    return Order(loosens, "only towards " + ", ".join(f"`{word}`" for word in words[:-1]))


def only_to(stricter: Mapping[str, Sequence[str]]) -> Order:
    """For words of which each has a few that are certainly stricter."""

    def loosens(now: Scalar, new: Scalar) -> bool:
        return now != new and new not in stricter.get(str(now), ())

    steps = (f"`{now}` to {' or '.join(f'`{n}`' for n in new)}" for now, new in stricter.items())
    return Order(loosens, "only from " + ", from ".join(steps))


CLOSED = Order(lambda now, new: now != new, "no")
ORDERS = {
    "free": Order(lambda now, new: False, "yes"),
    "only true": Order(lambda now, new: new is False and now is not False, "only `true`"),
    "only false": Order(lambda now, new: new is True and now is not True, "only `false`"),
    "only lower": Order(lambda now, new: _above(now, new, 1), "only a lower number"),
    "only higher": Order(lambda now, new: _above(now, new, -1), "only a higher number"),
    "only lower or first": Order(
        lambda now, new: now is not None and _above(now, new, 1),
        "only a lower number, or a first one",
    ),
}
"""By the word in `settings.toml`."""


# A shared project file is not among them: it is read as a type that has no place for settings.
ANYONE = frozenset({Source.USER, Source.LOCAL, Source.ENVIRONMENT, Source.MANAGED})


@dataclass(frozen=True, slots=True)
class Row:
    """One setting. `order` bounds what an environment may do to it that the user does not trust."""

    key: str
    kind: Kind
    default: Scalar
    meaning: str
    order: Order = CLOSED
    absent: str = ""  # what holds without a default, in words
    sources: frozenset[Source] = ANYONE
    closes: bool = False  # whether a malformed entry may hide a prohibition
    chooses: bool = False  # whether a malformed value is still a choice, which nobody may replace
    spellings: tuple[str, ...] = ()  # earlier names: understood, applied and reported
    secret: bool = False  # never quoted in a diagnostic


def _words(given: object) -> tuple[str, ...]:
    return tuple(str(one) for one in given) if isinstance(given, list) else ()


def _kind(row: Mapping[str, object]) -> Kind:
    match row:
        case {"holds": "flag"}:
            return Flag()
        case {"holds": "endpoint"}:
            return Endpoint()
        case {"words": words}:
            return Choice(_words(words))
        case {"whole": [int(least), int(most)]}:
            return Number(least, most, whole=True)
        case {"number": [int(least), int(most)]}:
            return Number(least, most)
        case {"text": str(pattern), "expects": str(expects)}:
            return Text(pattern, expects)
        case {"entry": str(entry)}:
            longest = LONGEST_SENTENCE if entry == "sentence" else LONGEST_PATTERN
            built_in = row.get("built_in") is not False
            return Rules(entry, row.get("tightens") is True, longest, built_in)
        case _:
            raise BadSettings(f"no kind of setting: `{row.get('key')}`")


def _order(row: Mapping[str, object]) -> Order:
    match row:
        case {"stricter": dict(stricter)}:
            return only_to({str(now): _words(new) for now, new in stricter.items()})
        case {"strictest_first": words}:
            return along(_words(words))
        case _:
            return ORDERS.get(str(row.get("environment")), CLOSED)


def _absent(row: Mapping[str, object], kind: Kind) -> str:
    usual = ""
    if isinstance(kind, Rules):
        usual = "the built-in entries" if kind.built_in else "`[]`"
    return str(row.get("absent", usual))


def _row(given: Mapping[str, object]) -> Row:
    kind, default = _kind(given), given.get("default")
    return Row(
        str(given["key"]),
        kind,
        default if isinstance(default, bool | int | str) else None,
        str(given["meaning"]),
        _order(given),
        _absent(given, kind),
        frozenset(map(Source, _words(given.get("sources")))) or ANYONE,
        closes=given.get("closes") is True,
        chooses=given.get("chooses") is True,
        spellings=_words(given.get("spellings")),
        secret=given.get("secret") is True,
    )


def _rows() -> tuple[Row, ...]:
    text = files("automode.config").joinpath("settings.toml").read_text("utf-8")
    return tuple(_row(one) for one in tomllib.loads(text)["setting"])


ROWS = _rows()
ROW_OF = {row.key: row for row in ROWS}
DEFAULT_VALUES = {
    row.key: row.default for row in ROWS if not isinstance(row.kind, Rules | Endpoint)
}
SHARED_ROWS = (ROW_OF["permissions.deny"], ROW_OF["permissions.ask"])
PROVIDERS = "autoMode.providers"
SECTIONS = frozenset(row.key[: dot.start()] for row in ROWS for dot in re.finditer(r"\.", row.key))
IGNORED = frozenset({"$schema"})  # editors put it there


def _letters(key: str) -> str:
    return key.replace("_", "").replace("-", "").casefold()


def _spellings() -> dict[str, str]:
    """Other ways to write a key. A prohibition under a slightly wrong name must not vanish, so
    what only tightens and the sections around it are understood whatever their case."""
    known = {spelling: row.key for row in ROWS for spelling in row.spellings}
    lenient = [row.key for row in ROWS if isinstance(row.kind, Rules) and row.kind.tightens]
    return known | {_letters(key): key for key in (*lenient, *SECTIONS)}


_SPELLING_OF = _spellings()


def canonical(key: str) -> str:
    """The name of the setting or section that `key` means; `key` itself when it means none."""
    if key in ROW_OF or key in SECTIONS:
        return key
    return _SPELLING_OF.get(key) or _SPELLING_OF.get(_letters(key), key)
