"""Writes changes into the tables, inside a transaction of whoever calls."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import (
    Approval,
    ApprovalsForgotten,
    Approved,
    Change,
    Decided,
    Heard,
    ModeSet,
    SessionKept,
    SessionRow,
    Used,
    restored,
    storable,
)
from automode.store.database import Database, Row, Value
from automode.store.links import approval_seal, mode_seal, same

# The mode is a person's: whoever writes a row from memory must not take it back.
_SESSION = """INSERT INTO session
    (host, id, parent, root, cwd, attended, mode, created, seen, ended, history)
    VALUES (?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?)
    ON CONFLICT (host, id) DO UPDATE SET parent = excluded.parent, root = excluded.root,
    cwd = excluded.cwd, attended = excluded.attended, ended = excluded.ended,
    history = excluded.history,
    seen = CASE WHEN excluded.seen > session.seen THEN excluded.seen ELSE session.seen END"""
_EVENT = """INSERT INTO event (host, session, place, body)
    SELECT ?, ?, coalesce(max(place), -1) + 1, ? FROM event WHERE host = ? AND session = ?"""
_USAGE = """INSERT INTO usage (id, at, host, session, parent, stage, model, input, output,
    cache_read, cache_write, millis, usd) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING"""
_APPROVAL = """INSERT INTO approval (id, at, host, session, record, digest, once, expires, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"""
_MODE = "UPDATE session SET mode = ?, seal = ? WHERE host = ? AND id = ?"
_NO_APPROVALS = "DELETE FROM approval WHERE host = ? AND session = ?"
_UNSEALED = ""
_Row: TypeAlias = SessionKept | Heard | Used | Approved | ModeSet | ApprovalsForgotten


def apply(db: Database, changes: Sequence[Change], chain: Chain) -> None:
    """Writes the changes. Afterwards, when the transaction is committed, `chain.kept` is due."""
    for group in _groups(changes):
        _write(db, group, chain)


def _groups(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    """Within a group the order of different kinds does not matter; a reset ends one."""
    start = 0
    for at, change in enumerate(changes, start=1):
        if isinstance(change, ApprovalsForgotten):
            yield changes[start:at]
            start = at
    if start < len(changes):
        yield changes[start:]


def _write(db: Database, changes: Sequence[Change], chain: Chain) -> None:
    records = [one.record for one in changes if isinstance(one, Decided)]
    if records:
        chain.append(db, records)
    rows: dict[str, list[tuple[Value, ...]]] = {sql: [] for sql in _ORDER}
    for one in changes:
        if not isinstance(one, Decided):
            sql, values = _statement(db.signing_key, one)
            rows[sql].append(values)
    for sql, several in rows.items():
        if several:
            db.many(sql, several)


def _statement(signing: bytes, change: _Row) -> tuple[str, tuple[Value, ...]]:
    match change:
        case SessionKept(row):
            return _SESSION, _session_values(row)
        case Heard(session, _, event):
            return _EVENT, (*_key(session), storable(event), *_key(session))
        case Used():
            return _USAGE, _usage_values(change)
        case Approved():
            return _APPROVAL, _approval_values(signing, change)
        case ModeSet(session, mode):
            return _MODE, (mode, mode_seal(signing, session, mode), *_key(session))
        case ApprovalsForgotten(session):
            return _NO_APPROVALS, _key(session)


_ORDER = (_SESSION, _EVENT, _USAGE, _APPROVAL, _MODE, _NO_APPROVALS)


def consume(db: Database, key: SessionKey, digest: str, now: float) -> Approval | None:
    """Takes a valid approval of exactly this call. One that counts once is used up by it: two who
    ask at the same time do not both get it. A clock that was set back to before the approval makes
    it count no longer, rather than for longer."""
    for found in db.rows(_OPEN, (*_key(key), storable(digest), now, now)):
        yes, seal = _found_approval(key, digest, found)
        if yes is None or not same(seal, approval_seal(db.signing_key, yes)):
            continue
        taken = now if yes.once else None
        if db.execute(_TAKE, (taken, _UNSEALED if yes.once else seal, storable(yes.id))):
            return Approval(yes.id, key, yes.record, digest, yes.once, yes.expires, taken)
    return None


def _found_approval(key: SessionKey, digest: str, found: Row) -> tuple[Approved | None, str]:
    match found:
        case (
            str(own),
            float() | int() as at,
            str(record),
            int(once),
            float() | int() | None as expires,
            str(seal),
        ):
            names = (restored(own), at, key, restored(record), digest)
            return Approved(*names, bool(once), expires), seal
        case _:
            return None, _UNSEALED


_OPEN = """SELECT id, at, record, once, expires, seal FROM approval
    WHERE host = ? AND session = ? AND digest = ? AND consumed IS NULL
    AND at <= ? AND (expires IS NULL OR expires > ?) ORDER BY once, at DESC"""
# Its seal goes with it: to take back that it was used is not enough to use it again.
_TAKE = "UPDATE approval SET consumed = ?, seal = ? WHERE consumed IS NULL AND id = ?"


def forget_session(db: Database, key: SessionKey) -> None:
    """Its row, its transcript, its approvals and its usage; what was audited is not touched."""
    for table, column in (("session", "id"), ("event", "session"), *_OF_A_SESSION):
        db.execute(f"DELETE FROM {table} WHERE host = ? AND {column} = ?", _key(key))  # noqa: S608 - constants


_OF_A_SESSION = (("approval", "session"), ("usage", "session"))


def forget_unseen(db: Database, before: float) -> int:
    """Sessions that were last seen before then: their rows, transcripts and approvals. Returns how
    many. What they cost stays."""
    old = "(SELECT host, id FROM session WHERE seen < ?)"
    for table in ("event", "approval"):
        db.execute(f"DELETE FROM {table} WHERE (host, session) IN {old}", (before,))  # noqa: S608 - constants
    return db.execute("DELETE FROM session WHERE seen < ?", (before,))


def _key(key: SessionKey) -> tuple[str, str]:
    return storable(key.host), storable(key.id)


def _maybe(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _session_values(row: SessionRow) -> tuple[Value, ...]:
    return (
        *_key(row.key),
        _maybe(row.parent),
        storable(row.root),
        storable(row.cwd),
        int(row.attended),
        row.created,
        row.seen,
        row.ended,
        storable(row.standing),
    )


def _usage_values(used: Used) -> tuple[Value, ...]:
    return (
        storable(used.id),
        used.at,
        *_key(used.session),
        _maybe(used.parent),
        storable(used.stage),
        storable(used.model),
        used.input,
        used.output,
        used.cache_read,
        used.cache_write,
        used.millis,
        _maybe(used.usd),
    )


def _approval_values(signing: bytes, approved: Approved) -> tuple[Value, ...]:
    return (
        storable(approved.id),
        approved.at,
        *_key(approved.session),
        storable(approved.record),
        storable(approved.digest),
        int(approved.once),
        approved.expires,
        approval_seal(signing, approved),
    )
