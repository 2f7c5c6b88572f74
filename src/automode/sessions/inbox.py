"""What a person can still answer: the asks that wait, and what was stopped lately."""

from collections.abc import Collection, Sequence

from automode.core.decision import Verdict
from automode.core.record import Record, clearance
from automode.sessions.live_session import DECLINED
from automode.store import tables
from automode.store.changes import RecordQuery
from automode.store.database import Database

RECENT_SECONDS = 24 * 3600.0
ASKED_SECONDS = 600.0
"""An older ask was answered in the agent's own dialog, or its turn is over."""
MOST_LOOKED_AT = 500  # records


def recently_stopped(
    db: Database, now: float, waiting: Collection[str] = (), limit: int = 50
) -> Sequence[Record]:
    """What a person's yes would let through when the agent tries it again, the newest first: of
    the same call in the same session only its last record, and only if no person answered it."""
    stopped = ("ask", "deny", "halt")
    found = tables.records(
        db, RecordQuery(None, stopped, since=now - RECENT_SECONDS, limit=MOST_LOOKED_AT)
    )
    answered = {one.record for one in tables.approvals(db)}
    seen: set[tuple[str, str]] = set()
    open_ones: list[Record] = []
    for one in (stored.record for stored in found if stored.record is not None):
        same = (str(one.session), one.digest)
        if one.digest and same in seen:
            continue
        seen.add(same)
        too_old = one.verdict is Verdict.ASK and one.at < now - ASKED_SECONDS
        done = one.id in answered or one.id in waiting or one.source == DECLINED
        if clearance(one).possible and not (too_old or done):
            open_ones.append(one)
    return open_ones[:limit]
