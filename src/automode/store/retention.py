"""Removes old records and what a person purges; each removal leaves a signed checkpoint.

What is taken out of the middle of a chain leaves each record's place, id, time and hash, nothing
else, so that the rest still verifies. Everything here runs inside a transaction of `db`; after the
commit of a purge `db.scrub` is due, so that nothing stays in the files behind the database.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import escape, glob

from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import canonical, restore_text, storable
from automode.store.database import Database, Engine
from automode.store.folder import StateFolder
from automode.store.links import HEAD_NAME, HIGHEST, Checkpoint, Head, Kind, Tombstone, text_digest
from automode.store.tables import forget_session, forget_unseen

KEEP_DAYS = 90
"""How long decisions are kept unless a person says otherwise."""

_DAY_SECONDS = 86_400


def apply(db: Database, chain: Chain, now: float, keep_days: int = KEEP_DAYS) -> int:
    """Removes what is older than `keep_days`. Returns how many records went."""
    return prune(db, chain, now - keep_days * _DAY_SECONDS, now, f"older than {keep_days} days")


def forget_sessions(db: Database, before: float) -> int:
    """Those last seen before then. Returns how many."""
    if db.engine is Engine.POSTGRESQL:
        if not db.rows("SELECT 1 WHERE pg_try_advisory_xact_lock(hashtext('automode.forgetting'))"):
            return 0  # another machine does it just now
        # One that is seen again meanwhile must not lose its transcript and keep its row.
        db.rows("SELECT 1 FROM session WHERE seen < ? FOR UPDATE", (before,))
    return forget_unseen(db, before)


def prune(db: Database, chain: Chain, before: float, now: float, why: str) -> int:
    """Removes the records before the first one made at `before` or later. Returns how many; a mark
    is made where any went."""
    first = first_kept(db, chain, before, now)
    removed = count(db, chain, first)
    if not removed:
        return 0
    head = chain.head(db, now)
    start, made = (first, _hash_before(db, chain, first))
    if first > head.seq:
        start, made = head.seq + 1, head.hash
    mark = Checkpoint(head.marks + 1, Kind.PRUNED, now, start, made, removed, why, head.mark)
    chain.add_checkpoint(db, head, mark)
    return db.execute("DELETE FROM decision WHERE chain = ? AND seq < ?", (chain.id, start))


def first_kept(db: Database, chain: Chain, before: float, now: float) -> int:
    """The number of the first record that stays: the one after the last old record before which
    nothing new stands. A record from later than tomorrow had a wrong clock and holds nothing
    back."""
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


_PAGE = 500


@dataclass(frozen=True, slots=True)
class Purged:
    """What is gone. `removed` records left the chain, `emptied` ones left their place in it."""

    removed: int = 0
    emptied: int = 0
    sessions: int = 0


def leftovers(folder: StateFolder) -> list[str]:
    """Databases that were moved aside, damaged or lost: they hold what was recorded once."""
    return sorted(glob(f"{escape(folder.database)}.*"))


def purge_session(db: Database, chain: Chain, key: SessionKey, now: float) -> Purged:
    """One session and those of its sub-agents: contents, transcripts, approvals, usage."""
    family = _family(db, chain, key)
    head = chain.head(db, now)
    number = head.marks + 1
    lowest, emptied = HIGHEST, 0
    for one in family:
        for seq in _empty(db, chain, one, number):
            lowest, emptied = min(lowest, seq), emptied + 1
        forget_session(db, one)
    if emptied:
        why = "purged: one session"
        mark = Checkpoint(number, Kind.PURGED, now, lowest, "", emptied, why, head.mark)
        chain.add_checkpoint(db, head, mark)
    return Purged(emptied=emptied, sessions=len(family))


def purge_before(db: Database, chain: Chain, before: float, now: float) -> Purged:
    """Records that were made before then, and sessions that were not seen since."""
    first = first_kept(db, chain, before, now)
    gone = _keys(db, chain, upto=first) - _keys(db, chain, since=first)
    removed = prune(db, chain, before, now, "purged: before a day")
    for key in gone:
        forget_session(db, key)
    unseen = 0
    if db.engine is Engine.SQLITE:  # a shared database also holds what others want to keep
        unseen = forget_unseen(db, before)
        db.execute("DELETE FROM usage WHERE at < ?", (before,))
    return Purged(removed=removed, sessions=len(gone) + unseen)


def purge_all(db: Database, chain: Chain, now: float) -> Purged:
    """Everything, marks too. The chain goes on from its last number, with a mark that says so."""
    head = chain.head(db, now)
    keys, removed = _keys(db, chain), count(db, chain)
    db.execute("DELETE FROM checkpoint WHERE chain = ?", (chain.id,))
    anew = Head(head.seq, head.hash, 0, "")
    chain.mark(db, anew, Kind.BEGAN, now, count=removed, why="purged: everything")
    if db.engine is Engine.SQLITE:
        _wipe(db, chain)
    for key in keys:
        forget_session(db, key)
    db.execute("DELETE FROM decision WHERE chain = ?", (chain.id,))
    return Purged(removed=removed, sessions=len(keys))


def _wipe(db: Database, chain: Chain) -> None:
    """The rest of a database that nobody else uses, and what chains of other keys left in it."""
    for table in ("session", "event", "approval", "precedent", "usage"):
        db.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
    for table in ("decision", "checkpoint"):
        db.execute(f"DELETE FROM {table} WHERE chain <> ?", (chain.id,))  # noqa: S608 - constants
    names = (f"{HEAD_NAME}%", HEAD_NAME + chain.id)
    db.execute("DELETE FROM meta WHERE name LIKE ? AND name <> ?", names)


def _empty(db: Database, chain: Chain, key: SessionKey, mark: int) -> Iterator[int]:
    """Takes the contents out of a session's records; says their numbers."""
    found = (
        "SELECT seq, body, hash FROM decision WHERE chain = ? AND host = ? AND session = ?"
        " AND verdict <> '' AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?"
    )
    put = (
        "UPDATE decision SET body = ?, host = '', session = '', verdict = '', source = ''"
        " WHERE chain = ? AND seq = ?"
    )
    names = (chain.id, storable(key.host), storable(key.id))
    after = 0
    while page := db.rows(found, (*names, after, HIGHEST, _PAGE)):
        tombstones: list[tuple[str, str, int]] = []
        for seq, body, made in page:
            # What is no number was put there by another program: it is skipped, and stays a fault.
            after = seq if isinstance(seq, int) else after + 1
            digest = text_digest(str(body))
            tombstone = Tombstone.of(chain.id, after, str(made), digest, mark, chain.key)
            tombstones.append((tombstone.body, chain.id, after))
        db.many(put, tombstones)
        yield from (place for _, _, place in tombstones)


