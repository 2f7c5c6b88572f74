"""What the model sees in a window of words: words and pairs of them, as they stand and by kin.

Kin are words that are used alike: "send" and "transmit", "password" and "credentials". A model that
knows only words knows the attacks that it was shown; one that knows kin knows others too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from zlib import crc32

TABLE_BITS = 18
WIDTH = 24
"""Words in a window."""
STRIDE = 12
"""Words from one window to the next: every word stands in two."""
STRANGER = 0
"""The kin of words that the model has never met."""
MOST_WORDS = 1 << 16
"""How many words are remembered: a long-lived process meets ever new ones."""
_MASK = (1 << TABLE_BITS) - 1
_NEXT, _OVER = 0x9E3779B1, 0x85EBCA6B
_KIN = b"\0kin"


def starts(count: int) -> range:
    """Where the windows of so many words start."""
    return range(0, max(1, count - STRIDE), STRIDE)


class _Alone(dict[str, tuple[int, int]]):
    """The cells of a word by itself: its own, and that of its kin."""

    def __init__(self, kin: Mapping[str, int]) -> None:
        super().__init__()
        self._kin = kin

    def __missing__(self, word: str) -> tuple[int, int]:
        family = self._kin.get(word, STRANGER) if word.isalpha() else word
        found = (
            crc32(word.encode("utf-8", "surrogatepass")) & _MASK,
            crc32(str(family).encode("utf-8", "surrogatepass"), crc32(_KIN)) & _MASK,
        )
        if len(self) < MOST_WORDS:
            self[word] = found
        return found


class Traits:
    """`kin` is the number of each known word's family."""

    def __init__(self, kin: Mapping[str, int]) -> None:
        self.alone = _Alone(kin)

    def windows(
        self, words: Sequence[str], chosen: Iterable[int]
    ) -> Iterator[tuple[int, set[int]]]:
        """The chosen starts of windows, and the cells of the table that each window touches."""
        hashed = [*map(self.alone.__getitem__, words)]
        own = [word for word, _ in hashed]
        kin = [family for _, family in hashed]
        own_pairs = [(a * _NEXT + b) & _MASK for a, b in pairwise(own)]
        kin_pairs = [(a * _NEXT + b) & _MASK for a, b in pairwise(kin)]
        over = [(a * _OVER + b) & _MASK for a, b in zip(kin, kin[2:], strict=False)]
        for start in chosen:
            end = start + WIDTH
            touched = {*own[start:end], *kin[start:end]}
            touched.update(own_pairs[start : end - 1], kin_pairs[start : end - 1])
            touched.update(over[start : end - 2])
            yield start, touched
