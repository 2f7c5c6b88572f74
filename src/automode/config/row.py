"""One row of the table of settings: what it may hold, and which change of its value loosens."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from automode.config.jsonc import Scalar
from automode.config.settings import Source

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
class Whole:
    least: int
    most: int

    @property
    def expects(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def accepts(self, value: Scalar) -> bool:
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        return self.least <= value <= self.most

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True, slots=True)
class Number:
    least: int
    most: int

    @property
    def expects(self) -> str:
        return f"a number from {self.least} to {self.most}"

    def accepts(self, value: Scalar) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return self.least <= value <= self.most

    def schema(self) -> Schema:
        return {"type": "number", "minimum": self.least, "maximum": self.most}


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
PROVIDER_NAME = Text(r"[A-Za-z0-9][A-Za-z0-9._-]*", "letters, digits, `.`, `_` and `-`", 64)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An object that describes a model server of one's own."""

    expects = 'an object with "api", "baseUrl" and perhaps "apiKeyEnv"'
    apis = Choice(("openai", "anthropic"))

    @property
    def fields(self) -> dict[str, Choice | Text]:
        return {"api": self.apis, "baseUrl": URL, "apiKeyEnv": VARIABLE}

    def schema(self) -> Schema:
        return {
            "type": "object",
            "properties": {name: kind.schema() for name, kind in self.fields.items()},
            "required": ["api", "baseUrl"],
            "additionalProperties": False,
        }


ScalarKind: TypeAlias = Flag | Choice | Whole | Number | Text
Kind: TypeAlias = ScalarKind | Rules | Endpoint


@dataclass(frozen=True, slots=True)
class Order:
    """`loosens(now, new)`: whether going from `now` to `new` gives anything up. `words` says the
    same to a reader of the documentation."""

    loosens: Callable[[Scalar, Scalar], bool]
    words: str


def _never(_now: Scalar, _new: Scalar) -> bool:
    return False


def _any_change(now: Scalar, new: Scalar) -> bool:
    return now != new


def _to(loose: Scalar) -> Callable[[Scalar, Scalar], bool]:
    return lambda now, new: new == loose and now != loose


def _number(value: Scalar) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _raised(now: Scalar, new: Scalar) -> bool:
    before, after = _number(now), _number(new)
    return before is None or after is None or after > before


def _lowered(now: Scalar, new: Scalar) -> bool:
    before, after = _number(now), _number(new)
    return before is None or after is None or after < before


def _limit_raised(now: Scalar, new: Scalar) -> bool:
    return now is not None and _raised(now, new)


def along(*words: str) -> Order:
    """For words that stand in order, the strictest first."""

    def loosens(now: Scalar, new: Scalar) -> bool:
        if now not in words or new not in words:
            return True
        return words.index(str(new)) > words.index(str(now))

    return Order(loosens, "only towards " + ", ".join(f"`{word}`" for word in words[:-1]))


def only_to(stricter: dict[str, tuple[str, ...]]) -> Order:
    """For words of which each has a few that are certainly stricter."""

    def loosens(now: Scalar, new: Scalar) -> bool:
        return now != new and new not in stricter.get(str(now), ())

    steps = (f"`{now}` to {' or '.join(f'`{n}`' for n in new)}" for now, new in stricter.items())
    return Order(loosens, "only from " + ", from ".join(steps))


FREE = Order(_never, "yes")
CLOSED = Order(_any_change, "no")
ONLY_TRUE = Order(_to(loose=False), "only `true`")
ONLY_FALSE = Order(_to(loose=True), "only `false`")
ONLY_LOWER = Order(_raised, "only a lower number")
ONLY_HIGHER = Order(_lowered, "only a higher number")
ONLY_LOWER_LIMIT = Order(_limit_raised, "only a lower number, or a first one")


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
