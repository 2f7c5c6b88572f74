"""Writes rows of sessions, and counts into them what was decided beside the store."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from automode.core.record import Record, SessionKey
from automode.store.beside import MARK, rejoined
from automode.store.chain import unknown
from automode.store.changes import SessionRow
from automode.store.database import Database, Value
from automode.store.effects import PERSON, RESET, allowed
from automode.store.encoding import restored, storable
from automode.store.links import record_of
from automode.store.seals import mode_seal
from automode.store.tally import (
    NOTHING_SINCE,
    Since,
    begun,
    counted,
    is_uncounted,
    joined,
)

MOST_LOOKED_AT = 256  # records of a session, the last that were written
_MOST_ABOVE = 8

_INSERT = """INSERT INTO session
    (host, id, parent, root, cwd, attended, mode, created, seen, ended, history, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (host, id) DO UPDATE SET parent = excluded.parent, root = excluded.root,
    cwd = excluded.cwd, attended = excluded.attended, seen = excluded.seen,
    ended = excluded.ended"""
# What comes late must not undo what came after it, nor switch anything off.
_NEWER = " WHERE excluded.seen >= session.seen"
_BESIDE = _INSERT + _NEWER
_LATE = f"{_INSERT}, created = excluded.created, history = excluded.history{_NEWER}"
_NOW = (
    f"{_INSERT}, created = excluded.created, history = excluded.history,"
    " mode = excluded.mode, seal = excluded.seal"
)
_WHERE = "WHERE host = ? AND id = ?"
_STORED = f"SELECT history, seen, parent FROM session {_WHERE}"  # noqa: S608 - constants
_ADDED_TO = f"SELECT history FROM session {_WHERE} AND substr(history, 1, {len(MARK)}) = ?"  # noqa: S608 - constants
_COUNT = f"UPDATE session SET history = ? {_WHERE}"  # noqa: S608 - constants
_LATER = f"""SELECT at, source, body FROM (SELECT at, source, body FROM decision
    WHERE session = ? AND host = ? ORDER BY number DESC LIMIT {MOST_LOOKED_AT}) AS newest
    WHERE at > ?"""  # noqa: S608 - constants


def join(
    db: Database, rows: Iterable[SessionRow], records: Sequence[Record], *, late: bool
) -> None:
    """Writes the rows. Records are counted into those that say nothing of counts, in the order of
    time and each once; they must not be in the database yet, except those that count no more."""
    kept = {row.key: row for row in rows}
    beside = {key for key, row in kept.items() if is_uncounted(row.history)}
    whole = [row for key, row in kept.items() if key not in beside]
    if whole:
        sql = _LATE if late else _NOW
        db.many(sql, [_values(db, row, _whole(db, row, records)) for row in whole])
    for key in beside:
        _join(db, kept[key])
    if not (late or beside):
        return
    new = [one for one in records if one.session in beside or one.session not in kept]
    by_session: dict[SessionKey, list[Record]] = {}
    for record in sorted(unknown(db, new), key=lambda one: one.at):
        by_session.setdefault(record.session, []).append(record)
    for some in by_session.values():
        _count(db, some, kept.keys() - beside)


def _whole(db: Database, row: SessionRow, records: Sequence[Record]) -> str:
    """The history as the memory of a session has it, with what was added to the stored one."""
    match db.rows(_ADDED_TO, (*_key(row.key), MARK)):
        case [(str(stored),)]:
            decided = [one for one in records if _concerns(one, row.key)]
            return rejoined(restored(stored), row.history, row.key, decided)
        case _:
            return row.history


def _concerns(record: Record, key: SessionKey) -> bool:
    below = record.session.host == key.host and record.parent == key.id
    return below or record.session == key


def _join(db: Database, row: SessionRow) -> None:
    match db.rows(_STORED, _key(row.key)):
        case [(str(stored), float() | int() as seen, _)]:
            newer = row.seen >= seen and not _since(_later(db, row.key, row.seen), row.seen).reset
            history = joined(restored(stored), row.history, newer=newer)
        case _:
            history = begun(row.history)
    db.execute(_BESIDE, _values(db, row, history))
    db.execute(_COUNT, (storable(history), *_key(row.key)))


def _count(db: Database, records: Sequence[Record], whole: Collection[SessionKey]) -> None:
    """In their session, and in those above that one."""
    own = records[0].session
    key: SessionKey | None = own
    seen: list[SessionKey] = [*whole]
    while key is not None and key not in seen and len(seen) <= _MOST_ABOVE + len(whole):
        seen.append(key)
        match db.rows(_STORED, _key(key)):
            case [(str(stored), _, str() | None as parent)]:
                later = _later(db, key, records[0].at)
                dated = ((one, _since(later, one.at)) for one in records)
                history = counted(restored(stored), dated, below=key != own)
                db.execute(_COUNT, (storable(history), *_key(key)))
                key = None if parent is None else SessionKey(key.host, restored(parent))
            case _:
                key = None


@dataclass(frozen=True, slots=True)
class _Later:
    at: float
    source: str
    allowed: bool


def _later(db: Database, key: SessionKey, at: float) -> list[_Later]:
    """What the store has of a session from after then, of what was written last."""
    found: list[_Later] = []
    for row in db.rows(_LATER, (storable(key.id), storable(key.host), at)):
        match row:
            case (float() | int() as made, str(source), str(body)):
                record = record_of(body)
                passed = record is not None and allowed(record)
                found.append(_Later(made, source, passed))
            case _:
                pass
    return found


def _since(later: Sequence[_Later], at: float) -> Since:
    found = [one for one in later if one.at > at]
    if not found:
        return NOTHING_SINCE
    # Where there is more than is looked at, some of it has ended what came before.
    ended = len(found) >= MOST_LOOKED_AT
    return Since(
        anything=not all(one.source.startswith(PERSON) for one in found),
        allowed=ended or any(one.allowed for one in found),
        reset=any(one.source == RESET for one in found),
    )


def _key(key: SessionKey) -> tuple[str, str]:
    return storable(key.host), storable(key.id)


def _values(db: Database, row: SessionRow, history: str) -> tuple[Value, ...]:
    return (
        *_key(row.key),
        None if row.parent is None else storable(row.parent),
        storable(row.root),
        storable(row.cwd),
        int(row.attended),
        storable(row.mode),
        row.created,
        row.seen,
        row.ended,
        storable(history),
        mode_seal(db.signing_key, row.key, row.mode),
    )
