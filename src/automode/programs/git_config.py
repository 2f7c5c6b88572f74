"""Reads the text of a git configuration file. What git itself would refuse is refused here too.

The parser follows git's character by character: a looser one could be shown a helper it overlooks.
"""

from dataclasses import dataclass, field
from functools import lru_cache

LONGEST_KEPT = 8_192  # characters of a file whose settings are kept
_SPACE = " \t\r\n"
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}


class BadConfig(Exception):
    """The text is not a git configuration, or is written in a way this parser does not follow."""


@dataclass(frozen=True, slots=True)
class Setting:
    """`section` and `name` in lower case; `subsection` as written."""

    section: str
    subsection: str
    name: str
    value: str
    key: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        middle = f"{self.subsection}." if self.subsection else ""
        object.__setattr__(self, "key", f"{self.section}.{middle}{self.name}")

    @property
    def switch(self) -> bool | None:
        """What the value means as a switch, None when it is something else."""
        word = self.value.strip().lower()
        if word in ("true", "yes", "on", "1"):
            return True
        return False if word in ("false", "no", "off", "0", "") else None


class _Text:
    def __init__(self, text: str) -> None:
        self.text = text.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"
        self.at = 0
        self.section = ""
        self.subsection = ""

    def next(self) -> str:
        """The next character, empty at the end."""
        char = self.text[self.at : self.at + 1]
        self.at += 1
        return char

    def settings(self) -> list[Setting]:
        found: list[Setting] = []
        while char := self.next():
            if char in _SPACE:
                continue
            if char in "#;":
                self.skip_line()
            elif char == "[":
                self.header()
            elif char.isascii() and char.isalpha() and self.section:
                found.append(self.setting(char))
            else:
                raise BadConfig(f"`{char}` is out of place")
        return found

    def skip_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = end if end >= 0 else len(self.text)

    def header(self) -> None:
        name, self.subsection = "", ""
        while (char := self.next()) != "]":
            if char and char in " \t":
                self.subsection = self.quoted_subsection()
                break
            if not _names(char) and char != ".":
                raise BadConfig("a section has no proper name")
            name += char.lower()
        # `[branch.main]` is the old way to write `[branch "main"]`.
        self.section, _, old = name.partition(".")
        self.subsection = ".".join(part for part in (old, self.subsection) if part)
        if not self.section:
            raise BadConfig("a section has no name")

    def quoted_subsection(self) -> str:
        while (char := self.next()) in (" ", "\t"):
            pass
        if char != '"':
            raise BadConfig("a sub-section is not quoted")
        name = ""
        while (char := self.next()) != '"':
            if char == "\\":
                char = self.next()
            if char in ("", "\n"):
                raise BadConfig("a sub-section is not closed")
            name += char
        if self.next() != "]":
            raise BadConfig("a section is not closed")
        return name

    def setting(self, first: str) -> Setting:
        name = first
        while _names(char := self.next()):
            name += char
        while char in (" ", "\t"):
            char = self.next()
        if char not in ("\n", "="):
            raise BadConfig(f"`{name}` has no value")
        value = self.value() if char == "=" else "true"
        return Setting(self.section, self.subsection, name.lower(), value)

    def value(self) -> str:
        value, quoted = "", False
        keep = 0  # blanks at the end of an unquoted value do not belong to it
        while (char := self.next()) != "\n" or quoted:
            if char in ("", "\n"):
                raise BadConfig("a quoted value is not closed")
            if char in "#;" and not quoted:
                self.skip_line()
                continue
            if char == '"':
                quoted = not quoted
                keep = len(value)
                continue
            if char == "\\":
                char = self.escape()
            elif char in _SPACE and not quoted:
                value += char if value else ""
                continue
            value += char
            keep = len(value)
        return value[:keep]

    def escape(self) -> str:
        char = self.next()
        if char == "\n":
            return ""
        if char not in _ESCAPES:
            raise BadConfig("a value has an unknown escape")
        return _ESCAPES[char]


def _names(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "-")


def parse(text: str) -> tuple[Setting, ...]:
    """Every setting in the order written; raises BadConfig where git would give up."""
    return _kept_settings(text) if len(text) <= LONGEST_KEPT else _settings(text)


def _settings(text: str) -> tuple[Setting, ...]:
    return tuple(_Text(text).settings())


# Every git command asks for the same few files, and what one says depends on its text alone.
_kept_settings = lru_cache(maxsize=64)(_settings)
