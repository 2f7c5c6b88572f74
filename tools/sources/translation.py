"""One rule of the source, a RE2 pattern made for scanning files, as a row of our tables.

Who scans files wants what is surely a secret; who takes secrets out of a sentence wants all that
may be one. So nothing is asked of what follows, a secret may be longer than the source says, and
only the secret itself is captured. No row may take more than linear time.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from tools.sources.regex_tree import (
    ASCII,
    Char,
    Choice,
    Group,
    Node,
    Place,
    Repeat,
    Untranslatable,
    parsed,
    spelled,
    spelled_in_a_row,
)
from tools.sources.regex_words import first, longest_word, starts

_SHORTEST_MARK = 2  # characters
_LONGEST_GAP = 400  # characters that may be given back, one by one, when a match fails

# How the source spells "a word, then a sign of assignment, then the value".
_BETWEEN = r"""(?:[ \t\w.-]{0,20})[\s'"]{0,3}"""
_ASSIGNED = r"""(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""
_AFTER = r"""(?:\\?['"\x60]|[\s;]|\\[nr]|$)"""
_NAMED = tuple(
    re.compile(f"{re.escape(start)}(?P<word>.+){re.escape(frame)}(?P<value>.+){re.escape(end)}")
    for start, frame, end in (
        ("(?i)(?:", f"){_BETWEEN}{_ASSIGNED}(", f"){_AFTER}"),
        ("(?i:(?:", f"){_BETWEEN}){_ASSIGNED}(", f"){_AFTER}"),
    )
)
_FLAGS = re.compile(r"\(\?([a-z]+)\)")
_NO_WORD_AFTER = Place(r"(?!\w)")
_WORDLIKE = frozenset(filter(str.isalnum, ASCII)) | {"_"}
_ANYTHING = Char(ASCII, wide=True)


Kind = Literal["begins", "holds", "named"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Row:
    """A match `begins` with one of the marks, or `holds` one; or a value is a secret because of
    the word before it, and the patterns are the word's, which begins with a mark, and its own."""

    kind: Kind
    marks: tuple[str, ...]
    patterns: tuple[str, ...]


def translated(pattern: str) -> Row:
    for form in _NAMED:
        if (found := form.fullmatch(pattern)) is not None:
            flags = "(?i)" if pattern.startswith("(?i)") else ""
            return _named(found["word"], flags + found["value"])
    return _shaped(_opened(parsed(python_syntax(pattern)).items))


def _named(word: str, value: str) -> Row:
    before = _possessive(_plain(parsed(f"(?i){word}").items), _ANYTHING)
    if not (marks := _marks(starts(before))):
        raise Untranslatable(f"no word to look for: `{word}`")
    body = _plain(parsed(python_syntax(value)).items)
    return Row("named", marks, (_spelled(before), _spelled(_secret(body, exact=True))))


def _shaped(items: tuple[Node, ...]) -> Row:
    before, body, ends = _parts(items)
    before = _possessive(tuple(map(_looking_back, before)), first(body))
    marks = _marks(starts((*before, *body)))
    secret = _secret(body, exact=ends and not _telling(marks))
    pattern = f"{_spelled(before)}({_spelled(secret)})"
    if marks:
        return Row("begins", marks, (pattern,))
    if len(mark := longest_word((*before, *body))) >= _SHORTEST_MARK:
        return Row("holds", (mark,), (pattern,))
    raise Untranslatable(f"nothing literal in it to look for: `{pattern}`")


def _telling(marks: tuple[str, ...]) -> bool:
    """Such as `ghp_`: whatever goes on behind it is a secret, also if it is longer than it was
    when the source was written. Behind `akia` or `re_` stands many another thing."""
    return bool(marks) and all(len(one) >= 4 and not one[-1].isalnum() for one in marks)


def _marks(words: list[str]) -> tuple[str, ...]:
    return tuple(words) if words and min(map(len, words)) >= _SHORTEST_MARK else ()


def _spelled(items: Sequence[Node]) -> str:
    for node in items:
        _insist_on_linear(node)
    return spelled_in_a_row(items)


def python_syntax(pattern: str) -> str:
    """What RE2 spells differently: the end of the text, named sets, flags in the middle."""
    pattern = pattern.replace(r"\z", r"\Z").replace("[:alnum:]", "A-Za-z0-9")
    flags = ""
    while (found := _FLAGS.match(pattern)) is not None:
        flags, pattern = flags + found[1], pattern[found.end() :]
    while (found := _FLAGS.search(pattern)) is not None:
        rest = pattern[found.end() :]
        end = _end_of_group(rest)
        inside = f"(?{found[1]}:{rest[:end]})"
        pattern = pattern[: found.start()] + inside + rest[end:]
    return f"(?{flags}){pattern}" if flags else pattern


def _end_of_group(text: str) -> int:
    """Where the group that is open at the beginning closes."""
    depth = 0
    for piece in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]])*\]|[()|]", text):
        match piece[0]:
            case "(":
                depth += 1
            case ")" if depth == 0:
                return piece.start()
            case ")":
                depth -= 1
            case "|" if depth == 0:
                raise Untranslatable(f"a flag that holds for several options: `{text}`")
            case _:
                pass
    return len(text)


