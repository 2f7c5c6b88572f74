"""A text made plain for searching, with the way back to where each piece of it stands.

Only the copy that is searched is changed; nobody ever gets to see it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from automode.probe.codepoints import (
    INVISIBLE,
    STACKED,
    look_alikes,
    plain_forms,
)

_LOOK_ALIKES = look_alikes()
_PLAIN = plain_forms()
_ASCII = bytes(range(128))
_DROPPED = frozenset(
    chr(code) for first, last in (*INVISIBLE, *STACKED) for code in range(first, last + 1)
)
_FEW = 24
_LAST_LATIN = "\u024f"
_LONGEST_WORD = 40

# Escapes of two characters become two blanks: the text keeps its length.
_ESCAPES = (("\\n", "  "), ("\\t", "  "), ("\\r", "  "), ('\\"', ' "'))


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` is searched; `kept` and `origins` are where its pieces start, here and before."""

    text: str
    kept: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)
    wide: str = ""  # with the letters of every alphabet; empty where there are none but Latin ones
    strange: frozenset[str] = frozenset()  # which characters beyond ASCII it held

    def origin(self, offset: int) -> int:
        """Where the character at `offset` stood before."""
        piece = bisect_right(self.kept, offset) - 1
        return self.origins[piece] + offset - self.kept[piece]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the piece from `start` to `end` stood before."""
        return self.origin(start), self.origin(end - 1) + 1 if end > start else self.origin(start)


def folded(text: str) -> Folded:
    """In small letters, without what does not show, disguised letters as what they pass for."""
    if text.isascii():
        return Folded(_small(text))
    # Most texts hold only a few kinds of strange characters: only those are looked for.
    strange = _strange(text)
    text = _exchanged(text, strange & _PLAIN.keys())
    text = _unmixed(text, strange & _LOOK_ALIKES.keys())
    pieces, kept, origins = _without(text, strange & _DROPPED)
    text = "".join(pieces)
    foreign = any(one > _LAST_LATIN and one.isalpha() for one in strange)
    wide = text.lower() if foreign else ""
    return Folded(_small(_narrow(text)), kept, origins, wide, frozenset(strange))


def _strange(text: str) -> set[str]:
    """The characters beyond ASCII; the others are thrown out as bytes, which is much faster."""
    data = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return set(data.decode("utf-8", "surrogatepass"))


def _small(text: str) -> str:
    if "\\" in text:
        for escape, blanks in _ESCAPES:
            text = text.replace(escape, blanks)
    return text.lower()


def _narrow(text: str) -> str:
    """The same length, a `?` for each letter that is not a Latin one: searched much faster."""
    return text.encode("latin-1", "replace").decode("latin-1")


def _exchanged(text: str, present: set[str]) -> str:
    """Each styled letter by its plain one."""
    if len(present) > _FEW:
        return text.translate({ord(one): _PLAIN[one] for one in present})
    for one in present:
        text = text.replace(one, _PLAIN[one])
    return text


def _without(text: str, present: set[str]) -> tuple[list[str], tuple[int, ...], tuple[int, ...]]:
    """The pieces that stay, and where they start: in what stays, and before."""
    pieces: list[str] = []
    kept, origins = [0], [0]
    at = length = 0
    for start, end in _gaps(text, present):
        pieces.append(text[at:start])
        length += start - at
        at = end
        kept.append(length)
        origins.append(at)
    pieces.append(text[at:])
    return pieces, tuple(kept), tuple(origins)


def _gaps(text: str, present: set[str]) -> Iterator[tuple[int, int]]:
    if len(present) == 1:
        expression = re.escape(*present)  # a plain search, and an ordinary text has just one kind
    elif present:
        expression = f"[{re.escape(''.join(present))}]++"
    else:
        return
    for gap in re.finditer(expression, text):
        yield gap.span()


def _unmixed(text: str, present: set[str]) -> str:
    """Words of two alphabets in one. A whole word in another alphabet is a word of that language;
    one that mixes two is a disguise."""
    if not present:
        return text
    foreign = "".join(present)
    border = re.compile(f"[{foreign}](?:(?=[a-zA-Z])|(?<=[a-zA-Z].))")
    word = re.compile(f"[a-zA-Z{foreign}]{{1,{_LONGEST_WORD}}}+")
    table = {ord(one): _LOOK_ALIKES[one] for one in present}
    pieces: list[str] = []
    at = 0
    for found in border.finditer(text):
        if found.start() < at:
            continue
        start = _word_start(text, found.start(), at)
        mixed = word.match(text, start)
        end = found.end() if mixed is None else max(mixed.end(), found.end())
        pieces += (text[at:start], text[start:end].translate(table))
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def _word_start(text: str, at: int, floor: int) -> int:
    lowest = max(floor, at - _LONGEST_WORD)
    while at > lowest and text[at - 1].isalpha():
        at -= 1
    return at
