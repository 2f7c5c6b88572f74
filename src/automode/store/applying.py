"""Writes changes into the tables, inside a transaction of whoever calls."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import (
    Approval,
    Approved,
    Change,
    Decided,
    Heard,
    SessionForgotten,
    SessionKept,
    Used,
)
from automode.store.database import Database, Row, Value
from automode.store.encoding import restored, storable
from automode.store.joining import join
from automode.store.links import same
from automode.store.seals import NO_MODE, UNSEALED, approval_seal, mode_seal
from automode.store.spool import person_decides

# What comes late must not undo what came after it.
_EVENT_LATE = """INSERT INTO event (host, session, place, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (host, session, place) DO NOTHING"""
_EVENT = _EVENT_LATE.replace("NOTHING", "UPDATE SET body = excluded.body")
_USAGE = """INSERT INTO usage (id, at, host, session, parent, stage, model, input, output,
    cache_read, cache_write, millis, usd) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING"""
_APPROVAL = """INSERT INTO approval (id, at, host, session, record, digest, once, expires, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"""


def apply(db: Database, changes: Sequence[Change], chain: Chain, *, late: bool = False) -> None:
    """Writes the changes; those that are there already change nothing. `late`: they come from a
    spool, newer ones may be there, and what only a person may say is left out. Afterwards, when
    the transaction is committed, `chain.kept` is due."""
    if late:
        changes = [_without_person(one) for one in changes if not person_decides(one)]
    for group in _groups(changes):
        _write(db, group, chain, late=late)
        match group[-1]:
            case SessionForgotten() as forgotten:
                _forget(db, forgotten)
            case _:
                pass


def _without_person(change: Change) -> Change:
    match change:
        case SessionKept(row):
            return SessionKept(replace(row, mode=NO_MODE))
        case _:
            return change


def _groups(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    """Within a group the order of different kinds does not matter; a reset ends one."""
    start = 0
    for at, change in enumerate(changes):
        if isinstance(change, SessionForgotten):
            yield changes[start : at + 1]
            start = at + 1
    if start < len(changes):
        yield changes[start:]


def _write(db: Database, changes: Sequence[Change], chain: Chain, *, late: bool) -> None:
    records = [one.record for one in changes if isinstance(one, Decided)]
    # Before the records are there: each is counted when it comes for the first time.
    join(db, [one.row for one in changes if isinstance(one, SessionKept)], records, late=late)
    if records:
        chain.append(db, records)
    for sql, rows in (
        (
            _EVENT_LATE if late else _EVENT,
            [_event_values(one) for one in changes if isinstance(one, Heard)],
        ),
        (_USAGE, [_usage_values(one) for one in changes if isinstance(one, Used)]),
        (
            _APPROVAL,
            [_approval_values(db.signing_key, one) for one in changes if isinstance(one, Approved)],
        ),
    ):
        if rows:
            db.many(sql, rows)


def consume(db: Database, key: SessionKey, digest: str, now: float) -> Approval | None:
    """Takes a valid approval of exactly this call. One that counts once is used up by it: two who
    ask at the same time do not both get it. A clock that was set back to before the approval makes
    it count no longer, rather than for longer."""
    for found in db.rows(_OPEN, (*_key(key), storable(digest), now, now)):
        yes, seal = _found_approval(key, digest, found)
        if yes is None or not same(seal, approval_seal(db.signing_key, yes)):
            continue
        taken = now if yes.once else None
        if db.execute(_TAKE, (taken, UNSEALED if yes.once else seal, storable(yes.id))):
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
            return None, UNSEALED


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


def _forget(db: Database, change: SessionForgotten) -> None:
    seal = mode_seal(db.signing_key, change.session, change.mode)
    values = (storable(change.history), storable(change.mode), seal, *_key(change.session))
    sql = "UPDATE session SET history = ?, mode = ?, seal = ? WHERE host = ? AND id = ?"
    db.execute(sql, values)
    db.execute("DELETE FROM approval WHERE host = ? AND session = ?", _key(change.session))


def _key(key: SessionKey) -> tuple[str, str]:
    return storable(key.host), storable(key.id)


def _maybe(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _event_values(heard: Heard) -> tuple[Value, ...]:
    return (*_key(heard.session), heard.position, storable(heard.event))


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
