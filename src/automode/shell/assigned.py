"""Which variables a part of a script may change, and whether it may leave the folder."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from automode.shell.parameters import assigning_default, changed_names
from automode.shell.syntax import (
    Arith,
    Assign,
    Background,
    Branches,
    Evaluation,
    Function,
    Group,
    Loop,
    Node,
    Not,
    Param,
    Parts,
    Pipe,
    Seq,
    Simple,
    Text,
    Unread,
)

_ASSIGNING = frozenset(
    "read export declare typeset local readonly unset mapfile readarray getopts let printf wait"
    "".split()
)
_ALSO = {"read": ("REPLY",), "getopts": ("OPTARG",), "mapfile": ("MAPFILE",)}
_MOVING = frozenset("cd pushd popd chdir".split())
_ANYTHING = frozenset("eval source . command builtin trap jobs noglob".split())
_LOOKS_UP = frozenset({("command", "-v"), ("command", "-V")})


@dataclass(frozen=True, slots=True)
class Changes:
    names: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()  # those of `names` that only ever get a number
    arrays: frozenset[str] = frozenset()  # those that may become arrays
    moves: bool = False  # may leave the folder
    anything: bool = False  # may change any variable

    def __or__(self, other: "Changes") -> "Changes":
        if other is NO_CHANGES:
            return self
        if self is NO_CHANGES:
            return other
        spoiled = (self.names - self.counted) | (other.names - other.counted)
        return Changes(
            self.names | other.names,
            (self.counted | other.counted) - spoiled,
            self.arrays | other.arrays,
            self.moves or other.moves,
            self.anything or other.anything,
        )


NO_CHANGES = Changes()
_EVERYTHING = Changes(moves=True, anything=True)


def changes_of(node: Node) -> Changes:
    """What is changed for the commands after it, subshells left out."""
    match node:
        case Simple():
            return _of_simple(node)
        case Pipe() | Background() | Unread():
            return NO_CHANGES
        case Seq():
            return _of(node.items)
        case Not():
            return changes_of(node.body)
        case Group():
            return NO_CHANGES if node.subshell else changes_of(node.body)
        case Branches():
            return _of((*node.conditions, *node.bodies)) | _of_words(node.words)
        case Loop():
            inside = (node.body,) if node.condition is None else (node.body, node.condition)
            head = Changes(frozenset({node.variable} if node.variable else ()))
            return _of(inside) | head | _of_words(node.words or ())
        case Function():
            return changes_of(node.body)
        case Evaluation():
            inner = _of_parts(node.inner)
            return inner if node.kind == "[[" else inner | _counting(node.raw)


def _of(nodes: Iterable[Node]) -> Changes:
    found = NO_CHANGES
    for node in nodes:
        found |= changes_of(node)
    return found


def _counting(raw: str) -> Changes:
    names = changed_names(raw)
    return Changes(names, names)


def _of_words(words: Iterable[Parts]) -> Changes:
    found = NO_CHANGES
    for word in words:
        found |= _of_parts(word)
    return found


def _of_parts(parts: Parts) -> Changes:
    """`${x:=y}` and `$((x=1))` assign in the middle of a word."""
    found = NO_CHANGES
    for part in parts:
        if isinstance(part, Arith):
            found |= _counting(part.raw) | _of_parts(part.inner)
        elif isinstance(part, Param):
            name = assigning_default(part)
            found |= _of_parts(part.inner)
            if name:
                found |= Changes(frozenset({name}))
    return found


def _of_assign(assign: Assign) -> Changes:
    name = frozenset({assign.name})
    plain = not assign.array and not assign.index and not assign.appends
    number = plain and len(assign.value) == 1 and _is_number(assign.value)
    arrays = frozenset() if not assign.array and not assign.index else name
    return Changes(name, name if number else frozenset(), arrays) | _of_parts(assign.value)


def _is_number(parts: Parts) -> bool:
    part = parts[0]
    if isinstance(part, Text):
        return re.fullmatch(r"0|[1-9][0-9]{0,17}", part.value) is not None
    return isinstance(part, Arith)


def _of_simple(node: Simple) -> Changes:
    found = _of_words(node.words) | _of_words(redir.target for redir in node.redirects)
    for assign in node.assigns:
        found |= _of_assign(assign) if not node.words else _of_parts(assign.value)
    if not node.words:
        return found
    first = node.words[0]
    name = first[0].value if len(first) == 1 and isinstance(first[0], Text) else ""
    if name == "time":
        return found | _of_simple(Simple(node.words[1:], node.assigns))
    if (name, *(_written(word) for word in node.words[1:2])) in _LOOKS_UP:
        return found
    if not name or name in _ANYTHING:
        return found | _EVERYTHING
    if name in _MOVING:
        return found | Changes(moves=True)
    if name in _ASSIGNING:
        names = frozenset(_named(node.words[1:])) | frozenset(_ALSO.get(name, ()))
        return found | Changes(names, arrays=names if _makes_arrays(name, node) else frozenset())
    return found


def _makes_arrays(name: str, node: Simple) -> bool:
    options = [_written(word) for word in node.words[1:]]
    lists = any(text[:1] in ("-", "+", "") and "a" in text.lower() for text in options)
    return lists or name in ("mapfile", "readarray")


def _written(word: Parts) -> str:
    return "".join(part.value for part in word if isinstance(part, Text))


def _named(words: tuple[Parts, ...]) -> Iterable[str]:
    """Every name in the arguments of a builtin that assigns; a word too many does no harm."""
    for word in words:
        yield from re.findall(r"[A-Za-z_]\w*", _written(word).removeprefix("-v"))
