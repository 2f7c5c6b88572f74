"""Lets old records go, and leaves a sealed mark that says where the chain begins now; forgets old
sessions.

Everything here runs inside a transaction of `db`.
"""

from collections.abc import Sequence

from automode.store.applying import forget_unseen
from automode.store.chain import Chain
from automode.store.database import Database, Engine
from automode.store.links import HIGHEST, Kind, Mark

KEEP_DAYS = 90
"""How long decisions are kept unless a person says otherwise."""

_DAY_SECONDS = 86_400


def apply(db: Database, chain: Chain, now: float, keep_days: int = KEEP_DAYS) -> int:
    """Removes what is older than `keep_days`. Returns how many records went."""
    return prune(db, chain, now - keep_days * _DAY_SECONDS, now, f"older than {keep_days} days")


def forget_sessions(db: Database, before: float) -> int:
    """Those that nobody has seen since then. Returns how many."""
    if db.engine is Engine.POSTGRESQL:
        if not db.rows("SELECT 1 WHERE pg_try_advisory_xact_lock(hashtext('automode.forgetting'))"):
            return 0  # another machine does it just now
        # One that is seen again meanwhile must not lose its transcript and keep its row.
        db.rows("SELECT 1 FROM session WHERE seen < ? FOR UPDATE", (before,))
    return forget_unseen(db, before)


def prune(db: Database, chain: Chain, before: float, now: float, why: str) -> int:
    """Removes the records up to the first one that was made at `before` or later. Returns how many
    went; where none does, no mark is made."""
    first = first_kept(db, chain, before, now)
    removed = count(db, chain, first)
    if not removed:
        return 0
    head = chain.head(db, now)
    start, made = (first, _hash_before(db, chain, first))
    if first > head.seq:
        start, made = head.seq + 1, head.hash
    mark = Mark(head.marks + 1, Kind.PRUNED, now, start, made, removed, why, head.mark)
    chain.add_mark(db, head, mark)
    return db.execute("DELETE FROM decision WHERE chain = ? AND seq < ?", (chain.id, start))


def first_kept(db: Database, chain: Chain, before: float, now: float) -> int:
    """The number of the first record that stays: the one after the last old record before which
    nothing new stands. What says it was made later than tomorrow had a wrong clock: it holds
    nothing back, and goes only when an old one follows it."""
    new = "SELECT min(seq) FROM decision WHERE chain = ? AND at >= ? AND at <= ?"
    limit = _number(db.rows(new, (chain.id, before, now + _DAY_SECONDS)), HIGHEST)
    old = "SELECT max(seq) FROM decision WHERE chain = ? AND at < ? AND seq < ?"
    return 1 + _number(db.rows(old, (chain.id, before, limit)), 0)


def count(db: Database, chain: Chain, below: int = HIGHEST) -> int:
    sql = "SELECT count(*) FROM decision WHERE chain = ? AND seq < ?"
    return _number(db.rows(sql, (chain.id, below)), 0)


def _number(rows: Sequence[Sequence[object]], otherwise: int) -> int:
    match rows:
        case [(int(found),)]:
            return found
        case _:
            return otherwise


def _hash_before(db: Database, chain: Chain, first: int) -> str:
    sql = "SELECT hash FROM decision WHERE chain = ? AND seq < ? ORDER BY seq DESC LIMIT 1"
    return str(db.rows(sql, (chain.id, first))[0][0])
