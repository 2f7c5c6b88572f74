"""What the decision service tells of itself and of its sessions, as data."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Self

from automode.core.decision import Decision, Verdict
from automode.core.recent import Recent
from automode.core.record import Record, SessionKey
from automode.core.session import History, Mode
from automode.sessions.live_session import LiveSession, Override
from automode.store.changes import Kept, SessionRow

log = logging.getLogger(__name__)

MOST_NOTICES = 20


@dataclass(slots=True)
class Notices:
    """One of a kind for each session: a newer one takes the place of the older."""

    _all: Recent[tuple[SessionKey, str], str] = field(default_factory=lambda: Recent(MOST_NOTICES))

    def tell(self, key: SessionKey, kind: str, sentence: str) -> None:
        """`sentence` quotes no call: it goes into the log as well."""
        log.warning("session %s: %s", key, sentence)
        self._all[key, kind] = f"{key}: {sentence}"

    def drop(self, key: SessionKey | None, kind: str = "") -> None:
        """Of one session or of all, of one kind or of every kind."""
        for known in list(self._all):
            if key in (None, known[0]) and kind in ("", known[1]):
                del self._all[known]

    def all(self) -> tuple[str, ...]:
        return tuple(self._all.values())


@dataclass(frozen=True, slots=True)
class Ruling:
    """`decision` None: auto mode is off and the host's own flow goes on; nothing was recorded.
    `kept` None: no record was made."""

    decision: Decision | None
    record: str | None = None  # the id of the audit record
    kept: Kept | None = None
    micros: int = 0


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session as `status` and `sessions` show it."""

    key: SessionKey
    parent: str | None
    root: str
    cwd: str
    attended: bool
    mode: str  # `enforce`, `shadow`, `off`: as far as the session itself knows; see `modes`
    override: Override
    halted: bool
    created: float
    seen: float
    ended: float | None
    history: History
    usd: str  # spent by the session and its sub-sessions


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    sessions: tuple[SessionState, ...]  # in memory, the last seen first
    decided: int  # since the decision service was built
    projects: tuple[str, ...]  # whose settings are loaded
    notices: tuple[str, ...]  # what a person should know, one sentence each


def live_state(live: LiveSession, usd: str) -> SessionState:
    place = live.session.workspace
    history = live.session.history
    return SessionState(
        live.key,
        None if live.parent is None else live.parent.id,
        live.root or place.root,
        place.cwd,
        live.session.attended,
        live.session.mode.value,
        live.override,
        halted(history),
        live.created,
        live.seen,
        live.ended,
        history,
        usd,
    )


def row_state(row: SessionRow, history: History, usd: str) -> SessionState:
    override = next((one for one in Override if one.value == row.mode), Override.NONE)
    mode = Mode.OFF if override is Override.OFF else Mode.ENFORCE
    return SessionState(
        row.key,
        row.parent,
        row.root,
        row.cwd,
        row.attended,
        mode.value,
        override,
        halted(history),
        row.created,
        row.seen,
        row.ended,
        history,
        usd,
    )


def halted(history: History) -> bool:
    """A stopped run stays stopped, so its last decision says it."""
    return history.last_verdict is Verdict.HALT


MOST_WAITING = 1024


class Subscription:
    """An async iterator over records, and a context manager. A reader that is too slow loses the
    oldest; `lost` says how many."""

    def __init__(self, subscribers: "Subscribers") -> None:
        self.lost = 0
        self._subscribers = subscribers
        self._waiting: deque[Record] = deque(maxlen=MOST_WAITING)
        self._news = asyncio.Event()
        self._open = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aiter__(self) -> AsyncIterator[Record]:
        while True:
            while self._waiting:
                yield self._waiting.popleft()
            if not self._open:
                return
            self._news.clear()
            await self._news.wait()

    def close(self) -> None:
        """Ends the iteration once what waits was read."""
        self._open = False
        self._subscribers.remove(self)
        self._news.set()

    def hand(self, record: Record) -> None:
        self.lost += len(self._waiting) == MOST_WAITING
        self._waiting.append(record)
        self._news.set()


class Subscribers:
    def __init__(self) -> None:
        self._all: list[Subscription] = []

    def add(self) -> Subscription:
        subscription = Subscription(self)
        self._all.append(subscription)
        return subscription

    def remove(self, subscription: Subscription) -> None:
        if subscription in self._all:
            self._all.remove(subscription)

    def publish(self, record: Record) -> None:
        for subscription in self._all:
            subscription.hand(record)

    def close(self) -> None:
        for subscription in list(self._all):
            subscription.close()
