"""Reads JSON with comments and trailing commas, and keeps the place of every key and value.

Strict in everything else, in linear time, bounded in size and depth.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from automode.config.settings import MOST_PER_FILE, excerpt
from automode.core.errors import BadSettings

MARK = "\ufeff"
Scalar: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Leaf:
    value: Scalar
    line: int
    column: int
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Array:
    items: tuple["Node", ...]
    line: int
    column: int
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def children(self) -> tuple["Node", ...]:
        return self.items


@dataclass(frozen=True, slots=True)
class Member:
    """From the first quote of its key to the end of its value."""

    key: str
    value: "Node"
    line: int
    column: int
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Object:
    """`members` in the order of the text, also those whose key occurs twice."""

    members: tuple[Member, ...]
    line: int
    column: int
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def children(self) -> tuple[Member, ...]:
        return self.members

    def named(self, key: str) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.key == key)


Node: TypeAlias = Leaf | Array | Object


def plain(node: Node) -> object:
    """The value without places. Objects are pairs, because a key may stand in one twice."""
    match node:
        case Leaf(value):
            return value
        case Array(items):
            return [plain(child) for child in items]
        case Object(members):
            return tuple((member.key, plain(member.value)) for member in members)


def content(node: Node) -> object:
    """The value as programs see it: of a key that stands twice the last one counts."""
    match node:
        case Leaf(value):
            return value
        case Array(items):
            return [content(child) for child in items]
        case Object(members):
            return {member.key: content(member.value) for member in members}


LARGEST_BYTES = 1 << 20
DEEPEST = 64
MOST_VALUES = 50_000
LONGEST_NUMBER = 64


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A key that stands twice in one object."""

    path: str
    line: int
    first_line: int


@dataclass(frozen=True, slots=True)
class Document:
    root: Node
    duplicates: tuple[Duplicate, ...]


class BadJson(BadSettings):
    """The text is no JSON; `line` and `column` say where that shows (0 when it has no place)."""

    def __init__(self, message: str, line: int = 0, column: int = 0, hint: str = "") -> None:
        super().__init__(message, hint)
        self.line = line
        self.column = column


