"""A regular expression as a small tree: read, looked into, and written again for Python's `re`.

The tree has no flags. A letter that may be large or small is the set of both, `\\w` is the set of
its ASCII characters, as in RE2. Whatever has no place in the tree is an error, never left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from re import _parser  # type: ignore[attr-defined]  # the only parser of this syntax at hand
from typing import NoReturn

ASCII = frozenset(map(chr, range(128)))
_DIGITS = frozenset("0123456789")
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") | _DIGITS
_SPACES = frozenset(" \t\n\r\f\v")
_CLASSES = {"DIGIT": _DIGITS, "WORD": _WORD, "SPACE": _SPACES}
_PLACES = {
    "BEGINNING": r"\A",
    "BEGINNING_STRING": r"\A",
    "END": r"\Z",
    "END_STRING": r"\Z",
    "BOUNDARY": r"\b",
    "NON_BOUNDARY": r"\B",
}
_IGNORE_CASE, _DOT_ALL = 2, 16


class Untranslatable(Exception):
    """The source says something that these tables cannot say."""


@dataclass(frozen=True, slots=True)
class Char:
    """One character: the ASCII ones it accepts, and whether it accepts all others too."""

    accepts: frozenset[str]
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A condition on where we are; takes no character."""

    spelling: str


@dataclass(frozen=True, slots=True)
class Repeat:
    body: "Node"
    least: int
    most: int | None
    mode: str = ""  # greedy; `?` lazy; `+` possessive


@dataclass(frozen=True, slots=True)
class Group:
    items: tuple["Node", ...]
    captures: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    options: tuple[Group, ...]


Node = Char | Place | Repeat | Group | Choice


def parsed(pattern: str) -> Group:
    tree = _parser.parse(pattern)
    return _group(tree, tree.state.flags)


def _group(tree: object, flags: int) -> Group:
    return Group(tuple(_node(*_named(item), flags) for item in _list(getattr(tree, "data", tree))))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else _refuse(value)


def _named(item: object) -> tuple[str, object]:
    match item:
        case (op, argument):
            return str(op), argument
        case _:
            return _refuse(item)


def _node(name: str, argument: object, flags: int) -> Node:
    match name, argument:
        case "AT", place if spelling := _PLACES.get(str(place).removeprefix("AT_")):
            return Place(spelling)
        case "MAX_REPEAT" | "MIN_REPEAT", (int(least), int(most), body):
            bound = most if most < _parser.MAXREPEAT else None
            lazy = "?" if name == "MIN_REPEAT" else ""
            return Repeat(_unwrapped(_group(body, flags)), least, bound, lazy)
        case "SUBPATTERN", (number, int(added), int(removed), body):
            inside = _group(body, (flags | added) & ~removed)
            return replace(inside, captures=number is not None)
        case "BRANCH", (_, options):
            return Choice(tuple(_group(option, flags) for option in _list(options)))
        case _:
            return _char(name, argument, flags)


def _char(name: str, argument: object, flags: int) -> Char:
    match name, argument:
        case "LITERAL", int(code):
            return Char(_cases(chr(code), flags))
        case "NOT_LITERAL", int(code):
            return Char(ASCII - _cases(chr(code), flags), wide=True)
        case "ANY", _:
            return Char(ASCII if flags & _DOT_ALL else ASCII - {"\n"}, wide=True)
        case "IN", list(members):
            return _set(members, flags)
        case _:
            return _refuse((name, argument))


def _set(members: Sequence[object], flags: int) -> Char:
    accepts: set[str] = set()
    wide = negated = False
    for member in members:
        match _named(member):
            case "NEGATE", _:
                negated = True
            case "LITERAL", int(code):
                accepts |= _cases(chr(code), flags)
            case "RANGE", (int(low), int(high)):
                wide = wide or high > 127
                for code in range(low, min(high, 127) + 1):
                    accepts |= _cases(chr(code), flags)
            case "CATEGORY", category:
                some, others = _class(str(category).removeprefix("CATEGORY_"))
                accepts, wide = accepts | some, wide or others
            case _:
                _refuse(member)
    return Char(ASCII - accepts, wide=True) if negated else Char(frozenset(accepts), wide)


def _class(name: str) -> tuple[frozenset[str], bool]:
    kept, members = not name.startswith("NOT_"), _CLASSES.get(name.removeprefix("NOT_"))
    if members is None:
        _refuse(name)
    return (members, False) if kept else (ASCII - members, True)


def _cases(character: str, flags: int) -> frozenset[str]:
    if not character.isascii():
        _refuse(character)
    both = {character.lower(), character.upper()} if flags & _IGNORE_CASE else {character}
    return frozenset(both)


def _refuse(what: object) -> NoReturn:
    raise Untranslatable(f"no such thing in these tables: `{what}`")


def _unwrapped(group: Group) -> Node:
    return group.items[0] if len(group.items) == 1 else group


# Writing


def spelled(node: Node) -> str:
    match node:
        case Place(spelling):
            return spelling
        case Char():
            return _spelled_char(node)
        case Group(items, captures):
            return f"({'' if captures else '?:'}{spelled_in_a_row(items)})"
        case Choice(options):
            return f"(?:{'|'.join(spelled_in_a_row(one.items) for one in options)})"
        case Repeat(Repeat() | Place() as body, least, most, mode):
            return f"(?:{spelled(body)}){_spelled_times(least, most)}{mode}"
        case Repeat(body, least, most, mode):
            return spelled(body) + _spelled_times(least, most) + mode


def spelled_in_a_row(items: Sequence[Node]) -> str:
    """Letters of either case are told once for a whole word."""
    return "".join(
        f"(?i:{''.join(map(_small, word))})" if either else "".join(map(spelled, word))
        for either, word in groupby(items, lambda node: _small(node) != "")
    )


def _small(node: Node) -> str:
    """The small one of a letter's two cases, where both are accepted and nothing else."""
    match node:
        case Char(accepts, wide=False) if len(accepts) == 2:
            large, small = sorted(accepts)
            return small if large.lower() == small else ""
        case _:
            return ""


def _spelled_times(least: int, most: int | None) -> str:
    simple = {(0, 1): "?", (0, None): "*", (1, None): "+"}
    if (least, most) in simple:
        return simple[least, most]
    return f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"


def _spelled_char(char: Char) -> str:
    if char.wide:
        return f"[^{_ranges(ASCII - char.accepts)}]" if char.accepts != ASCII else r"[\s\S]"
    if len(char.accepts) == 1:
        return _escaped(*char.accepts)
    inside = _ranges(char.accepts)
    return inside if inside in {r"\w", r"\d", r"\s"} else f"[{inside}]"


def _ranges(characters: frozenset[str]) -> str:
    spelling = ""
    rest = characters
    for name, members in (("\\w", _WORD), ("\\d", _DIGITS), ("\\s", _SPACES)):
        if members <= rest:
            spelling, rest = spelling + name, rest - members
    codes = sorted(map(ord, rest))
    while codes:
        low = high = codes.pop(0)
        while codes and codes[0] == high + 1:
            high = codes.pop(0)
        ends = (_escaped(chr(low), r"\]^-"), _escaped(chr(high), r"\]^-"))
        spelling += "-".join(ends) if high - low > 1 else "".join(dict.fromkeys(ends))
    return spelling


def _escaped(character: str, special: str = r".^$*+?{}[]\|()") -> str:
    if not character.isprintable():
        return f"\\x{ord(character):02x}"
    return "\\" + character if character in special else character
