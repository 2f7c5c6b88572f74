"""Pieces of a text that say something else once decoded: base64, hex, escapes, ciphers, tags.

Whatever is found is only text to look at: nothing decoded here is ever run, kept or shown.
"""

import re
from binascii import a2b_base64, unhexlify
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from string import ascii_letters, digits, hexdigits

from automode.probe.codepoints import SELECTORS, TAGS, character_class
from automode.probe.folding import Folded
from automode.probe.windows import Places


@dataclass(frozen=True, slots=True)
class Island:
    """`text` is what stands from `start` to `end`, decoded."""

    start: int
    end: int
    text: str
    how: str
    unseen: bool = False  # whether nothing of it shows: that alone is suspect


def islands(text: str, plain: Folded, places: Places) -> Iterator[Island]:
    """`plain` is the same text, folded; `places` are those in it."""
    yield from _runs(text)
    yield from _escaped(text)
    yield from _ciphered(plain, places)
    if max(plain.strange, default="") >= _FIRST_UNSEEN:
        yield from _unseen(text)


_SHORTEST_RUN = 24
_LONG_RUN = 80
_LOOK = 20
_ALPHABET = f"{ascii_letters}{digits}+/-_".encode()
_SHAPE = bytes(0x62 if code in _ALPHABET else 0x20 for code in range(256))
_RUN = b"b" * _SHORTEST_RUN
_URL_SAFE = str.maketrans("-_", "+/")
_HEX = frozenset(hexdigits)
_PRINTABLE = bytes((9, 10, 13, *range(32, 127)))
_LARGEST_STRANGE_SHARE = 0.3


def _runs(text: str) -> Iterator[Island]:
    """One byte per character, so that offsets stay: a search for a run is then a plain find."""
    shape = text.encode("latin-1", "replace").translate(_SHAPE)
    start = shape.find(_RUN)
    while start >= 0:
        end = shape.find(b" ", start)
        end = len(text) if end < 0 else end
        yield from _decoded_run(text, start, end)
        start = shape.find(_RUN, end)


