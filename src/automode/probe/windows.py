"""Where in a text an expensive look is worth it: near a few cheap words.

Every window is wide enough for any match around its word, and windows that touch become one. So a
pattern reads no character twice, whatever the text holds.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]

BEFORE = 200
AFTER = 480
_STRIDE = 96
"""After a word was found, the next is looked for this much later: a text of nothing but such words
costs no more than others. The window is longer by as much."""

_STEMS = ("you", "code", "task", "oper", "pass", "messag", "</")
"""Pieces that many of the words share: where they do not stand, neither do the words."""


class Places:
    """The places of words in one text; each word is looked for once, whoever asks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._known: dict[str, list[Span]] = {}

    def windows(self, words: Iterable[str]) -> list[Span]:
        """Disjoint windows, in order, around every place where one of `words` stands."""
        return merged(span for word in words for span in self._around(word))

    def _around(self, word: str) -> list[Span]:
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._sought(word)
        return known

    def _sought(self, word: str) -> list[Span]:
        stem = next((one for one in _STEMS if one in word and one != word), "")
        ground = self.windows((stem,)) if stem else [(0, len(self.text))]
        return [span for start, end in ground for span in self._near(word, start, end)]

    def _near(self, word: str, start: int, end: int) -> Iterator[Span]:
        find, length = self.text.find, len(self.text)
        at = find(word, start, end)
        while at >= 0:
            yield max(0, at - BEFORE), min(length, at + len(word) + AFTER + _STRIDE)
            at = find(word, at + _STRIDE, end)


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same ground, each piece once."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
