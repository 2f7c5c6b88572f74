"""Reads JSON with comments and trailing commas, and keeps the place of every key and value.

Strict in everything else, in linear time, bounded in size and depth.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from automode.config.settings import MOST_PER_FILE, excerpt
from automode.core.errors import BadSettings

MARK = "\ufeff"
Scalar: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where something stands. Two values are equal wherever they stand."""

    line: int = field(default=1, compare=False)
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Leaf(Span):
    value: Scalar


@dataclass(frozen=True, slots=True)
class Array(Span):
    children: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Member(Span):
    """From the first quote of its key to the end of its value."""

    key: str
    value: "Node"


@dataclass(frozen=True, slots=True)
class Object(Span):
    """`children` in the order of the text, also those whose key occurs twice."""

    children: tuple[Member, ...]

    def members(self, key: str) -> tuple[Member, ...]:
        return tuple(member for member in self.children if member.key == key)


Node: TypeAlias = Leaf | Array | Object


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
    """The text is no JSON; `line` says where that shows (0 when it has no place)."""

    def __init__(self, message: str, line: int = 0, hint: str = "") -> None:
        super().__init__(message, hint)
        self.line = line


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


def _refuse_constant(word: str) -> object:
    raise json.JSONDecodeError("Expecting value", word, 0)


_decode = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode
_SPACE = re.compile(r"[ \t\r\n]*")
_LINE_COMMENT = re.compile(r"//[^\n]*")
_WORD = re.compile(r"[^\s\[\]{},:\"/]+")
_NEWLINE = re.compile(r"\n")
_SURROGATE = re.compile("[\ud800-\udfff]")


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
            raise BadJson("empty, expected `{`", 1, hint="write `{}` or delete the file")
        root = self.node(0)
        self.skip()
        if self.at < len(self.text):
            raise self.bad(self.next_token(), "the end of the file")
        return Document(root, tuple(self.duplicates))

    def line(self, at: int) -> int:
        return bisect_right(self.starts, at) + 1

    def span(self, start: int) -> dict[str, int]:
        """From `start` to here, in the whole text."""
        return {
            "line": self.line(start),
            "start": start + self.shift,
            "end": self.at + self.shift,
        }

    def bad(self, found: str, expected: str, *, at: int | None = None, hint: str = "") -> BadJson:
        line = self.line(self.at if at is None else at)
        return BadJson(f"expected {expected}, found: {found}", line, hint)

    def next_token(self) -> str:
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
            raise self.bad(self.next_token(), f"at most {DEEPEST} levels")
        self.values += 1
        if self.values > MOST_VALUES:
            raise self.bad("more", f"at most {MOST_VALUES} values")
        start = self.at
        match self.text[start : start + 1]:
            case "{":
                return Object(tuple(self.members(depth)), **self.span(start))
            case "[":
                return Array(tuple(self.items(depth)), **self.span(start))
            case _:
                return Leaf(self.scalar(), **self.span(start))

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
            line = self.line(start)
            key = self.key()
            self.path.append(f".{excerpt(key)}")
            # A cap, because a path is long to write and a hostile text can repeat a key all day.
            if key in lines and len(self.duplicates) < MOST_PER_FILE:
                path = "".join(self.path).removeprefix(".")
                self.duplicates.append(Duplicate(path, line, lines[key]))
            lines.setdefault(key, line)
            yield Member(key, self.node(depth + 1), **self.span(start))
            self.path.pop()
            self.separator("}")
        self.at += 1

    def key(self) -> str:
        if not self.text.startswith('"', self.at):
            raise self.bad(self.next_token(), "a key in double quotes")
        key = str(self.scalar())
        self.skip()
        if not self.text.startswith(":", self.at):
            raise self.bad(self.next_token(), "`:`")
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
            raise self.bad(self.next_token(), f"`,` or `{closing}`")

    def scalar(self) -> Scalar:
        """A text, a number, true, false or null."""
        value: Scalar
        try:
            value, end = _decode(self.text, self.at)
        except json.JSONDecodeError as error:
            raise self.refusal(error) from None
        except ValueError:  # more digits than Python turns into a number
            value, end = 0, len(self.text)
        if isinstance(value, str):
            if _SURROGATE.search(value):
                raise self.bad("half of one", "a pair of surrogates")
        elif end - self.at > LONGEST_NUMBER:
            raise self.bad("a longer one", f"a number of at most {LONGEST_NUMBER} characters")
        elif value in (float("inf"), float("-inf")):
            raise self.bad(self.next_token(), "a number within range")
        self.at = end
        return value

    def refusal(self, error: json.JSONDecodeError) -> BadJson:
        if self.text.startswith('"', self.at):
            found = error.msg.removesuffix(" at").removesuffix(" starting").split(":")[0]
            return self.bad(found.lower(), "a text in double quotes", at=error.pos)
        quoted = self.text.startswith("'", self.at)
        return self.bad(self.next_token(), "a value", hint="use double quotes" if quoted else "")
