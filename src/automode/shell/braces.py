"""Brace expansion: `{a,b}` and `{1..5}` in the unquoted parts of a word."""

import re
from itertools import pairwise

from automode.shell.script import HOLE
from automode.shell.syntax import Parts, Text, merged

WORD_LIMIT = 128
"""Words one word may become; past it the word is left as it is and is not understood."""

BRACE_LIMIT = 64
"""Opening braces one word may hold: finding pairs is quadratic in them."""

_RANGE = re.compile(r"(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?", re.ASCII)
_LONG_RANGE = re.compile(r"-?\w+\.\.-?\w+(?:\.\.-?\w+)?")
_Atom = str | Parts  # one unquoted character, or a piece that braces do not look into


def expanded(parts: Parts) -> list[Parts] | None:
    """The words that brace expansion makes of one word; None when they are too many."""
    if not any(isinstance(p, Text) and not p.quoted and "{" in p.value for p in parts):
        return [parts]
    atoms: list[_Atom] = []
    for part in parts:
        if isinstance(part, Text) and not part.quoted:
            atoms.extend(part.value)
        else:
            atoms.append((part,))
    if atoms.count("{") > BRACE_LIMIT:
        return None
    words = _expand(atoms, 0)
    return None if words is None else [_parts(word) for word in words]


def _parts(atoms: list[_Atom]) -> Parts:
    return merged([p for a in atoms for p in ((Text(a),) if isinstance(a, str) else a)])


def _expand(atoms: list[_Atom], depth: int) -> list[list[_Atom]] | None:
    span = _first_braces(atoms)
    if span is None:
        return [atoms]
    if depth > 8:
        return None
    start, end, choices = span
    before, after = atoms[:start], atoms[end + 1 :]
    tails = _expand(after, depth + 1)
    result: list[list[_Atom]] = []
    for choice in choices:
        middles = _expand(choice, depth + 1)
        if middles is None or tails is None or len(result) + len(middles) * len(tails) > WORD_LIMIT:
            return None
        result += [[*before, *middle, *tail] for middle in middles for tail in tails]
    return result


def _first_braces(atoms: list[_Atom]) -> tuple[int, int, list[list[_Atom]]] | None:
    """The first brace pair that expands: where it is, and what it offers."""
    for start, atom in enumerate(atoms):
        if atom != "{":
            continue
        depth, commas = 0, []
        for end in range(start, len(atoms)):
            if atoms[end] == "{":
                depth += 1
            elif atoms[end] == "," and depth == 1:
                commas.append(end)
            elif atoms[end] == "}":
                depth -= 1
                if depth == 0:
                    choices = _choices(atoms, start, end, commas)
                    if choices is not None:
                        return start, end, choices
                    break
    return None


def _choices(
    atoms: list[_Atom], start: int, end: int, commas: list[int]
) -> list[list[_Atom]] | None:
    if commas:
        edges = [start, *commas, end]
        return [atoms[one + 1 : other] for one, other in pairwise(edges)]
    inside = atoms[start + 1 : end]
    if not all(isinstance(atom, str) for atom in inside):
        return None
    text = "".join(str(atom) for atom in inside)
    found = _RANGE.fullmatch(text)
    if found is None:
        return [[HOLE]] if _LONG_RANGE.fullmatch(text) and text[:1] not in "." else None
    return _range(found[1], found[2], found[3])


def _range(first: str, last: str, step: str | None) -> list[list[_Atom]] | None:
    letters = first.isalpha() and last.isalpha()
    if not letters and (first.isalpha() or last.isalpha()):
        return None
    one, other = (ord(first), ord(last)) if letters else (int(first), int(last))
    stride = abs(int(step or 1)) or 1
    numbers = range(one, other + 1, stride) if one <= other else range(one, other - 1, -stride)
    padded = any(len(end.lstrip("-")) > 1 and end.lstrip("-")[0] == "0" for end in (first, last))
    if len(numbers) > WORD_LIMIT or padded:
        return [[HOLE]]
    return [list(chr(n) if letters else str(n)) for n in numbers]
