"""How late it surely is, for what is deleted by age: a clock that jumps ahead is not believed yet.

What a running daemon counts can be relied on; what the clock says beyond that may be a fault that
somebody corrects a moment later, and what was deleted meanwhile is gone. So the clock is on trial
until daemons have run under it for a day. Everything here runs inside a transaction of `db`.
"""

import json
import math
from dataclasses import dataclass

from automode.store.chain import KEEP, Chain
from automode.store.database import Database
from automode.store.record_text import canonical

TRIAL_SECONDS = 86_400.0
MOST_AT_ONCE = 7200.0
"""As much of a trial counts between two looks: while a machine sleeps nobody notices anything."""

_NAME = "clock "  # what the name in `meta` begins with; the chain's id follows
_READ = "SELECT value FROM meta WHERE name = ?"
_NEWEST = (
    "SELECT (SELECT max(at) FROM decision WHERE chain = ? AND at <= ?),"
    " (SELECT max(seen) FROM session WHERE seen <= ?)"
)


@dataclass(frozen=True, slots=True)
class Reckoning:
    """It is `sure` at least. `tried` is what the clock said when its trial began, and what was
    counted since; it has been on trial for `seconds`."""

    sure: float
    tried: float
    seconds: float = 0.0

    def later(self, elapsed: float, clock: float) -> "Reckoning":
        """After so many seconds that were counted. A clock that goes back is believed at once: then
        less is deleted."""
        sure = min(self.sure + elapsed, clock)
        tried = min(max(self.sure, self.tried) + elapsed, clock)
        seconds = self.seconds + min(elapsed, MOST_AT_ONCE)
        if seconds < TRIAL_SECONDS:
            return Reckoning(sure, tried, seconds)
        # What the clock has gained since then is on trial from now on.
        return Reckoning(tried, clock)


def reckoned(db: Database, chain: Chain, clock: float, elapsed: float, started: float) -> Reckoning:
    """As it is kept for this chain, brought up to now. `elapsed` is what was counted since the last
    time. Where nothing is kept yet, what was written until `started` says how late it is."""
    name = _NAME + chain.id
    known = _kept(db, name)
    found = _begun(db, chain, clock, started) if known is None else known.later(elapsed, clock)
    fields = {"sure": found.sure, "tried": found.tried, "seconds": found.seconds}
    db.execute(KEEP, (name, canonical(fields)))
    return found


def _kept(db: Database, name: str) -> Reckoning | None:
    for (text,) in db.rows(_READ, (name,)):
        try:
            found = json.loads(str(text))
        except (ValueError, RecursionError):
            return None
        match found:
            case {"sure": float(sure), "tried": float(tried), "seconds": float(seconds)}:
                known = Reckoning(sure, tried, max(0.0, seconds))
                return known if all(map(math.isfinite, (sure, tried, seconds))) else None
            case _:
                return None
    return None


def _begun(db: Database, chain: Chain, clock: float, started: float) -> Reckoning:
    [newest] = db.rows(_NEWEST, (chain.id, started, started))
    times = [float(at) for at in newest if isinstance(at, int | float)]
    return Reckoning(min(max(times, default=clock), clock), clock)
