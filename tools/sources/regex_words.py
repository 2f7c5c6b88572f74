"""What can be told about a regular expression without running it: how its matches begin, and
which words stand in all of them."""

from collections.abc import Iterator, Sequence

from tools.sources.regex_tree import ASCII, Char, Choice, Group, Node, Place, Repeat

_MANY_STARTS = 8
_MANY_LETTERS = 4
_EITHER_CASE = "\0"  # behind a letter


def first(items: Sequence[Node]) -> Char:
    """Every character with which a match of these may begin; all of them if it may be empty."""
    accepts: frozenset[str] = frozenset()
    wide = False
    for node in items:
        found, may_be_empty = _first(node)
        accepts, wide = accepts | found.accepts, wide or found.wide
        if not may_be_empty:
            return Char(accepts, wide)
    return Char(ASCII, wide=True)


def _first(node: Node) -> tuple[Char, bool]:
    match node:
        case Char():
            return node, False
        case Place():
            return Char(frozenset()), True
        case Repeat(body, least, _):
            found, empty = _first(body)
            return found, empty or least == 0
        case Group(items):
            return first(items), False
        case Choice(options):
            every = [first(option.items) for option in options]
            accepts = frozenset[str]().union(*(one.accepts for one in every))
            return Char(accepts, any(one.wide for one in every)), False


def starts(items: Sequence[Node]) -> list[str]:
    """Words of which every match begins with one, as long as they can be told. A word that may be
    written in either case is in small letters."""
    found = {_word(letters) for letters in _starts(items)[0]}
    return sorted(one for one in found if not any(one != o and one.startswith(o) for o in found))


def _starts(items: Sequence[Node]) -> tuple[set[str], bool]:
    """The words, and whether they go on behind these items."""
    words = {""}
    for node in items:
        more, whole = _node_starts(node)
        if not more or len(words) * len(more) > _MANY_STARTS:
            return words, False
        words = {word + one for word in words for one in more}
        if not whole:
            return words, False
    return words, True


def _node_starts(node: Node) -> tuple[set[str], bool]:
    match node:
        case Place():
            return {""}, True
        case Char(accepts, wide):
            letters = _letters(accepts)
            return (letters if len(letters) <= _MANY_LETTERS and not wide else set()), True
        case Group(items):
            return _starts(items)
        case Choice(options):
            every = [_starts(option.items) for option in options]
            return set[str]().union(*(words for words, _ in every)), all(w for _, w in every)
        case Repeat(body, least, most, _) if least > 0:
            words, whole = _node_starts(body)
            return words, whole and least == most == 1
        case Repeat(body, 0, 1, _):
            words, whole = _node_starts(body)
            return (words | {""}, True) if words and whole else (set(), False)
        case Repeat():
            return set(), False


def longest_word(items: Sequence[Node]) -> str:
    """The longest word that stands in every match, with the same rule of case."""
    words, word = [], ""
    for node in [*_flat(items), Place("")]:
        match node:
            case Char(accepts, wide=False) if len(letters := _letters(accepts)) == 1:
                word += letters.pop()
            case _:
                words.append(_word(word))
                word = ""
    return max(words, key=len)


def _letters(accepts: frozenset[str]) -> set[str]:
    small = {one.lower() for one in accepts}
    return {one + _EITHER_CASE for one in small} if len(small) < len(accepts) else set(accepts)


def _word(letters: str) -> str:
    return letters.replace(_EITHER_CASE, "").lower() if _EITHER_CASE in letters else letters


def _flat(items: Sequence[Node]) -> Iterator[Node]:
    for node in items:
        if isinstance(node, Group):
            yield from _flat(node.items)
        else:
            yield node
