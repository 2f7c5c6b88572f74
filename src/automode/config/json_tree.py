"""The values of a JSON text, and where each begins and ends."""

from dataclasses import dataclass, field
from typing import TypeAlias

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