def read(data: bytes) -> Document:
    """The document in `data`; BadJson when there is none."""
    if len(data) > LARGEST_BYTES:
        raise BadJson(f"larger than {LARGEST_BYTES} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadJson("not valid UTF-8", line) from error
    bare = text.removeprefix(MARK)
    return _Reader(bare, shift=len(text) - len(bare)).document()


_SPACE = re.compile(r"[ \t\r\n]*")
_LINE_COMMENT = re.compile(r"//[^\n]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[^\s\[\]{},:\"/]+")
_HEX = re.compile(r"[0-9A-Fa-f]{4}")
_NEWLINE = re.compile(r"\n")
_ESCAPES = dict(zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}


@dataclass(slots=True)
class _Reader:
    text: str
    shift: int = 0  # letters that stand before `text`
    at: int = 0
    values: int = 0
    path: list[str] = field(default_factory=list)
    duplicates: list[Duplicate] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # where each line after the first begins

    def document(self) -> Document:
        self.starts = [found.end() for found in _NEWLINE.finditer(self.text)]
        nul = self.text.find("\0")
        if nul >= 0:
            raise self.bad("a NUL byte", "text", at=nul)
        self.skip()
        if self.at == len(self.text):
            raise BadJson("empty, expected `{`", 1, 1, hint="write `{}` or delete the file")
        root = self.node(0)
        self.skip()
        if self.at < len(self.text):
            raise self.bad(self.found(), "the end of the file")
        return Document(root, tuple(self.duplicates))

    def where(self, at: int) -> tuple[int, int]:
        line = bisect_right(self.starts, at)
        return line + 1, at - (self.starts[line - 1] if line else 0) + 1

    def span(self, start: int) -> tuple[int, int]:
        """From `start` to here, in the whole text."""
        return start + self.shift, self.at + self.shift

    def bad(self, found: str, expected: str, *, at: int | None = None, hint: str = "") -> BadJson:
        line, column = self.where(self.at if at is None else at)
        return BadJson(f"expected {expected}, found: {found}", line, column, hint)

    def found(self) -> str:
        """What stands here, for a message."""
        if self.at >= len(self.text):
            return "the end of the file"
        word = _WORD.match(self.text, self.at, self.at + 80)
        return f"`{excerpt(word[0] if word else self.text[self.at])}`"

    def skip(self) -> None:
        """Past white space and comments."""
        while True:
            space = _SPACE.match(self.text, self.at)
            self.at = space.end() if space else self.at
            comment = _LINE_COMMENT.match(self.text, self.at)
            if comment:
                self.at = comment.end()
            elif self.text.startswith("/*", self.at):
                end = self.text.find("*/", self.at + 2)
                if end < 0:
                    raise self.bad("a comment without an end", "`*/`")
                self.at = end + 2
            else:
                return

    def node(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.bad(self.found(), f"at most {DEEPEST} levels")
        self.values += 1
        if self.values > MOST_VALUES:
            raise self.bad("more", f"at most {MOST_VALUES} values")
        start = self.at
        match self.text[start : start + 1]:
            case "{":
                return Object(tuple(self.members(depth)), *self.where(start), *self.span(start))
            case "[":
                return Array(tuple(self.items(depth)), *self.where(start), *self.span(start))
            case '"':
                return Leaf(self.string(), *self.where(start), *self.span(start))
            case _:
                return Leaf(self.bare(), *self.where(start), *self.span(start))

    def items(self, depth: int) -> Iterator[Node]:
        self.at += 1
        self.skip()
        count = 0
        while not self.text.startswith("]", self.at):
            self.path.append(f"[{count}]")
            yield self.node(depth + 1)
            self.path.pop()
            count += 1
            self.separator("]")
        self.at += 1

    def members(self, depth: int) -> Iterator[Member]:
        self.at += 1
        self.skip()
        lines: dict[str, int] = {}
        while not self.text.startswith("}", self.at):
            start = self.at
            line, column = self.where(start)
            key = self.key()
            self.path.append(f".{excerpt(key)}")
            # A cap, because a path is long to write and a hostile text can repeat a key all day.
            if key in lines and len(self.duplicates) < MOST_PER_FILE:
                path = "".join(self.path).removeprefix(".")
                self.duplicates.append(Duplicate(path, line, lines[key]))
            lines.setdefault(key, line)
            yield Member(key, self.node(depth + 1), line, column, *self.span(start))
            self.path.pop()
            self.separator("}")
        self.at += 1

    def key(self) -> str:
        if not self.text.startswith('"', self.at):
            raise self.bad(self.found(), "a key in double quotes")
        key = self.string()
        self.skip()
        if not self.text.startswith(":", self.at):
            raise self.bad(self.found(), "`:`")
        self.at += 1
        self.skip()
        return key

    def separator(self, closing: str) -> None:
        """Past a comma, which may also be the last thing before `closing`."""
        self.skip()
        if self.text.startswith(",", self.at):
            self.at += 1
            self.skip()
        elif not self.text.startswith(closing, self.at):
            raise self.bad(self.found(), f"`,` or `{closing}`")

    def bare(self) -> Scalar:
        """A number, true, false or null."""
        number = _NUMBER.match(self.text, self.at)
        if number:
            return self.number(number)
        word = _WORD.match(self.text, self.at)
        if word is None or word[0] not in _WORDS:
            quoted = self.text.startswith("'", self.at)
            hint = "use double quotes" if quoted else ""
            raise self.bad(self.found(), "a value", hint=hint)
        self.at = word.end()
        return _WORDS[word[0]]

    def number(self, number: re.Match[str]) -> int | float:
        if number.end() - number.start() > LONGEST_NUMBER:
            raise self.bad("a longer one", f"a number of at most {LONGEST_NUMBER} characters")
        if number[1] is None and number[2] is None:
            value: int | float = int(number[0])
        else:
            value = float(number[0])
            if value in (float("inf"), float("-inf")):
                raise self.bad(self.found(), "a number within range")
        self.at = number.end()
        return value

    def string(self) -> str:
        start = self.at
        self.at += 1
        pieces: list[str] = []
        while True:
            plain = _PLAIN.match(self.text, self.at)
            if plain:
                pieces.append(plain[0])
                self.at = plain.end()
            match self.text[self.at : self.at + 1]:
                case '"':
                    self.at += 1
                    return "".join(pieces)
                case "\\":
                    pieces.append(self.escape())
                case "":
                    raise self.bad("a text without an end", '`"`', at=start)
                case _:
                    raise self.bad("a control character", '`"`', hint="write it as `\\n`, `\\t` …")

    def escape(self) -> str:
        letter = self.text[self.at + 1 : self.at + 2]
        if letter in _ESCAPES:
            self.at += 2
            return _ESCAPES[letter]
        if letter != "u":
            raise self.bad(f"`\\{excerpt(letter)}`", "an escape that JSON knows")
        code = self.hexadecimal()
        if 0xD800 <= code < 0xDC00 and self.text.startswith("\\u", self.at):
            low = self.hexadecimal()
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
        if 0xD800 <= code < 0xE000:
            raise self.bad("half of one", "a pair of surrogates")
        return chr(code)

    def hexadecimal(self) -> int:
        digits = _HEX.match(self.text, self.at + 2)
        if digits is None:
            raise self.bad(
                f"`{excerpt(self.text[self.at : self.at + 6])}`", "`\\u` and four digits"
            )
        self.at = digits.end()
        return int(digits[0], 16)
