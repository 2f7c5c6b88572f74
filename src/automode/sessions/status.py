"""What the decision service tells of itself and of its sessions, as data."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Self

from automode.agents.events import Variables
from automode.core.decision import Decision, Failure, Verdict, ask, settle
from automode.core.recent import Recent
from automode.core.record import Record, SessionKey
from automode.core.session import History, Mode
from automode.sessions.live_session import (
    NOT_RECORDED,
    LiveSession,
    Override,
    Standing,
    override_of,
)
from automode.store.changes import Kept, SessionRow

log = logging.getLogger(__name__)

MOST_NOTICES = 20


@dataclass(slots=True)
class Notices:
    """One of a kind for each session: a newer one takes the place of the older."""

    _all: Recent[tuple[SessionKey, str], str] = field(default_factory=lambda: Recent(MOST_NOTICES))

    def tell(self, key: SessionKey, kind: str, sentence: str) -> bool:
        """Whether it is news. `sentence` quotes no call: it goes into the log as well."""
        log.warning("session %s: %s", key, sentence)
        told, before = f"{key}: {sentence}", self._all.get((key, kind))
        self._all[key, kind] = told
        return told != before

    def drop(self, key: SessionKey | None, kind: str = "") -> None:
        """Of one session or of all, of one kind or of every kind."""
        for known in list(self._all):
            if key in (None, known[0]) and kind in ("", known[1]):
                del self._all[known]

    def all(self) -> tuple[str, ...]:
        return tuple(self._all.values())


@dataclass(frozen=True, slots=True)
class Ruling:
    """`decision` None: auto mode is off, nothing was recorded. `kept` None: no record was made."""

    decision: Decision | None
    record: str | None = None  # the id of the audit record
    kept: Kept | None = None
    micros: int = 0
    asked: Record | None = None  # of an ask that can be answered from elsewhere
    hold: float = 0.0  # the seconds that it may wait for that


def unless_lost(decision: Decision, kept: Kept, remedy: str, *, attended: bool) -> Decision:
    """An allow that could not be recorded becomes an ask; stricter verdicts stay."""
    if not kept.lost or decision.verdict is not Verdict.ALLOW:
        return decision
    reason = f"the decision could not be recorded: {kept.reason}"
    unknown = ask(NOT_RECORDED, reason, error=Failure.UNAVAILABLE, remedy=remedy)
    return settle(replace(unknown, enforced=decision.enforced), attended=attended)


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session as `status` and `sessions` show it."""

    row: SessionRow
    mode: str  # `enforce`, `shadow`, `off`: as far as the session itself knows; see `in_mode`
    history: History
    usd: str  # spent by the session and its sub-sessions
    variables: Variables = ()  # of its agent's environment, those that hold settings
    environment: tuple[str, ...] = ()  # which these are, and what of them does not count
    run: str = ""  # of `automode run`, where that started its agent

    @property
    def key(self) -> SessionKey:
        return self.row.key

    @property
    def override(self) -> Override:
        return override_of(self.row)


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    sessions: tuple[SessionState, ...]  # in memory, the last seen first
    decided: int  # since the decision service was built
    projects: tuple[str, ...]  # whose settings are loaded
    notices: tuple[str, ...]  # what a person should know, one sentence each


def live_state(live: LiveSession, usd: str) -> SessionState:
    session = live.session
    return SessionState(
        live.row(str),
        session.mode.value,
        session.history,
        usd,
        variables=live.variables,
        run=live.standing.run,
    )


def row_state(row: SessionRow, history: History, usd: str) -> SessionState:
    mode = Mode.OFF if override_of(row) is Override.OFF else Mode.ENFORCE
    return SessionState(row, mode.value, history, usd, run=Standing.of(row.standing).run)


def is_halted(history: History) -> bool:
    """A stopped run stays stopped, so its last decision says it."""
    return history.last_verdict is Verdict.HALT


def stand_in_text(history: History) -> str:
    """For a session in which the embedded judge stood in."""
    calls = "1 call" if history.stood_in == 1 else f"{history.stood_in} calls"
    still = "still fails" if history.stands_in else "answers again"
    return (
        f"the embedded judge decided {calls} in place of the model, which {still}; see"
        " `automode status`"
    )


def doubted_prompts(live: LiveSession) -> str:
    """How many prompts of the session did not count as the person's words, though its agent handed
    them over as such; empty for none."""
    count = live.standing.doubted + sum(map(bool, live.words.disowned))
    if not count:
        return ""
    prompts, them = ("1 prompt", "it") if count == 1 else (f"{count} prompts", "them")
    return (
        f"{prompts} of this session did not count as your words, because automode could not tell"
        f" that you typed {them}; if you did, type {them} again in other words"
    )


MOST_WAITING = 1024


class Subscription:
    """An async iterator over records, and a context manager. A slow reader loses the oldest: see
    `lost`."""

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
        if self in self._subscribers:
            self._subscribers.remove(self)
        self._news.set()

    def hand(self, record: Record) -> None:
        self.lost += len(self._waiting) == MOST_WAITING
        self._waiting.append(record)
        self._news.set()


class Subscribers(list[Subscription]):
    def add(self) -> Subscription:
        self.append(Subscription(self))
        return self[-1]

    def publish(self, record: Record) -> None:
        for subscription in self:
            subscription.hand(record)

    def close(self) -> None:
        for subscription in [*self]:
            subscription.close()
