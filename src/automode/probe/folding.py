"""A text made plain for searching, with the way back to where each piece of it stands.

Only the copy that is searched is changed; nobody ever gets to see it.
"""

# ruff: noqa: RUF001 - look-alikes are the subject

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from automode.core.unseen import IGNORABLE

# Accents written behind their letter: stacked, they hide a word from a search and the eye.
_ACCENTS = ((0x0300, 0x036F), (0x0483, 0x0489), (0x1AB0, 0x1AFF), (0x20D0, 0x20FF))
_ANNOTATIONS = ((0xFFF9, 0xFFFB),)
_INVISIBLE = (*IGNORABLE, *_ANNOTATIONS, *_ACCENTS)
_DROPPED = frozenset(chr(code) for first, last in _INVISIBLE for code in range(first, last + 1))
# Accented Latin, letter-like signs, circled, wide and mathematical letters.
_STYLED = chain(
    *(range(0xC0, 0x250), range(0x1E00, 0x1F00), range(0x2100, 0x2150)),
    *(range(0x24B6, 0x24EA), range(0xFF01, 0xFF5F), range(0x1D400, 0x1D800)),
)
# A Latin letter, and the letters of other alphabets that pass for it.
_PASSING = (
    "aаɑαᴀӑ bьɓʙβ cсϲᴄ dԁɗᴅ eеєεᴇҽ fғƒ gɡգɢ hһհʜ iіιıɪӏ jјᴊ kкκᴋ lⅼʟӏ mмᴍ nпηռɴ"
    " oоοօᴏσ pрρᴘ qԛգ rгʀᴦ sѕꜱ tтτᴛ uυսᴜ vνѵᴠ wԝѡᴡω xхχ yуүʏγ zᴢ"
)
ALIKE = {letters[0]: letters[1:] for letters in _PASSING.split()}
_ASCII = bytes(range(128))
_FEW = 24
_LAST_LATIN = "\u024f"
_LONGEST_WORD = 40
# Escapes of two characters become two blanks: the text keeps its length.
_ESCAPES = (("\\n", "  "), ("\\t", "  "), ("\\r", "  "), ('\\"', ' "'))


def _look_alikes() -> dict[str, str]:
    """Letters of other alphabets and the Latin ones they pass for; each way in both sizes."""
    found: dict[str, str] = {}
    for letter, alike in ALIKE.items():
        for other in alike + alike.upper():
            # A capital may be several characters long; those pass for nothing.
            if not other.isascii():
                found.setdefault(other, letter)
    return found


def _plain_forms() -> dict[str, str]:
    """Styled, wide and accented letters and the one ASCII character each of them is."""
    found: dict[str, str] = {"\u0130": "i"}  # the one letter that grows when made small
    for code in _STYLED:
        form = unicodedata.normalize("NFKD", chr(code))[:1]
        if form.isascii() and form.isprintable():
            found[chr(code)] = form
    return found


_LOOK_ALIKES = _look_alikes()
_PLAIN = _plain_forms()


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


def fold(text: str) -> Folded:
    """In small letters, without what does not show, disguised letters as what they pass for."""
    if text.isascii():
        return Folded(_small(text))
    # Most texts hold only a few kinds of strange characters: only those are looked for.
    # ASCII is thrown out as bytes, which is much faster.
    data = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    strange = set(data.decode("utf-8", "surrogatepass"))
    text = _exchange(text, strange & _PLAIN.keys())
    text = _unmix(text, strange & _LOOK_ALIKES.keys())
    pieces, kept, origins = _drop(text, strange & _DROPPED)
    text = "".join(pieces)
    foreign = any(one > _LAST_LATIN and one.isalpha() for one in strange)
    wide = text.lower() if foreign else ""
    # A `?` for each letter that is not a Latin one: the same length, searched much faster.
    narrow = text.encode("latin-1", "replace").decode("latin-1")
    return Folded(_small(narrow), kept, origins, wide, frozenset(strange))


def _small(text: str) -> str:
    if "\\" in text:
        for escape, blanks in _ESCAPES:
            text = text.replace(escape, blanks)
    return text.lower()


def _exchange(text: str, present: set[str]) -> str:
    """Each styled letter by its plain one."""
    if len(present) > _FEW:
        return text.translate({ord(one): _PLAIN[one] for one in present})
    for one in present:
        text = text.replace(one, _PLAIN[one])
    return text


def _drop(text: str, present: set[str]) -> tuple[list[str], tuple[int, ...], tuple[int, ...]]:
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


def _unmix(text: str, present: set[str]) -> str:
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
