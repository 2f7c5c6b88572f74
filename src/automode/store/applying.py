"""Writes changes into the tables, inside a transaction of whoever calls."""

from collections.abc import Iterator, Sequence

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
    SessionRow,
    Used,
)
from automode.store.database import Database, Value
from automode.store.encoding import restored, storable

_SESSION = """INSERT INTO session
    (host, id, parent, root, cwd, attended, mode, created, seen, ended, history)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (host, id) DO UPDATE SET parent = excluded.parent, root = excluded.root,
    cwd = excluded.cwd, attended = excluded.attended, mode = excluded.mode,
    created = excluded.created, seen = excluded.seen, ended = excluded.ended,
    history = excluded.history"""
# What comes late must not undo what came after it.
_SESSION_LATE = f"{_SESSION} WHERE excluded.seen >= session.seen"
_EVENT_LATE = """INSERT INTO event (host, session, place, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (host, session, place) DO NOTHING"""
_EVENT = _EVENT_LATE.replace("NOTHING", "UPDATE SET body = excluded.body")
_USAGE = """INSERT INTO usage (id, at, host, session, parent, stage, model, input, output,
    cache_read, cache_write, millis, usd) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING"""
_APPROVAL = """INSERT INTO approval (id, at, host, session, record, digest, once, expires)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"""


def apply(db: Database, changes: Sequence[Change], chain: Chain, *, late: bool = False) -> None:
    """Writes the changes; those that are there already change nothing. `late`: they come from a
    spool, and newer ones may be there. Afterwards, when the transaction is committed, `chain.kept`
    is due."""
    for group in _groups(changes):
        _write(db, group, chain, late=late)
        match group[-1]:
            case SessionForgotten() as forgotten:
                _forget(db, forgotten)
            case _:
                pass


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
    if records := [one.record for one in changes if isinstance(one, Decided)]:
        chain.append(db, records)
    # Of a session that was kept several times the last one counts.
    sessions = {one.row.key: one.row for one in changes if isinstance(one, SessionKept)}
    for sql, rows in (
        (_SESSION_LATE if late else _SESSION, list(map(_session_values, sessions.values()))),
        (
            _EVENT_LATE if late else _EVENT,
            [_event_values(one) for one in changes if isinstance(one, Heard)],
        ),
        (_USAGE, [_usage_values(one) for one in changes if isinstance(one, Used)]),
        (_APPROVAL, [_approval_values(one) for one in changes if isinstance(one, Approved)]),
    ):
        if rows:
            db.many(sql, rows)


def consume(db: Database, key: SessionKey, digest: str, now: float) -> Approval | None:
    """Takes a valid approval of exactly this call. One that counts once is used up by it: two who
    ask at the same time do not both get it. A clock that was set back to before the approval makes
    it count no longer, rather than for longer."""
    values = (now, *_key(key), storable(digest), now, now)
    found = db.rows(_CONSUME, values)
    match found:
        case [(str(own), str(record), int(once), float() | int() | None as expires)]:
            return Approval(
                own, key, restored(record), digest, bool(once), expires, now if once else None
            )
        case _:
            return None


_CONSUME = """UPDATE approval SET consumed = CASE WHEN once = 1 THEN ? ELSE NULL END
    WHERE consumed IS NULL AND id = (SELECT id FROM approval
        WHERE host = ? AND session = ? AND digest = ? AND consumed IS NULL
        AND at <= ? AND (expires IS NULL OR expires > ?)
        ORDER BY once, at DESC LIMIT 1)
    RETURNING id, record, once, expires"""


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
    values = (storable(change.history), storable(change.mode), *_key(change.session))
    db.execute("UPDATE session SET history = ?, mode = ? WHERE host = ? AND id = ?", values)
    db.execute("DELETE FROM approval WHERE host = ? AND session = ?", _key(change.session))


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
        storable(row.mode),
        row.created,
        row.seen,
        row.ended,
        storable(row.history),
    )


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


def _approval_values(approved: Approved) -> tuple[Value, ...]:
    return (
        storable(approved.id),
        approved.at,
        *_key(approved.session),
        storable(approved.record),
        storable(approved.digest),
        int(approved.once),
        approved.expires,
    )
