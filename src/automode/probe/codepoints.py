"""Characters that do not show, and characters that show as another: the tables."""

# ruff: noqa: RUF001 - look-alikes are the subject

import unicodedata
from collections.abc import Iterator

# First and last of each range. Soft hyphens, joiners, marks of direction, fillers, selectors, tags.
INVISIBLE = (
    *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB)),
    *((0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
# Accents written behind their letter: stacked, they hide a word from a search and from the eye.
STACKED = ((0x0300, 0x036F), (0x0483, 0x0489), (0x1AB0, 0x1AFF), (0x20D0, 0x20FF))

TAGS = (0xE0020, 0xE007E)
"""A second, invisible ASCII."""
SELECTORS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
"""256 invisible characters: enough to write bytes."""
DIRECTIONS = "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"
"""What makes text show in another order than it is read."""

_LOOK_ALIKES = {
    "a": "аɑαᴀӑ",
    "b": "ьɓʙβ",
    "c": "сϲᴄ",
    "d": "ԁɗᴅ",
    "e": "еєεᴇҽ",
    "f": "ғƒ",
    "g": "ɡգɢ",
    "h": "һհʜ",
    "i": "іιıɪӏ",
    "j": "јᴊ",
    "k": "кκᴋ",
    "l": "ⅼʟӏ",
    "m": "мᴍ",
    "n": "пηռɴ",
    "o": "оοօᴏσ",
    "p": "рρᴘ",
    "q": "ԛգ",
    "r": "гʀᴦ",
    "s": "ѕꜱ",
    "t": "тτᴛ",
    "u": "υսᴜ",
    "v": "νѵᴠ",
    "w": "ԝѡᴡω",
    "x": "хχ",
    "y": "уүʏγ",
    "z": "ᴢ",
}


def look_alikes() -> dict[str, str]:
    """Letters of other alphabets and the Latin ones they pass for; each way in both sizes."""
    found: dict[str, str] = {}
    for letter, others in _LOOK_ALIKES.items():
        for other in others + others.upper():
            # A capital may be several characters long; those pass for nothing.
            if not other.isascii():
                found.setdefault(other, letter)
    return found


def plain_forms() -> dict[str, str]:
    """Styled, wide and accented letters and the one ASCII character each of them is."""
    found: dict[str, str] = {"\u0130": "i"}  # the one letter that grows when made small
    for code in _styled():
        form = unicodedata.normalize("NFKD", chr(code))[:1]
        if form.isascii() and form.isprintable():
            found[chr(code)] = form
    return found


def _styled() -> Iterator[int]:
    yield from range(0xC0, 0x250)  # accented Latin
    yield from range(0x1E00, 0x1F00)
    yield from range(0x2100, 0x2150)  # letter-like signs
    yield from range(0x24B6, 0x24EA)  # circled
    yield from range(0xFF01, 0xFF5F)  # wide
    yield from range(0x1D400, 0x1D800)  # mathematical


def character_class(*tables: tuple[tuple[int, int], ...]) -> str:
    """The ranges as the inside of a regular expression's class."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for table in tables for first, last in table)
