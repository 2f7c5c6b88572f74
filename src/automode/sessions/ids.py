"""Ids of records and approvals: they sort by time, and a person can read them out and type them."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # without i, l, o and u, which look like others
_VALUES = {letter: value for value, letter in enumerate(_LETTERS)}
_TIME_LETTERS = 9  # milliseconds, until the year 3084
_RANDOM_LETTERS = 5
_RANDOM_BITS = 5 * _RANDOM_LETTERS
LENGTH = _TIME_LETTERS + _RANDOM_LETTERS


@dataclass(slots=True)
class Ids:
    """Each id is larger than the ones before it, also within a millisecond and when the clock is
    set back. Two processes at the same millisecond meet once in 33 million times."""

    clock: Callable[[], float] = time.time
    _last: int = 0

    def new(self) -> str:
        now = max(0, int(self.clock() * 1000))
        number = now << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)
        self._last = max(number, self._last + 1)
        return _written(self._last)


def time_of(identity: str) -> float | None:
    """When an id was made, in seconds since the epoch; None for what is none of ours."""
    head = identity[:_TIME_LETTERS]
    if len(identity) != LENGTH or not all(letter in _VALUES for letter in head):
        return None
    number = 0
    for letter in head:
        number = number * 32 + _VALUES[letter]
    return number / 1000


def _written(number: int) -> str:
    letters = [""] * LENGTH
    for place in range(LENGTH - 1, -1, -1):
        letters[place] = _LETTERS[number & 31]
        number >>= 5
    return "".join(letters)
