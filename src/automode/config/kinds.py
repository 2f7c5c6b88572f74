"""What a setting may hold: each kind says what it expects, checks it, and describes it as JSON
Schema."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from automode.config.json_tree import Scalar

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
