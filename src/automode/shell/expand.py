"""Words of a script as bash would expand them, as far as that can be known."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import pairwise

from automode.shell.script import HOLE, Origin, Word
from automode.shell.state import NUMBER, UNKNOWN_VALUE, State
from automode.shell.syntax import Arith, Param, Part, Parts, Sub, Text, merge
from automode.shell.variables import (
    arithmetic_hazard,
    conditional_hazard,
    evaluated_name,
    expansion,
)

WORD_LIMIT_CHARACTERS = 100_000
"""A longer word is not put together: its parts may be the same long variable over and over."""

_GLOB = re.compile(r"[*?]|\[.*\]|[@!+]\(", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_TILDE = re.compile(r"~([^/:]*)")
_HOLES = re.compile(HOLE + "+")
_PRINTED = re.compile(r"\$\([^()]*\)")
_BLANKS = " \t\n"
_LIVE = re.compile(rf"[~{{*?\[({HOLE}]")
"""Without one of these, text outside quotes is a word as it stands: no tilde, brace or glob."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one part of a word expands to."""

    word: Word
    quoted: bool  # neither split nor globbed
    splits: bool = False  # unknown how many words it is: unquoted and unknown, or `"$@"`
    written: bool = False  # stands in the script itself: globbed perhaps, but never split


