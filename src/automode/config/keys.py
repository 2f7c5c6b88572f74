"""Every setting, as rows of `settings.toml`: validation, JSON Schema and reference page use them.

A kind says what a setting may hold, an order which change of it loosens. The default is the one of
the field of `Settings` that it fills.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from importlib.resources import files
from typing import TypeAlias

from automode.config.jsonc import Scalar
from automode.config.settings import Rule, Settings, Source
from automode.core.decision import Verdict
from automode.core.errors import BadSettings

DEFAULTS = "$defaults"
HIDDEN = "(hidden)"
LONGEST_PATTERN = 4096
LONGEST_SENTENCE = 8000
Schema: TypeAlias = dict[str, object]
PLAIN = Settings()
"""With every default."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What one value may be, as JSON Schema says it and in words."""

    schema: Schema
    expects: str

    def accepts(self, value: Scalar) -> bool:
        match self.schema:
            case {"type": "boolean"}:
                return isinstance(value, bool)
            case {"enum": list(words)}:
                return isinstance(value, str) and value in words
            case {"pattern": str(pattern), "maxLength": int(longest)}:
                return (
                    isinstance(value, str)
                    and len(value) <= longest
                    and value.isprintable()
                    and re.match(pattern, value) is not None
                )
            case {"type": kind, "minimum": int(least), "maximum": int(most)}:
                if isinstance(value, bool | str | None):
                    return False
                return (kind == "number" or isinstance(value, int)) and least <= value <= most
            case _:
                return False


def text_kind(pattern: str, expects: str, longest: int = 1000) -> Kind:
    """A text that matches `pattern` from end to end."""
    return Kind({"type": "string", "pattern": f"^(?:{pattern})$", "maxLength": longest}, expects)


def choice_kind(words: Iterable[str]) -> Kind:
    known = list(words)
    return Kind({"enum": known}, "one of " + ", ".join(f'"{word}"' for word in known))


def number_kind(least: int, most: int, *, whole: bool) -> Kind:
    kind = "integer" if whole else "number"
    expects = f"a {'whole ' if whole else ''}number from {least} to {most}"
    return Kind({"type": kind, "minimum": least, "maximum": most}, expects)


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

    @property
    def schema(self) -> Schema:
        item: Schema = {"type": "string", "minLength": 1, "maxLength": self.longest}
        return {"type": "array", "items": item, "default": [DEFAULTS] if self.built_in else []}

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