def _opened(items: tuple[Node, ...]) -> tuple[Node, ...]:
    match items:
        case (Group(inside, captures=False),):
            return _opened(inside)
        case _:
            return items


def _parts(items: tuple[Node, ...]) -> tuple[tuple[Node, ...], tuple[Node, ...], bool]:
    """What stands before the secret, the secret (the last group, or all of it), and whether
    something must end it."""
    ends = _is_end(items[-1])
    items = _without_end(items)
    groups = [at for at, node in enumerate(items) if isinstance(node, Group) and node.captures]
    if not groups:
        return (), _plain(items), ends
    at = groups[-1]
    if at != len(items) - 1:
        raise Untranslatable(f"more behind the secret: `{_spelled(items[at + 1 :])}`")
    return _plain(items[:at]), _plain((items[at],)), ends


def _without_end(items: tuple[Node, ...]) -> tuple[Node, ...]:
    return _without_end(items[:-1]) if items and _is_end(items[-1]) else items


def _is_end(node: Node) -> bool:
    """Nothing but: here the secret is over."""
    match node:
        case Place():
            return True
        case Group((inside,), captures=False):
            return _is_end(inside)
        case Choice(options):
            return any(option.items in {(Place(r"\Z"),), (Place(r"\b"),)} for option in options)
        case _:
            return False


def _plain(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """Without captures and needless groups."""
    found: list[Node] = []
    for node in items:
        match node:
            case Group(inside):
                found += _plain(inside)
            case Choice(options):
                found.append(_one_char([Group(_plain(option.items)) for option in options]))
            case Repeat(body):
                inside = _plain((body,))
                once = inside[0] if len(inside) == 1 else Group(inside)
                found.append(replace(node, body=once))
            case _:
                found.append(node)
    return tuple(found)


def _one_char(options: list[Group]) -> Node:
    """`.|[\\r\\n]` is one set."""
    chars = [one.items[0] for one in options if len(one.items) == 1]
    sets = [one for one in chars if isinstance(one, Char)]
    if len(sets) < len(options):
        return Choice(tuple(options))
    return Char(frozenset[str]().union(*(one.accepts for one in sets)), any(o.wide for o in sets))


def _looking_back(node: Node) -> Node:
    """`(?:^|[^a-z])` takes a character; the one between two secrets can be taken only once."""
    match node:
        case Choice((Group((Place(r"\A"),)), Group((Char(accepts, wide),)))):
            return Place(f"(?<!{spelled(Char(ASCII - accepts, not wide))})")
        case _:
            return node


def _secret(items: tuple[Node, ...], *, exact: bool) -> tuple[Node, ...]:
    items = _with_the_rest(_without_end(items), exact=exact)
    items = _possessive(items, Char(frozenset()))
    return items if _takes_the_rest(items[-1]) else (*items, _NO_WORD_AFTER)


def _with_the_rest(items: tuple[Node, ...], *, exact: bool) -> tuple[Node, ...]:
    """A secret whose length may vary is taken as long as it goes on."""
    match items:
        case (*front, Repeat(Char() as body, least, most, mode)) if not (exact and least == most):
            if least == 0 and front and most is not None:  # padding
                return (*_with_the_rest(tuple(front), exact=exact), Repeat(body, 0, most, mode))
            return (*front, Repeat(body, least, None, "+"))
        case (*front, Choice(options)):
            every = (Group(_with_the_rest(one.items, exact=exact)) for one in options)
            return (*front, Choice(tuple(every)))
        case _:
            return items


def _takes_the_rest(node: Node) -> bool:
    match node:
        case Repeat(_, _, None, "+"):
            return True
        case Repeat(Char(accepts), 0) | Char(accepts):
            return not accepts & _WORDLIKE
        case Choice(options):
            return all(_takes_the_rest(one.items[-1]) for one in options)
        case _:
            return False


def _possessive(items: tuple[Node, ...], then: Char) -> tuple[Node, ...]:
    """A repeat that ends where the next thing begins need not give anything back."""
    found: list[Node] = []
    for at, node in enumerate(items):
        after = first((*items[at + 1 :], then))
        match node:
            case Repeat(Char() as body, least, most, "") if least != most and _apart(body, after):
                found.append(replace(node, mode="+"))
            case Repeat(Group(inside), 0, 1):
                found.append(replace(node, body=Group(_possessive(inside, after))))
            case Choice(options):
                every = (Group(_possessive(one.items, after)) for one in options)
                found.append(Choice(tuple(every)))
            case _:
                found.append(node)
    return tuple(found)


def _apart(one: Char, other: Char) -> bool:
    return not one.accepts & other.accepts and not (one.wide and other.wide)


def _insist_on_linear(node: Node) -> None:
    match node:
        case Repeat(_, least, most, mode) if mode != "+" and (
            most is None or most - least > _LONGEST_GAP
        ):
            raise Untranslatable(f"may take more than linear time: `{spelled(node)}`")
        case Repeat(body):
            _insist_on_linear(body)
        case Group(items):
            for item in items:
                _insist_on_linear(item)
        case Choice(options):
            for option in options:
                _insist_on_linear(option)
        case _:
            pass
