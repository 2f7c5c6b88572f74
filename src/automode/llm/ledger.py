"""What the requests to models used and cost, while they are made; knows no permissions.

It remembers two things, and both are bounded: what each family of sessions has spent, for the
budget, and the requests that nobody has taken yet, to be written down with the decision they were
made for. Adding up what was written down is for `llm.bill`.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeVar

from automode.llm.model import Usage
from automode.llm.prices import Price, cost

log = logging.getLogger(__name__)
V = TypeVar("V")

NOTHING = Usage()
MOST_FAMILIES = 4096
MOST_UNTAKEN = 64  # of one session
MOST_NOTICES = 20


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model: whose, what for, what it used. `money` None: price not known."""

    at: float  # seconds since the epoch
    session: str
    parent: str | None
    stage: str
    model: str
    usage: Usage
    millis: int
    money: Decimal | None = None


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
    """A copy with another `price` counts into the same book. Recording never raises: what cannot be
    recorded is lost, the decision it is about is not."""

    price: Price = cost
    clock: Callable[[], float] = time.time
    notices: list[str] = field(default_factory=list)  # what went wrong, one sentence each
    _spent: OrderedDict[str, Total] = field(default_factory=OrderedDict)  # by root
    _parents: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _untaken: OrderedDict[str, list[Request]] = field(default_factory=OrderedDict)

    def record(
        self,
        session_id: str,
        parent: str | None,
        stage: str,
        model: str,
        usage: Usage,
        millis: int,
        usd: Decimal | None = None,
    ) -> None:
        """`usd`: what it cost, where the answer said so; else the price table is asked."""
        at = self.clock()
        money = self._priced(model, usage, at) if usd is None else usd
        request = Request(at, session_id, parent, stage, model, usage, millis, money)
        if parent is not None:
            self._link(session_id, parent)
        self._add(self.root(session_id), total_of(request))
        waiting = self._untaken.setdefault(session_id, [])
        waiting.append(request)
        del waiting[:-MOST_UNTAKEN]
        _shrink(self._untaken)

    def taken(self, session_id: str) -> tuple[Request, ...]:
        """The requests of a session since this was last asked: those of the decision just made."""
        return tuple(self._untaken.pop(session_id, ()))

    def spent(self, session_id: str) -> Total:
        """By the family of a session, from the one that started it all to the last sub-session:
        what a budget is compared with."""
        return self._spent.get(self.root(session_id), Total())

    def knows(self, session_id: str) -> bool:
        """Whether it is known what the family spent before. Long silent ones are forgotten."""
        return self.root(session_id) in self._spent

    def seed(self, session_id: str, before: Total) -> None:
        """What the family of a session spent before this ledger began to count it."""
        self._add(self.root(session_id), before)

    def root(self, session_id: str) -> str:
        """The session that started it all."""
        while (above := self._parents.get(session_id)) is not None:
            session_id = above
        return session_id

    def _link(self, session: str, parent: str) -> None:
        """The first word counts: a session does not change its parent. Nor may links go round."""
        if session in self._parents or self.root(parent) == session:
            return
        self._parents[session] = parent
        _shrink(self._parents)
        own = self._spent.pop(session, None)
        if own is not None:
            self._add(self.root(parent), own)

    def _add(self, root: str, more: Total) -> None:
        self._spent[root] = self._spent.get(root, Total()) + more
        self._spent.move_to_end(root)
        _shrink(self._spent)

    def _priced(self, model: str, usage: Usage, at: float) -> Decimal | None:
        try:
            return self.price(model, usage, datetime.fromtimestamp(at, UTC))
        except (ImportError, ArithmeticError, OSError, ValueError) as error:
            self._notice(f"the price of `{model}` could not be looked up: {error}")
            return None

    def _notice(self, sentence: str) -> None:
        if sentence not in self.notices and len(self.notices) < MOST_NOTICES:
            self.notices.append(sentence)
            log.warning("%s", sentence)


def total_of(request: Request) -> Total:
    money = request.money or Decimal(0)
    unpriced = int(request.money is None)
    return Total(1, request.usage, request.millis, money, unpriced)


def _shrink(book: OrderedDict[str, V]) -> None:
    while len(book) > MOST_FAMILIES:
        book.popitem(last=False)
