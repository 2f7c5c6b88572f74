"""Ids of records and approvals, and the names under which sessions are filed."""

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from automode.agents.events import Speaker
from automode.core.record import SessionKey

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # without i, l, o and u, which look like others
_VALUES = {letter: value for value, letter in enumerate(_LETTERS)}
_TIME_LETTERS = 9  # milliseconds, until the year 3084
_RANDOM_LETTERS = 5
_RANDOM_BITS = 5 * _RANDOM_LETTERS
_RANDOM_BYTES = 4
_SPARE_BITS = 8 * _RANDOM_BYTES - _RANDOM_BITS
LENGTH = _TIME_LETTERS + _RANDOM_LETTERS
_PAIRS = [first + second for first in _LETTERS for second in _LETTERS]
_PAIR_SHIFTS = range(5 * (LENGTH - 2), -1, -10)


@dataclass(slots=True)
class Ids:
    """Each id is larger than the ones before it, also within a millisecond and when the clock is
    set back. Two processes at the same millisecond meet once in 33 million times."""

    clock: Callable[[], float] = time.time
    _last: int = 0

    def new(self) -> str:
        now = max(0, int(self.clock() * 1000))
        drawn = int.from_bytes(os.urandom(_RANDOM_BYTES), "big") >> _SPARE_BITS
        number = now << _RANDOM_BITS | drawn
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
    return "".join([_PAIRS[number >> shift & 1023] for shift in _PAIR_SHIFTS])


LONGEST_ID = 256
_KEPT_OF_LONG = 64


def session_key(host: str, speaker: Speaker) -> SessionKey:
    """Hosts name a sub-agent `session/agent`: a session of its own that is called so is another."""
    name, parent = speaker.session, speaker.parent
    below = parent is not None and name.startswith(f"{parent}/")
    return SessionKey(host, bounded(name if below else _own(name)))


def parent_id(speaker: Speaker) -> str | None:
    """Of the session that started the speaker's, at the same host."""
    name, parent = speaker.session, speaker.parent
    if parent is None:
        return None
    return bounded(parent if name.startswith(f"{parent}/") else _own(parent))


def bounded(name: str) -> str:
    """A name of any length as one that is short; different ones stay different."""
    if len(name) <= LONGEST_ID:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[:_KEPT_OF_LONG]}~{digest}"


def _own(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")
