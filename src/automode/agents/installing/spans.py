"""Where every value of a JSON text begins and ends; comments and last commas are allowed."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from automode.config.jsonc import read

MARK = "\ufeff"
_TOKEN = re.compile(
    r'(?P<gap>[ \t\r\n]+|//[^\n]*|/\*.*?\*/)|"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:,]'
    r'|[^\s\[\]{},:"/]+',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Leaf:
    value: object
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Array:
    children: tuple["Node", ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Member:
    """From the first quote of its key to the end of its value."""

    key: str
    value: "Node"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Object:
    children: tuple[Member, ...]
    start: int
    end: int

    def named(self, key: str) -> tuple[Member, ...]:
        return tuple(member for member in self.children if member.key == key)


Node: TypeAlias = Leaf | Array | Object


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int


def parsed(text: str) -> Node:
    """The value in `text`. BadSettings where there is none."""
    read(text.encode())  # strict and bounded; from here on the text is sound
    bare = text.removeprefix(MARK)
    return _node(_tokens(bare, len(text) - len(bare)))


def plain(node: Node) -> object:
    """The value without places. Objects are pairs, because a key may stand in one twice."""
    match node:
        case Leaf(value):
            return value
        case Array(children):
            return [plain(child) for child in children]
        case Object(children):
            return tuple((member.key, plain(member.value)) for member in children)


def content(node: Node) -> object:
    """The value as programs see it: of a key that stands twice the last one counts."""
    match node:
        case Leaf(value):
            return value
        case Array(children):
            return [content(child) for child in children]
        case Object(children):
            return {member.key: content(member.value) for member in children}


def only_blanks(text: str) -> bool:
    return not text.strip(" \t\r\n")


def gaps(text: str, start: int) -> Iterator[tuple[int, int]]:
    """White space and comments that stand at `start`, one after the other."""
    while (found := _TOKEN.match(text, start)) and found["gap"]:
        yield found.start(), found.end()
        start = found.end()


def _tokens(text: str, shift: int) -> Iterator[_Token]:
    for found in _TOKEN.finditer(text):
        if found["gap"] is None:
            yield _Token(found[0], found.start() + shift, found.end() + shift)


def _node(tokens: Iterator[_Token]) -> Node:
    return _value(next(tokens), tokens)


def _value(first: _Token, tokens: Iterator[_Token]) -> Node:
    match first.text:
        case "{":
            return _object(first, tokens)
        case "[":
            return _array(first, tokens)
        case text:
            return Leaf(json.loads(text), first.start, first.end)


def _array(first: _Token, tokens: Iterator[_Token]) -> Array:
    children: list[Node] = []
    for token in tokens:
        if token.text == "]":
            return Array(tuple(children), first.start, token.end)
        if token.text != ",":
            children.append(_value(token, tokens))
    raise AssertionError("the text was read before")


def _object(first: _Token, tokens: Iterator[_Token]) -> Object:
    children: list[Member] = []
    for token in tokens:
        if token.text == "}":
            return Object(tuple(children), first.start, token.end)
        if token.text != ",":
            next(tokens)  # the colon
            value = _node(tokens)
            children.append(Member(json.loads(token.text), value, token.start, value.end))
    raise AssertionError("the text was read before")
