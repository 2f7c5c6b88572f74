"""What the requests to models used and cost, by session, stage and model; knows no permissions.

Kept in memory, and appended to a file so that `automode usage` and the next process can read it.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Protocol

from automode.llm.ledger_file import Request, append, read
from automode.llm.model import Usage
from automode.llm.prices import Price, cost

log = logging.getLogger(__name__)

NOTHING = Usage()


class Recorder(Protocol):
    """Contract: never raises. What cannot be recorded is lost; the decision it is about is not."""

    def record(
        self, session_id: str, parent: str | None, stage: str, model: str, usage: Usage, millis: int
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over requests. `money` leaves out the `unpriced` ones: nobody knows what they cost."""

    requests: int = 0
    usage: Usage = NOTHING
    millis: int = 0
    money: Decimal = Decimal(0)
    unpriced: int = 0

    def __add__(self, other: "Total") -> "Total":
        return Total(
            self.requests + other.requests,
            self.usage + other.usage,
            self.millis + other.millis,
            self.money + other.money,
            self.unpriced + other.unpriced,
        )

    @property
    def cache_share(self) -> float | None:
        """How much of the prompts was read from a cache; None when nothing was sent."""
        return self.usage.cache_read / self.usage.prompt if self.usage.prompt else None


@dataclass(slots=True)
class Ledger:
    """`file` None keeps everything in memory alone."""

    file: str | None = None
    price: Price = cost
    clock: Callable[[], float] = time.time
    notices: list[str] = field(default_factory=list)  # what went wrong, one sentence each
    _requests: dict[str, list[Request]] = field(default_factory=dict)
    _parents: dict[str, str] = field(default_factory=dict)
    _children: dict[str, list[str]] = field(default_factory=dict)
    _totals: dict[str, Total] = field(default_factory=dict)

    @classmethod
    def opened(cls, file: str, price: Price = cost) -> "Ledger":
        """A ledger that goes on where the file ends."""
        ledger = cls(file, price)
        ledger.notices += read(file, ledger._take)
        return ledger

    def record(
        self, session_id: str, parent: str | None, stage: str, model: str, usage: Usage, millis: int
    ) -> None:
        at = self.clock()
        money = self._priced(model, usage, at)
        request = Request(at, session_id, parent, stage, model, usage, millis, money)
        self._take(request)
        if self.file is None:
            return
        try:
            append(self.file, request)
        except (OSError, ValueError) as error:
            self._notice(f"usage could not be written to `{self.file}`: {error}")

    def sessions(self) -> tuple[str, ...]:
        """Every session with a request, the latest last."""
        return tuple(sorted(self._requests, key=lambda one: self._requests[one][-1].at))

    def parent(self, session_id: str) -> str | None:
        return self._parents.get(session_id)

    def root(self, session_id: str) -> str:
        """The session that started it all. A circle of parents has none: then any one of it."""
        seen = [session_id]
        while (above := self._parents.get(seen[-1])) is not None:
            if above in seen:
                return min(seen[seen.index(above) :])  # the same one whoever asks
            seen.append(above)
        return seen[-1]

    def family(self, session_id: str) -> tuple[str, ...]:
        """The session and its sub-sessions, theirs too; each once, also where links go round."""
        found = {session_id: None}
        waiting = [session_id]
        while waiting:
            below = [one for one in self._children.get(waiting.pop(), ()) if one not in found]
            found.update(dict.fromkeys(below))
            waiting += below
        return tuple(found)

    def spent(self, session_id: str) -> Total:
        """By the session and all its sub-sessions: what a budget is compared with."""
        return self.total(self.family(session_id))

    def total(self, sessions: Iterable[str]) -> Total:
        return sum((self._totals.get(one, Total()) for one in sessions), start=Total())

    def lines(self, sessions: Iterable[str]) -> Mapping[tuple[str, str], Total]:
        """The sums of `sessions` by stage and model, in the order in which those first occur."""
        found: dict[tuple[str, str], Total] = {}
        for session in sessions:
            for request in self._requests.get(session, ()):
                key = (request.stage, request.model)
                found[key] = found.get(key, Total()) + _total(request)
        return found

    def last_request(self, session_id: str) -> Request | None:
        known = self._requests.get(session_id)
        return known[-1] if known else None

    def _take(self, request: Request) -> None:
        self._requests.setdefault(request.session, []).append(request)
        if request.parent is not None and request.parent != request.session:
            self._link(request.session, request.parent)
        before = self._totals.get(request.session, Total())
        self._totals[request.session] = before + _total(request)

    def _link(self, session: str, parent: str) -> None:
        """The first word counts: a session does not change its parent."""
        if session not in self._parents:
            self._parents[session] = parent
            self._children.setdefault(parent, []).append(session)

    def _priced(self, model: str, usage: Usage, at: float) -> Decimal | None:
        try:
            return self.price(model, usage, datetime.fromtimestamp(at, UTC))
        except (ImportError, ArithmeticError, OSError, ValueError) as error:
            self._notice(f"the price of `{model}` could not be looked up: {error}")
            return None

    def _notice(self, sentence: str) -> None:
        if sentence not in self.notices:  # a full disk would say it with every request
            self.notices.append(sentence)
            log.warning("%s", sentence)


def usage_file(home: str, environment: Mapping[str, str]) -> str:
    """Where the requests of this account are kept."""
    base = environment.get("XDG_STATE_HOME", "")
    # A relative one would mean another folder in every working directory.
    base = base if os.path.isabs(base) else os.path.join(home, ".local", "state")
    return os.path.join(base, "automode", "usage.jsonl")


def _total(request: Request) -> Total:
    money = request.money or Decimal(0)
    unpriced = int(request.money is None)
    return Total(1, request.usage, request.millis, money, unpriced)