@dataclass(slots=True)
class Expander:
    """`substitute` reads the script inside `$(…)` and says what it would print."""

    state: State
    substitute: Callable[[Sub], Word]
    gap: Callable[[str], None]
    hazard: Callable[[str, str], None]  # why, and the text that bash evaluates
    step: Callable[[int], None] = lambda count: None  # counts the work done
    unknown: Callable[[bool], None] = lambda printed: None  # told of each value from outside

    def words(self, parts: Parts) -> list[Word]:
        """One written word as the words the program gets."""
        itself = _as_it_stands(parts)
        if itself is not None:
            self.step(1)
            return [itself]
        alternatives = expand_braces(parts)
        if alternatives is None:
            self.gap("a brace expansion is too large")
            return [Word(HOLE, Origin.UNKNOWN, splits=True)]
        self.step(4 * len(alternatives) - 3)  # choosing them was work too
        return [word for alternative in alternatives for word in self.fields(alternative)]

    def declaration_words(self, parts: Parts) -> list[Word]:
        """An argument of `export` and kin: what looks like an assignment is not split."""
        if not looks_assigned(parts):
            return self.words(parts)
        alternatives = expand_braces(parts)
        if alternatives is None:
            return self.words(parts)
        return [self.word(alternative, literal=True) for alternative in alternatives]

    def fields(self, parts: Parts) -> list[Word]:
        pieces = self.pieces(parts)
        if any(piece.word.value is None for piece in pieces):
            return [self.join(pieces)]
        return _split(pieces)

    def word(self, parts: Parts, *, literal: bool = False, assigned: bool = False) -> Word:
        """One word. `literal`: neither split nor globbed, as in assignments and after `<<<`."""
        itself = _as_it_stands(parts)
        if itself is not None:
            return itself
        pieces = self.pieces(parts, assigned=assigned)
        if literal:
            pieces = [replace(piece, quoted=True, splits=False) for piece in pieces]
        return self.join(pieces)

    def join(self, pieces: list[_Piece]) -> Word:
        text = _HOLES.sub(HOLE, "".join(piece.word.text for piece in pieces))
        if len(text) > WORD_LIMIT_CHARACTERS and len(pieces) > 1:
            self.gap("a word is too long")
            return UNKNOWN_VALUE
        origin = max((piece.word.origin for piece in pieces), default=Origin.LITERAL)
        if origin is Origin.LITERAL and _GLOB.search(_pattern(pieces)):
            origin = Origin.GLOB
        splits = any(piece.splits or _breaks(piece) for piece in pieces)
        plain = bool(pieces) and pieces[0].word.plain and all(_stays(p) for p in pieces)
        number = len(pieces) == 1 and pieces[0].word.number
        return Word(text, origin, splits, plain, number)

    def pieces(self, parts: Parts, *, assigned: bool = False) -> list[_Piece]:
        assignment = assigned or looks_assigned(parts)
        found: list[_Piece] = []
        for position, part in enumerate(parts):
            if isinstance(part, Text) and not part.quoted and "~" in part.value:
                closed = position + 1 == len(parts)
                found.append(self.tildes(part, first=position == 0, closed=closed, all_=assignment))
            else:
                found.append(self.part(part))
        return found

    def tildes(self, part: Text, *, first: bool, closed: bool, all_: bool) -> _Piece:
        """Text with its tildes expanded: at the start of a word, and in what looks like an
        assignment after `=` and every `:`. `~"x"` is none: the name must be written out."""
        text, origin, plain = part.value, Origin.LITERAL, False
        starts = [0] if first else []
        if all_:
            name = _ASSIGNMENT.match(text) if first else None
            equals = name.end() if name else 0
            starts += [m.end() for m in re.finditer(":", text) if m.end() >= equals]
            starts += [equals] if equals else []
        for start in sorted(set(starts), reverse=True):
            user = _TILDE.match(text, start)
            if user is None or (user.end() == len(text) and not closed):
                continue
            home = self.home(user[1])
            text = text[:start] + home.text + text[user.end() :]
            origin, plain = max(origin, home.origin), plain or start == 0
        if origin is Origin.LITERAL and _GLOB.search(part.value):
            origin = Origin.GLOB
        return _Piece(Word(text, origin, plain=plain), quoted=True)

    def home(self, user: str) -> Word:
        if user == "":
            return self.state.value("HOME")
        if user == "+" and self.state.cwd is not None:
            return Word(self.state.cwd)
        if user in ("+", "-"):
            return UNKNOWN_VALUE
        return Word("/root" if user == "root" else f"/home/{user}", Origin.UNKNOWN)

    def part(self, part: Part) -> _Piece:
        match part:
            case Text():
                if HOLE in part.value:  # a long range such as {1..1000}
                    return _Piece(Word(part.value, Origin.DERIVED, plain=True), quoted=True)
                return _Piece(Word(part.value), part.quoted, written=True)
            case Param():
                return self.parameter(part)
            case Sub():
                word = self.substitute(part)
                quoted = part.quoted or part.kind != "$("
                return _Piece(word, quoted, splits=not quoted and word.value is None)
            case Arith():
                self.evaluate(part.raw, part.inner, arithmetic_hazard)
                return _Piece(NUMBER, quoted=True)

    def evaluate(
        self, raw: str, inner: Parts, why: Callable[[str, Parts, Collection[str]], str]
    ) -> None:
        """Text that the shell calculates with. A number that a command prints is as good as one
        that is written there, and so is nothing, which is what it prints when it fails."""
        numbers = [self.part(part).word.number for part in inner]
        printed = [
            part for part, known in zip(inner, numbers, strict=True) if known and is_printed(part)
        ]
        if printed and len(_PRINTED.findall(raw)) == len(printed):
            rest = tuple(part for part in inner if part not in printed)
            nothing = () if why is conditional_hazard else ("",)
            texts = [_PRINTED.sub(number, raw) for number in ("0", *nothing)]
        else:
            rest, texts = inner, [raw]
        hazard = next(filter(None, (why(text, rest, self.state.numbers) for text in texts)), "")
        if hazard:
            self.hazard(hazard, raw)

    def parameter(self, part: Param) -> _Piece:
        inner = self.look_inside(part.inner)
        asked = expansion(part, self.state.numbers)
        if asked.hazard:
            self.hazard(asked.hazard, f"{part.raw} {self.state.value(asked.name).text}")
        if asked.operator in (":=", "=") and evaluated_name(asked.name):
            self.hazard("the shell evaluates what is assigned", part.raw)
        word = self.value_of(asked.name, asked.operator, inner)
        if Origin.UNKNOWN in (word.origin, inner):
            # `${name:?text}` prints the text as an error.
            self.unknown(inner is Origin.UNKNOWN and asked.operator in (":?", "?"))
        several = asked.name in ("@", "*") or asked.several
        return _Piece(word, part.quoted, splits=several or (not part.quoted and word.value is None))

    def value_of(self, name: str, operator: str, inner: Origin) -> Word:
        known = self.state.value(name) if name else UNKNOWN_VALUE
        if operator == "":
            return known
        if operator == "#":
            return NUMBER
        if operator in (":-", "-", ":=", "=", ":?", "?") and known.value:
            return known
        if operator in (":=", "="):
            self.state.assign(name, Word(HOLE, max(inner, Origin.DERIVED)))
        return Word(HOLE, max(known.origin, inner, Origin.DERIVED))

    def look_inside(self, inner: Parts) -> Origin:
        """What an expansion nests is expanded too: `${x:-$(cmd)}` may run the command."""
        return max([self.part(part).word.origin for part in inner], default=Origin.LITERAL)


