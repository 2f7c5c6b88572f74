"""What the daemon does to the store beside writing decisions: old records go, purges are made."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from automode.core.errors import BadCall
from automode.daemon.asked import Asked
from automode.sessions.decision_service import DecisionService
from automode.sessions.registry import FORGOTTEN_AFTER_DAYS
from automode.sessions.store_access import StoreAccess
from automode.store import retention
from automode.store.chain import Chain
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.retention import Purged, purge_all, purge_before, purge_session
from automode.store.tables import recorded_session

_DAY_SECONDS = 86_400


@dataclass(slots=True)
class Archive:
    folder: StateFolder
    keeper: StoreAccess
    desk: DecisionService
    keep_days: int = retention.KEEP_DAYS
    clock: Callable[[], float] = time.time

    async def daily(self) -> None:
        """Lets go of what is too old, by the clock of this machine."""
        await self.keeper.run(partial(self._let_go, self.clock()))

    def _let_go(self, now: float, db: Database) -> None:
        retention.apply(db, Chain.of(self.folder), now, self.keep_days)
        retention.forget_sessions(db, now - FORGOTTEN_AFTER_DAYS * _DAY_SECONDS)

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
