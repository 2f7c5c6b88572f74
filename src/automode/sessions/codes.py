"""One-time codes: what loosens the gate from inside an agent is typed twice, the second time with a
code that only the person's screen has shown."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from automode.core.record import SessionKey

CODE_SECONDS = 60.0
MOST_TRIES = 3
LOCKED_SECONDS = 600.0
DIGITS = 6
MOST_KNOWN = 512


def drawn() -> str:
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"


@dataclass(slots=True)
class _Offer:
    what: tuple[str, str]  # the verb and what it is about
    code: str
    until: float


@dataclass(slots=True)
class Codes:
    """For each session at most one that is open, good for its very next event."""

    clock: Callable[[], float] = time.time
    draw: Callable[[], str] = drawn
    _open: dict[SessionKey, _Offer] = field(default_factory=dict)
    _wrong: OrderedDict[SessionKey, int] = field(default_factory=OrderedDict)
    _locked: OrderedDict[SessionKey, float] = field(default_factory=OrderedDict)

    def offered(self, key: SessionKey, verb: str, about: str) -> str:
        """The code to type; it takes the place of any other."""
        made = _Offer((verb, about), self.draw(), self.clock() + CODE_SECONDS)
        self._open[key] = made
        while len(self._open) > MOST_KNOWN:
            del self._open[next(iter(self._open))]
        return made.code

    def confirmed(self, key: SessionKey, verb: str, about: str, code: str) -> bool:
        """Whether exactly this was asked for before, in time and with this code. Good once; a code
        that confirms nothing counts as a wrong one."""
        offer = self._open.pop(key, None)
        asked = offer is not None and offer.what == (verb, about) and self.clock() <= offer.until
        if offer is not None and asked and secrets.compare_digest(offer.code, code):
            self._wrong.pop(key, None)
            return True
        self._wrong[key] = self._wrong.get(key, 0) + 1
        self._wrong.move_to_end(key)
        if self._wrong[key] >= MOST_TRIES:
            del self._wrong[key]
            self._locked[key] = self.clock() + LOCKED_SECONDS
        for known in (self._wrong, self._locked):
            while len(known) > MOST_KNOWN:
                known.popitem(last=False)
        return False

    def locked(self, key: SessionKey) -> bool:
        """After too many wrong ones nothing is taken for a while."""
        until = self._locked.get(key)
        if until is not None and self.clock() >= until:
            del self._locked[key]
            until = None
        return until is not None

    def void(self, key: SessionKey) -> None:
        """Something else happened in the session."""
        self._open.pop(key, None)

    @property
    def none_open(self) -> bool:
        return not self._open
