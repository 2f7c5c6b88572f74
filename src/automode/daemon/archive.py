"""What the daemon does to the store beside writing decisions: old records go, purges are made."""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from automode.core.errors import BadCall
from automode.daemon.asked import Asked
from automode.sessions.book import FORGOTTEN_AFTER_DAYS
from automode.sessions.desk import Desk
from automode.sessions.keeper import Keeper
from automode.store import retention
from automode.store.chain import Chain
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.purging import Purged, purge_all, purge_before, purge_session
from automode.store.reckoning import Reckoning, reckoned
from automode.store.session_names import recorded_session

_DAY_SECONDS = 86_400
_TOLD_DAYS = 7  # who has the machine on for some hours a day lags behind by that much


def _counted() -> float:
    """Seconds that nobody can set; where the system can tell, those that it slept as well."""
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


@dataclass(slots=True)
class Archive:
    folder: StateFolder
    keeper: Keeper
    desk: Desk
    keep_days: int = retention.KEEP_DAYS
    clock: Callable[[], float] = time.time
    counted: Callable[[], float] = _counted
    _started: float = field(init=False)
    _looked: float | None = None
    _due: float | None = None

    def __post_init__(self) -> None:
        self._started = self.clock()

    async def daily(self) -> str:
        """Lets go of what is too old, once a day; to be called more often, because it keeps count
        of the time as well. Says what a person should know, or nothing."""
        now = self.counted()
        elapsed = 0.0 if self._looked is None else max(0.0, now - self._looked)
        due = self._due is None or now >= self._due
        # Before it is tried: time that was counted twice would let something go too early.
        self._looked = now
        notice = await self.keeper.run(partial(self._let_go, elapsed, due=due))
        if due and not notice:
            self._due = now + _DAY_SECONDS
        return notice

    def _let_go(self, elapsed: float, db: Database, *, due: bool) -> str:
        clock, chain = self.clock(), Chain.of(self.folder)
        known = reckoned(db, chain, clock, elapsed, self._started)
        if due:
            retention.apply(db, chain, clock, self.keep_days, sure=known.sure)
            retention.forget_sessions(db, known.sure - FORGOTTEN_AFTER_DAYS * _DAY_SECONDS)
        return self._postponed(db, chain, clock, known)

    def _postponed(self, db: Database, chain: Chain, clock: float, known: Reckoning) -> str:
        ahead = clock - known.sure
        before = clock - self.keep_days * _DAY_SECONDS
        unseen = clock - FORGOTTEN_AFTER_DAYS * _DAY_SECONDS
        if ahead < _TOLD_DAYS * _DAY_SECONDS or not retention.waiting(
            db, chain, before, unseen, clock
        ):
            return ""
        return (
            f"the clock is {ahead / _DAY_SECONDS:.0f} days past what automode has counted: it was"
            " off for so long, or the clock is wrong; what is too old now goes when the daemon has"
            " run for a day"
        )

    async def purge(self, asked: Asked) -> Mapping[str, object]:
        """`session`, or `before` (seconds since the epoch), or `all`: exactly one of them."""
        named, before = asked.optional("session"), asked.fields.get("before")
        if [bool(named), before is not None, asked.flag("all")].count(True) != 1:
            raise BadCall("say exactly one of `session`, `before` and `all`")
        now, chain = time.time(), Chain.of(self.folder)
        match before:
            case None if named:
                purged = await self.keeper.run(partial(_session, chain, named, now))
            case None:
                purged = await self.keeper.run(lambda db: purge_all(db, chain, now))
            case int(moment) | float(moment) if not isinstance(before, bool):
                purged = await self.keeper.run(lambda db: purge_before(db, chain, moment, now))
            case _:
                raise BadCall("`before` is no time", "give seconds since the epoch")
        # Sub-sessions too: none of them may be written back from memory.
        await self.desk.purged(f"had {purged.removed} records removed and {purged.emptied} emptied")
        return {"removed": purged.removed, "emptied": purged.emptied, "sessions": purged.sessions}


def _session(chain: Chain, named: str, now: float, db: Database) -> Purged:
    return purge_session(db, chain, recorded_session(db, named), now)
