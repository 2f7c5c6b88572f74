"""Pieces of a text that a person does not see, or that say something else once decoded.

Whatever is decoded here is only text to look at: it is never run, kept or shown.
"""

import re
from binascii import a2b_base64, unhexlify
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from string import ascii_letters, digits, hexdigits

from automode.probe.folding import Folded
from automode.probe.patterns import Places, Span

_LONGEST_ELEMENT = 2000
_STYLES = ("style=", "aria-hidden", "sr-only")
_ELEMENT = re.compile(
    r"<(?:div|span|p|font|a|section|td|li|h[1-6]|details|label)\b[^<>]{0,400}?(?:display:\s?none"
    r"|visibility:\s?hidden|(?:font-size|opacity):\s?0(?![.0-9]*[1-9])|font-size:\s?1px"
    r"|[^-]color:\s?(?:white|#fff)|left:\s?-9|sr-only|aria-hidden=.?true)[^<>]{0,400}>"
)
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
_ESCAPE = re.compile(
    r"%[0-9A-Fa-f]{2}|&(?:#x?[0-9A-Fa-f]{1,6}|lt|gt|amp|quot|apos|nbsp);"
    r"|\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})"
)
_FEWEST_ESCAPES = 3
_WIDEST_GAP = 48
_ROT13 = str.maketrans(
    ascii_letters,
    ascii_letters[13:26] + ascii_letters[:13] + ascii_letters[39:] + ascii_letters[26:39],
)
_LEET = str.maketrans("0134578@$!|", "oieastbasii")
_SPACED = re.compile(r"(?<![a-z])(?:[a-z][ ._\-*]){5,60}[a-z](?![a-z])")
# Letters exchanged, turned round or pulled apart: looked for by a few telling words.
_CIPHERS: tuple[tuple[str, tuple[str, ...], Callable[[str], str]], ...] = (
    ("rot13", ("vtaber", "vafgehpgvba"), lambda text: text.translate(_ROT13)),
    ("letters in reverse", ("erongi", "noitcurtsni"), lambda text: text[::-1]),
    (
        "digits for letters",
        ("1gn", "gn0r", "pr3v", "1nstr", "!gnore"),
        lambda text: text.translate(_LEET),
    ),
    (
        "letters pulled apart",
        ("i g n o", "i.g.n.o", "i-g-n-o", "i_g_n_o"),
        lambda text: _SPACED.sub(lambda found: found[0][::2], text),
    ),
)
_FIRST_INVISIBLE = "\U000e0000"  # a selector behind a sign is ordinary; letters need those up here
_TAGS = re.compile("[\U000e0020-\U000e007e]{6,}+")  # a second, invisible ASCII
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{8,}+")  # 256: enough for bytes
_FLAG = "\U0001f3f4"  # before it, tags are part of a flag


def hidden_spans(places: Places) -> Iterator[Span]:
    """Of folded text."""
    yield from _between(places.text, "<!--", "-->")
    yield from _between(places.text, "[//]: #", "\n")
    for start, end in places.windows(_STYLES):
        for element in _ELEMENT.finditer(places.text, start, end):
            last = element.end() + _LONGEST_ELEMENT
            close = places.text.find("</", element.end(), last)
            yield element.end(), last if close < 0 else close


def _between(text: str, opening: str, closing: str) -> Iterator[Span]:
    """What never closes hides nothing; and nobody looks for its end twice."""
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start)
        if end < 0:
            return
        yield start + len(opening), end
        start = text.find(opening, end)


@dataclass(frozen=True, slots=True)
class Encoded:
    """`text` is what stands from `start` to `end`, decoded."""

    start: int
    end: int
    text: str
    how: str
    unseen: bool = False  # whether nothing of it shows: that alone is suspect


def encoded_spans(text: str, plain: Folded, places: Places) -> Iterator[Encoded]:
    """`plain` is the same text, folded; `places` are those in it."""
    yield from _runs(text)
    yield from _escapes(text)
    yield from _ciphers(plain, places)
    if max(plain.strange, default="") >= _FIRST_INVISIBLE:
        yield from _invisible(text)


def _runs(text: str) -> Iterator[Encoded]:
    """One byte per character, so that offsets stay: a search for a run is then a plain find."""
    shape = text.encode("latin-1", "replace").translate(_SHAPE)
    start = shape.find(_RUN)
    while start >= 0:
        end = shape.find(b" ", start)
        end = len(text) if end < 0 else end
        yield from _decode_run(text, start, end)
        start = shape.find(_RUN, end)


def _decode_run(text: str, start: int, end: int) -> Iterator[Encoded]:
    run = text[start:end]
    if _HEX.issuperset(run[:_SHORTEST_RUN]) and _HEX.issuperset(run):
        found = _readable(unhexlify(run[: len(run) // 2 * 2]))
        if found:
            yield Encoded(start, end, found, "hex")
            return
    run = run.translate(_URL_SAFE)
    # A path or a word may stand right before the code: each place in its groups of four is tried.
    # Most runs are long names, and a short look tells: they decode to no ASCII.
    for skipped in range(4):
        body = _pad(run[skipped:])
        middle = len(body) // 8 * 4
        looks = body[:_LOOK], body[middle : middle + _LOOK]
        if not any(a2b_base64(look).isascii() for look in looks) and len(run) < _LONG_RUN:
            continue
        found = _readable(a2b_base64(body))
        if found:
            yield Encoded(start, end, found, "base64")
            return


def _pad(run: str) -> str:
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


def _escapes(text: str) -> Iterator[Encoded]:
    """Regions with several escapes near each other."""
    if not any(sign in text for sign in ("%", "&", "\\u", "\\x")):
        return
    first = last = count = 0
    for escape in _ESCAPE.finditer(text):
        if count and escape.start() - last > _WIDEST_GAP:
            yield from _unescape(text, first, last, count)
            count = 0
        first = first if count else escape.start()
        last = escape.end()
        count += 1
    yield from _unescape(text, first, last, count)


def _unescape(text: str, first: int, last: int, count: int) -> Iterator[Encoded]:
    if count < _FEWEST_ESCAPES:
        return
    start, end = max(0, first - _WIDEST_GAP), min(len(text), last + _WIDEST_GAP)
    plain = _ESCAPE.sub(_meaning, text[start:end].replace("+", " "))
    yield Encoded(start, end, plain, "escapes")


def _meaning(escape: re.Match[str]) -> str:
    written = escape[0]
    if written[0] == "&":
        return unescape(written)
    return chr(int(written.lstrip("%\\ux"), 16) if written.strip("%\\ux0") else 0)


def _ciphers(plain: Folded, places: Places) -> Iterator[Encoded]:
    for how, words, solve in _CIPHERS:
        for start, end in places.windows(words):
            yield Encoded(*plain.span(start, end), solve(plain.text[start:end]), how)


def _invisible(text: str) -> Iterator[Encoded]:
    for run in _TAGS.finditer(text):
        if text[run.start() - 1 : run.start()] != _FLAG:
            plain = "".join(chr(ord(sign) - 0xE0000) for sign in run[0])
            yield Encoded(*run.span(), plain, "invisible tag characters", unseen=True)
    for run in _SELECTORS.finditer(text):
        data = bytes(_byte(ord(sign)) for sign in run[0])
        plain = data.decode("utf-8", "replace")
        yield Encoded(*run.span(), plain, "invisible selectors", unseen=True)


def _byte(code: int) -> int:
    return code - 0xFE00 if code < 0xFE10 else code - 0xE0100 + 16
