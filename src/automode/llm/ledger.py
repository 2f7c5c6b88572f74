"""What requests to models used and cost; knows no permissions.

A `Ledger` counts while requests are made; a `Bill` adds up what was written down.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

from automode.core.recent import Recent
from automode.llm.model import Usage
from automode.llm.prices import Price, cost

log = logging.getLogger(__name__)

NOTHING = Usage()
MOST_FAMILIES = 4096
MOST_UNTAKEN = 64  # of one session


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
    """A sum over requests. `money` leaves out the `unpriced` ones, whose price is unknown."""

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
    """What each family of sessions has spent, for the budget, and the requests that nobody has
    taken yet, to be written down with their decision. Both are bounded. A copy with another `price`
    counts into the same book. Recording never raises: a request that cannot be recorded is lost,
    the decision is not."""

    price: Price = cost
    clock: Callable[[], float] = time.time
    _spent: Recent[str, Total] = field(default_factory=lambda: Recent(MOST_FAMILIES))  # by root
    _parents: Recent[str, str] = field(default_factory=lambda: Recent(MOST_FAMILIES))
    _untaken: Recent[str, list[Request]] = field(default_factory=lambda: Recent(MOST_FAMILIES))

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
        money = self._price_of(model, usage, at) if usd is None else usd
        request = Request(at, session_id, parent, stage, model, usage, millis, money)
        if _link(self._parents, session_id, parent):
            self._add(self.root(session_id), self._spent.pop(session_id, Total()))
        self._add(self.root(session_id), total_of(request))
        waiting = [*self._untaken.get(session_id, ()), request]
        self._untaken[session_id] = waiting[-MOST_UNTAKEN:]

    def take(self, session_id: str) -> tuple[Request, ...]:
        """The requests of a session since this was last asked: those of the decision just made."""
        return tuple(self._untaken.pop(session_id, ()))

    def spent(self, session_id: str) -> Total:
        """By the family of a session, from the one that started it all to the last sub-session:
        what a budget is compared with."""
        return self._spent.get(self.root(session_id), Total())

    def knows(self, session_id: str) -> bool:
        """Whether it is known what the family spent before. Long silent ones are forgotten."""
        return self.root(session_id) in self._spent

    def add_earlier(self, session_id: str, before: Total) -> None:
        """What the family of a session spent before this ledger began to count it."""
        self._add(self.root(session_id), before)

    def root(self, session_id: str) -> str:
        """The session that started it all."""
        return _root(self._parents, session_id)

    def _add(self, root: str, more: Total) -> None:
        self._spent[root] = self._spent.get(root, Total()) + more

    def _price_of(self, model: str, usage: Usage, at: float) -> Decimal | None:
        try:
            return self.price(model, usage, datetime.fromtimestamp(at, UTC))
        except (ImportError, ArithmeticError, OSError, ValueError) as error:
            log.warning("the price of `%s` could not be looked up: %s", model, error)
            return None


class Bill:
    """All requests at once, added up by session, stage and model. Sessions are known by their
    names, `host/id`; a session counts with its sub-sessions."""

    def __init__(self, requests: Iterable[Request] = ()) -> None:
        self._requests: dict[str, list[Request]] = {}
        self._parents: dict[str, str] = {}
        self._children: dict[str, list[str]] = {}
        for request in requests:
            self._requests.setdefault(request.session, []).append(request)
            if request.parent and _link(self._parents, request.session, request.parent):
                self._children.setdefault(request.parent, []).append(request.session)

    def sessions(self) -> tuple[str, ...]:
        """Every session with a request, the latest last."""
        return tuple(sorted(self._requests, key=lambda one: self._requests[one][-1].at))

    def parent(self, session: str) -> str | None:
        return self._parents.get(session)

    def root(self, session: str) -> str:
        return _root(self._parents, session)

    def family(self, session: str) -> tuple[str, ...]:
        """The session and its sub-sessions, theirs too."""
        found = [session]
        for one in found:
            found += self._children.get(one, ())
        return tuple(found)

    def spent(self, session: str) -> Total:
        """By the session and all its sub-sessions."""
        return self.total(self.family(session))

    def total(self, sessions: Iterable[str]) -> Total:
        return sum(self.lines(sessions).values(), start=Total())

    def lines(self, sessions: Iterable[str]) -> Mapping[tuple[str, str], Total]:
        """The sums of `sessions` by stage and model, in the order in which those first occur."""
        found: dict[tuple[str, str], Total] = {}
        for session in sessions:
            for request in self._requests.get(session, ()):
                key = (request.stage, request.model)
                found[key] = found.get(key, Total()) + total_of(request)
        return found

    def last_request(self, session: str) -> Request | None:
        known = self._requests.get(session)
        return known[-1] if known else None


def total_of(request: Request) -> Total:
    money, unpriced = request.money or Decimal(0), int(request.money is None)
    return Total(1, request.usage, request.millis, money, unpriced)


def _root(parents: Mapping[str, str], session: str) -> str:
    while (above := parents.get(session)) is not None:
        session = above
    return session


def _link(parents: dict[str, str], session: str, parent: str | None) -> bool:
    """Whether that is a new link. A session keeps its parent, and links never go round."""
    if parent is None or session in parents or _root(parents, parent) == session:
        return False
    parents[session] = parent
    return True