def _decoded_run(text: str, start: int, end: int) -> Iterator[Island]:
    run = text[start:end]
    if _HEX.issuperset(run[:_SHORTEST_RUN]) and _HEX.issuperset(run):
        found = _readable(unhexlify(run[: len(run) // 2 * 2]))
        if found:
            yield Island(start, end, found, "hex")
            return
    run = run.translate(_URL_SAFE)
    # A path or a word may stand right before the code: each place in its groups of four is tried.
    # Most runs are long names, and a short look tells: they decode to no ASCII.
    for skipped in range(4):
        body = _padded(run[skipped:])
        middle = len(body) // 8 * 4
        looks = body[:_LOOK], body[middle : middle + _LOOK]
        if not any(a2b_base64(look).isascii() for look in looks) and len(run) < _LONG_RUN:
            continue
        found = _readable(a2b_base64(body))
        if found:
            yield Island(start, end, found, "base64")
            return


def _padded(run: str) -> str:
    """In whole groups of four: the signs that fill up the last one stand in no run. A single
    letter in it is no code."""
    over = len(run) % 4
    return run[:-1] if over == 1 else run + "=" * (-over % 4)


def _readable(data: bytes) -> str:
    """The text that the bytes are, or nothing where they are none."""
    if data[1::2].count(0) * 4 > len(data):
        data = data.replace(b"\0", b"")  # sixteen bits per character
    strange = len(data.translate(None, _PRINTABLE))
    # Words have blanks between them, but a code inside a code has none.
    if not data or (strange and b" " not in data) or strange > len(data) * _LARGEST_STRANGE_SHARE:
        return ""
    return data.decode("utf-8", "replace")


_ESCAPE = re.compile(
    r"%[0-9A-Fa-f]{2}|&(?:#x?[0-9A-Fa-f]{1,6}|lt|gt|amp|quot|apos|nbsp);"
    r"|\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})"
)
_FEWEST_ESCAPES = 3
_WIDEST_GAP = 48


def _escaped(text: str) -> Iterator[Island]:
    """Regions with several escapes near each other."""
    if not any(sign in text for sign in ("%", "&", "\\u", "\\x")):
        return
    first = last = count = 0
    for escape in _ESCAPE.finditer(text):
        if count and escape.start() - last > _WIDEST_GAP:
            yield from _unescaped(text, first, last, count)
            count = 0
        first = first if count else escape.start()
        last = escape.end()
        count += 1
    yield from _unescaped(text, first, last, count)


def _unescaped(text: str, first: int, last: int, count: int) -> Iterator[Island]:
    if count < _FEWEST_ESCAPES:
        return
    start, end = max(0, first - _WIDEST_GAP), min(len(text), last + _WIDEST_GAP)
    plain = _ESCAPE.sub(_meant, text[start:end].replace("+", " "))
    yield Island(start, end, plain, "escapes")


def _meant(escape: re.Match[str]) -> str:
    written = escape[0]
    if written[0] == "&":
        return unescape(written)
    return chr(int(written.lstrip("%\\ux"), 16) if written.strip("%\\ux0") else 0)


_ROT13 = str.maketrans(
    ascii_letters,
    ascii_letters[13:26] + ascii_letters[:13] + ascii_letters[39:] + ascii_letters[26:39],
)
_LEET = str.maketrans("0134578@$!|", "oieastbasii")
_SPACED = re.compile(r"(?<![a-z])(?:[a-z][ ._\-*]){5,60}[a-z](?![a-z])")
_TURNED = ("vtaber", "vafgehpgvba")
_BACKWARDS = ("erongi", "noitcurtsni")
_SHOUTED = ("1gn", "gn0r", "pr3v", "1nstr", "!gnore")
_PARTED = ("i g n o", "i.g.n.o", "i-g-n-o", "i_g_n_o")


def _ciphered(plain: Folded, places: Places) -> Iterator[Island]:
    """Letters exchanged, turned round or pulled apart: looked for by a few telling words."""
    for words, how, solved in _CIPHERS:
        for start, end in places.windows(words):
            yield Island(*plain.span(start, end), solved(plain.text[start:end]), how)


def _turned(text: str) -> str:
    return text.translate(_ROT13)


def _backwards(text: str) -> str:
    return text[::-1]


def _spelled(text: str) -> str:
    return text.translate(_LEET)


def _joined(text: str) -> str:
    return _SPACED.sub(_closed, text)


def _closed(match: re.Match[str]) -> str:
    return match[0][::2]


_CIPHERS: tuple[tuple[tuple[str, ...], str, Callable[[str], str]], ...] = (
    (_TURNED, "rot13", _turned),
    (_BACKWARDS, "letters in reverse", _backwards),
    (_SHOUTED, "digits for letters", _spelled),
    (_PARTED, "letters pulled apart", _joined),
)


_FIRST_UNSEEN = "\U000e0000"  # a selector behind a sign is ordinary; letters need those up here
_TAGS = re.compile(f"[{character_class((TAGS,))}]{{6,}}+")
_SELECTED = re.compile(f"[{character_class(SELECTORS)}]{{8,}}+")
_FLAG = "\U0001f3f4"  # before it, tags are part of a flag


def _unseen(text: str) -> Iterator[Island]:
    for run in _TAGS.finditer(text):
        if text[run.start() - 1 : run.start()] != _FLAG:
            plain = "".join(chr(ord(sign) - 0xE0000) for sign in run[0])
            yield Island(*run.span(), plain, "invisible tag characters", unseen=True)
    for run in _SELECTED.finditer(text):
        data = bytes(_byte(ord(sign)) for sign in run[0])
        plain = data.decode("utf-8", "replace")
        yield Island(*run.span(), plain, "invisible selectors", unseen=True)


def _byte(code: int) -> int:
    return code - 0xFE00 if code < 0xFE10 else code - 0xE0100 + 16