def is_printed(part: Part) -> bool:
    return isinstance(part, Sub) and part.kind == "$("


def _as_it_stands(parts: Parts) -> Word | None:
    """The word itself where nothing in it is expanded, as in nearly all; None for any other."""
    if len(parts) != 1 or not isinstance(text := parts[0], Text):
        return None
    changes = HOLE in text.value if text.quoted else _LIVE.search(text.value)
    return None if changes else Word(text.value)


def looks_assigned(parts: Parts) -> bool:
    first = parts[0] if parts else None
    return isinstance(first, Text) and not first.quoted and bool(_ASSIGNMENT.match(first.value))


def _breaks(piece: _Piece) -> bool:
    """Whether an unquoted value has blanks in it, so that the word becomes several."""
    return not (piece.quoted or piece.written) and any(char in piece.word.text for char in _BLANKS)


def _stays(piece: _Piece) -> bool:
    """Whether the piece cannot begin a further word that is not known."""
    return not _breaks(piece) and (not piece.splits or piece.word.plain)


def _pattern(pieces: list[_Piece]) -> str:
    """The word as globbing sees it: quoted characters are never special."""
    return "".join("q" * len(p.word.text) if p.quoted else p.word.text for p in pieces)


def _split(pieces: list[_Piece]) -> list[Word]:
    """Known pieces split at blanks, as bash does with what is not quoted."""
    fields: list[Word] = []
    current: list[_Piece] = []
    for piece in pieces:
        if piece.quoted or piece.written:
            current.append(piece)
            continue
        for index, text in enumerate(re.split(f"[{_BLANKS}]+", piece.word.text)):
            if index > 0 and current:
                fields.append(_field(current))
                current = []
            if text:
                current.append(_Piece(Word(text), quoted=False))
    return [*fields, _field(current)] if current else fields


def _field(pieces: list[_Piece]) -> Word:
    text = "".join(piece.word.text for piece in pieces)
    origin = Origin.GLOB if _GLOB.search(_pattern(pieces)) else Origin.LITERAL
    plain = pieces[0].word.plain
    return Word(text, origin, plain=plain)


WORD_LIMIT = 128
"""Words one word may become; past it the word is left as it is and is not understood."""

BRACE_LIMIT = 64
"""Opening braces one word may hold: finding pairs is quadratic in them."""

_RANGE = re.compile(r"(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?", re.ASCII)
_LONG_RANGE = re.compile(r"-?\w+\.\.-?\w+(?:\.\.-?\w+)?")
_Atom = str | Parts  # one unquoted character, or a piece that braces do not look into


def expand_braces(parts: Parts) -> list[Parts] | None:
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
    return None if words is None else [_joined_atoms(word) for word in words]


def _joined_atoms(atoms: list[_Atom]) -> Parts:
    return merge([p for a in atoms for p in ((Text(a),) if isinstance(a, str) else a)])


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