PROVIDER_NAME = text_kind(r"[A-Za-z0-9][A-Za-z0-9._-]*", "letters, digits, `.`, `_` and `-`", 64)
ENDPOINT_FIELDS = {
    "api": choice_kind(("openai", "anthropic")),
    "baseUrl": text_kind(
        r"https?://[^\s/?#@]+(?:/[^\s?#]*)?", "an http(s) URL without user, query or fragment", 2000
    ),
    "apiKeyEnv": text_kind(r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable", 200),
    "command": text_kind(r"/.+", "the whole path of a program", 4096),
}
ENDPOINT = Kind(
    {
        "type": "object",
        "properties": {name: kind.schema for name, kind in ENDPOINT_FIELDS.items()},
        "oneOf": [{"required": ["api", "baseUrl"]}, {"required": ["command"]}],
        "additionalProperties": False,
    },
    'an object with "api", "baseUrl" and perhaps "apiKeyEnv", or with "command" alone',
)
"""A model server of one's own, or the program of a subscription."""
FLAG = Kind({"type": "boolean"}, "true or false")


@dataclass(frozen=True, slots=True)
class Order:
    """`loosens(now, new)`: whether going from `now` to `new` gives anything up. `words` says the
    same to a reader of the documentation."""

    loosens: Callable[[Scalar, Scalar], bool]
    words: str


def _above(now: Scalar, new: Scalar, sign: int) -> bool:
    numbers = [float(one) * sign for one in (now, new) if isinstance(one, int | float)]
    return len(numbers) < 2 or numbers[1] > numbers[0]


def _only_to(stricter: Mapping[str, Sequence[str]], words: str) -> Order:
    """For words of which each has a few that are certainly stricter."""

    def loosens(now: Scalar, new: Scalar) -> bool:
        return now != new and new not in stricter.get(str(now), ())

    return Order(loosens, words)


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
ANYONE = (Source.USER, Source.LOCAL, Source.ENVIRONMENT, Source.MANAGED)


@dataclass(frozen=True, slots=True)
class Row:
    """One setting. `order` bounds what an environment may do to it that the user does not trust."""

    key: str
    kind: Kind | Rules
    meaning: str
    order: Order = CLOSED
    absent: str = ""  # what holds without a default, in words
    sources: Sequence[str] = ANYONE
    closes: bool = False  # whether a malformed entry may hide a prohibition
    chooses: bool = False  # whether a malformed value is still a choice, which nobody may replace
    spellings: Sequence[str] = ()  # earlier names: understood, applied and reported
    secret: bool = False  # never quoted in a diagnostic
    field: str = ""  # of `Settings`, dotted, where the key does not say it

    def as_field(self, value: Scalar) -> object:
        """`value` as `Settings` keeps it."""
        match self.value_in(PLAIN):
            case Verdict():
                return Verdict[str(value).upper()]
            case StrEnum() as default:
                return type(default)(str(value))
            case _:
                return value

    @property
    def default(self) -> Scalar:
        match self.value_in(PLAIN):
            case Verdict(word=word):
                return word
            case StrEnum(value=word):
                return word
            case bool() | int() | float() | str() as value:
                return value
            case _:
                return None

    def value_in(self, settings: Settings) -> object:
        found: object = settings
        for name in self.field.split("."):
            found = getattr(found, name)
        return found


def _kind(row: Mapping[str, object]) -> Kind | Rules:
    match row:
        case {"holds": "flag"}:
            return FLAG
        case {"holds": "endpoint"}:
            return ENDPOINT
        case {"words": list(words)}:
            return choice_kind(words)
        case {"whole": [int(least), int(most)]}:
            return number_kind(least, most, whole=True)
        case {"number": [int(least), int(most)]}:
            return number_kind(least, most, whole=False)
        case {"text": str(pattern), "expects": str(expects)}:
            return text_kind(pattern, expects)
        case {"entry": str(entry)}:
            longest = LONGEST_SENTENCE if entry == "sentence" else LONGEST_PATTERN
            built_in = row.get("built_in") is not False
            return Rules(entry, row.get("tightens") is True, longest, built_in)
        case _:
            raise BadSettings(f"no kind of setting: `{row.get('key')}`")


def _order(row: Mapping[str, object]) -> Order:
    match row:
        case {"stricter": dict(stricter)}:
            steps = (
                f"`{now}` to {' or '.join(f'`{one}`' for one in new)}"
                for now, new in stricter.items()
            )
            return _only_to(stricter, "only from " + ", from ".join(steps))
        case {"strictest_first": list(words)}:
            towards = ", ".join(f"`{word}`" for word in words[:-1])
            steps_up = {word: words[:at] for at, word in enumerate(words)}
            return _only_to(steps_up, f"only towards {towards}")
        case _:
            return ORDERS.get(str(row.get("environment")), CLOSED)


def _field(key: str) -> str:
    name = key.removeprefix("autoMode.")
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def _rows() -> tuple[Row, ...]:
    text = files("automode.config").joinpath("settings.toml").read_text("utf-8")
    known = {one.name for one in fields(Row)}
    make: Callable[..., Row] = Row
    return tuple(
        make(
            kind=_kind(one),
            order=_order(one),
            **{"field": _field(one["key"])} | {key: one[key] for key in known & set(one)},
        )
        for one in tomllib.loads(text)["setting"]
    )


ROWS = _rows()
ROW_OF = {row.key: row for row in ROWS}
DEFAULT_VALUES = {
    row.key: row.default for row in ROWS if isinstance(row.kind, Kind) and row.kind is not ENDPOINT
}
SHARED_ROWS = (ROW_OF["permissions.deny"], ROW_OF["permissions.ask"])
PROVIDERS = "autoMode.providers"
SECTIONS = frozenset(row.key[: dot.start()] for row in ROWS for dot in re.finditer(r"\.", row.key))
IGNORED = "$schema"  # editors put it there


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


def entries_of(row: Row, settings: Settings) -> tuple[Rule, ...]:
    """The entries of a list of rules, as they may be shown."""
    found = row.value_in(settings)
    entries = found if isinstance(found, tuple) else ()
    return tuple(replace(one, text=HIDDEN) for one in entries) if row.secret else entries


def schema(rows: Iterable[Row] = ROWS) -> Schema:
    """The JSON Schema of a settings file. Pass SHARED_ROWS for the one of a shared project file."""
    known = {row.key: row for row in rows}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "automode settings",
        **_object_schema(known, "", {IGNORED: {"type": "string"}}),
    }


def _object_schema(known: Mapping[str, Row], above: str, properties: Schema) -> Schema:
    if above == f"{PROVIDERS}.":
        each = _row_schema(known[f"{PROVIDERS}.<name>"])
        names = PROVIDER_NAME.schema
        return {"type": "object", "propertyNames": names, "additionalProperties": each}
    for key in known:
        name, dot, _ = key.removeprefix(above).partition(".")
        if key.startswith(above) and name not in properties:
            inner = _object_schema(known, f"{above}{name}.", {}) if dot else _row_schema(known[key])
            properties[name] = inner
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _row_schema(row: Row) -> Schema:
    default = {} if row.default is None else {"default": row.default}
    return {**row.kind.schema, "description": row.meaning, **default}