def _keys(
    db: Database, chain: Chain, *, since: int = 0, upto: int = HIGHEST
) -> frozenset[SessionKey]:
    """The sessions that have records with these numbers, other than purged ones."""
    sql = (
        "SELECT DISTINCT host, session FROM decision"
        " WHERE chain = ? AND seq >= ? AND seq < ? AND verdict <> ''"
    )
    return frozenset(_key(*found) for found in db.rows(sql, (chain.id, since, upto)))


def _family(db: Database, chain: Chain, key: SessionKey) -> list[SessionKey]:
    """The session and all below it, by its row or its records: rows are forgotten sooner."""
    found = {key: None}
    waiting = [key]
    while waiting:
        above = waiting.pop()
        below = [one for one in _children(db, chain, above) if one not in found]
        found.update(dict.fromkeys(below))
        waiting += below
    return list(found)


def _children(db: Database, chain: Chain, key: SessionKey) -> Iterator[SessionKey]:
    host, session = storable(key.host), storable(key.id)
    kept = "SELECT host, id FROM session WHERE host = ? AND parent = ?"
    yield from (_key(*found) for found in db.rows(kept, (host, session)))
    recorded = (
        "SELECT DISTINCT host, session FROM decision"
        " WHERE chain = ? AND host = ? AND replace(body, ?, '') <> body"
    )
    # Inside of any text of a record the quotes would be escaped.
    says = canonical({"parent": key.id})[1:-1]
    rows = db.rows(recorded, (chain.id, host, says))
    yield from (_key(*found) for found in rows)


def _key(host: object, session: object) -> SessionKey:
    return SessionKey(restore_text(str(host)), restore_text(str(session)))
