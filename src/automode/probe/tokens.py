"""Folded text as the words that the model reads, each with its place.

Line numbers of a listing, comment signs and markup are no words: an order reads the same in a file,
a comment, a log and a letter. Where a sentence, a line or an item begins is kept as a word of its
own, because that is where an order begins.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

Token: TypeAlias = tuple[str, int, int]

PAUSE = "|"
"""Stands for the end of a sentence, a line or an item."""
ADDRESS, MAILBOX, PATH, NUMBER, SWITCH = "<url>", "<mail>", "<path>", "<number>", "<switch>"

_LONGEST_WORD = 24
_MOST_KNOWN = 1 << 16
# Words that every sentence holds. A model that may count them learns what is prose.
_IDLE = frozenset(
    "a an the of to in on at by as is are was were be been being it its this that these those and"
    " or with for from into has have had will would there here so s t".split()
)
# Most are plain words: what follows says that they can be nothing else, so nothing else is tried.
_PLAIN = r"[a-z]{1,60}(?=[ \n,)])"
_URL = r"(?:https?|ftp|wss?)://[^\s\"'<>)\]`]{1,200}|\bwww\.[^\s\"'<>)\]`]{3,200}"
_MAIL = r"[\w.+\-]{1,40}@[\w\-]{1,40}\.[a-z.]{2,20}"
_FILE = r"(?:~|\.{1,2})?/[\w.\-]{1,60}(?:/[\w.\-]{0,60}){0,8}|(?<!\w)\.[a-z][\w.]{1,20}"
_FLAG = r"(?<![\w-])--?[a-z][\w\-]{1,30}"
_WORD = r"[a-z]{1,60}(?:['\u2019][a-z]{1,2}(?![a-z]))?"
_SUM = r"[0-9]{5,40}|[$\u20ac\u00a3][0-9]"
_END = r"[.!?:;](?=[\s\"'*)`]|$)|\n"
_TOKEN = re.compile("|".join((_PLAIN, _URL, _MAIL, _FILE, _FLAG, _WORD, _SUM, _END)))


class _Meanings(dict[str, str]):
    """What stands for a piece of text; nothing for words that say nothing."""

    def __missing__(self, piece: str) -> str:
        found = _meant(piece)
        if len(self) < _MOST_KNOWN:
            self[piece] = found
        return found


def _meant(piece: str) -> str:
    if "://" in piece or piece.startswith("www."):
        return ADDRESS
    if "@" in piece:
        return MAILBOX
    if piece[0].isalpha():
        return "" if piece in _IDLE else piece[:_LONGEST_WORD]
    if piece[0] == "-":
        return SWITCH
    if len(piece) == 1:
        return PAUSE
    return PATH if piece[0] in "~/." else NUMBER


_MEANINGS = _Meanings()


def words(text: str, start: int, end: int) -> list[str]:
    """Of folded text from `start` to `end`; two pauses never follow each other."""
    said = [*filter(None, map(_MEANINGS.__getitem__, _TOKEN.findall(text, start, end)))]
    return [
        *said[:1],
        *(word for before, word in pairwise(said) if word is not PAUSE or before is not PAUSE),
    ]


def tokens(text: str, start: int, end: int) -> Iterator[Token]:
    """The same words, with their places; slower."""
    before = ""
    for found in _TOKEN.finditer(text, start, end):
        word = _MEANINGS[found[0]]
        if word and not (word is PAUSE and before is PAUSE):
            yield word, found.start(), found.end()
        before = word or before
