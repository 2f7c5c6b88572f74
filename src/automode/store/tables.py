"""The tables: what can be read from the store, and how changes are written into it.

Reading changes nothing; writing happens inside a transaction of whoever calls.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from automode.core.errors import BadCall
from automode.core.record import Record, SessionKey, session_meant, source_names
from automode.store.chain import Chain
from automode.store.changes import (
    ApprovalsForgotten,
    Approved,
    Change,
    Decided,
    Heard,
    ModeSet,
    PrecedentsForgotten,
    RecordQuery,
    RowChange,
    SessionKept,
    SessionRow,
    Taught,
    Used,
    canonical,
    restore_text,
    storable,
)
from automode.store.database import Database, ErrorKind, Row, StoreError, Value
from automode.store.links import approval_seal, mode_seal, precedent_seal, record_of, same

T = TypeVar("T")
RESET = "person.reset"
"""The source of the record that a session begins anew with."""

_SESSION = (
    "SELECT host, id, parent, root, cwd, attended, mode, created, seen, ended, history,"
    " seal FROM session"
)
_RECORD = "SELECT number, chain, seq, id, at, host, session, verdict, source, body FROM decision"
_APPROVAL = (
    "SELECT id, at, host, session, record, digest, once, expires, consumed, seal FROM approval"
)
_USAGE = (
    "SELECT id, at, host, session, parent, stage, model, input, output, cache_read, cache_write,"
    " millis, usd FROM usage"
)
_PRECEDENTS = (
    "SELECT id, at, host, session, root, covers, told, seal FROM precedent"
    " WHERE root = ? AND at >= ? ORDER BY at DESC, id LIMIT ?"
)
_WILD = re.compile("[%_!]")
_HIGHEST = "\U0010ffff"  # sorts behind everything that an id begins with
_KNOWN = (
    "SELECT host, session FROM decision WHERE session >= ? AND session < ? AND verdict <> ''"
    " UNION SELECT host, id FROM session WHERE id >= ? AND id < ?"
)

_RESET = "SELECT max(number) FROM decision WHERE session = ? AND host = ? AND source = ?"
_BRIEF = "CASE WHEN verdict = 'allow' AND replace(body, ?, '') <> body THEN '' ELSE body END"
_ENFORCED = '"enforced":true'  # inside of any text of a record the quotes would be escaped
_LAST = (
    "SELECT number, body FROM decision WHERE session = ? AND host = ? AND number > ?"
    " AND NOT source LIKE ? ORDER BY number DESC LIMIT 1"
)
_BELOW = "SELECT id FROM session WHERE host = ? AND parent = ?"


@dataclass(frozen=True, slots=True)
class Stored:
    """A record in the store. `number` grows over all chains: see `RecordQuery.before`. `record`
    None: its content was purged."""

    number: int
    chain: str
    seq: int
    id: str
    at: float
    session: SessionKey
    verdict: str
    source: str
    record: Record | None


def session(db: Database, key: SessionKey) -> SessionRow | None:
    found = db.rows(f"{_SESSION} WHERE host = ? AND id = ?", _key(key))
    return _session(db, found[0]) if found else None


def sessions(db: Database, *, limit: int = 100) -> list[SessionRow]:
    """The last seen first."""
    found = db.rows(f"{_SESSION} ORDER BY seen DESC, id LIMIT ?", (limit,))
    return [_session(db, row) for row in found]


def started_by(db: Database, key: SessionKey) -> list[SessionRow]:
    """The sessions that a session started."""
    found = db.rows(f"{_SESSION} WHERE host = ? AND parent = ? ORDER BY created", _key(key))
    return [_session(db, row) for row in found]


def events(db: Database, key: SessionKey, *, newest: int | None = None) -> list[str]:
    """The transcript in its order; with `newest` only so many from its end."""
    sql = "SELECT body FROM event WHERE host = ? AND session = ? ORDER BY place DESC"
    limit: tuple[int, ...] = () if newest is None else (newest,)
    found = db.rows(f"{sql} LIMIT ?" if limit else sql, (*_key(key), *limit))
    return [_text(body) for (body,) in reversed(found)]


def records(db: Database, query: RecordQuery) -> list[Stored]:
    """Newest first."""
    conditions, values = _conditions(query)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    found = db.rows(f"{_RECORD}{where} ORDER BY number DESC LIMIT ?", (*values, query.limit))
    return [_stored_record(row) for row in found]


def newest_number(db: Database) -> int:
    """The number of the last record; 0 where there is none."""
    found = db.rows("SELECT max(number) FROM decision")[0][0]
    return found if isinstance(found, int) else 0


def counts_since(db: Database, since: float, *, newest: int) -> dict[str, int]:
    """How many of the newest so many decisions were made since then, by verdict; not what a person
    did."""
    sql = (
        "SELECT verdict, count(*) FROM (SELECT at, verdict, source FROM decision"
        " ORDER BY number DESC LIMIT ?) AS latest"
        " WHERE at >= ? AND verdict <> '' AND NOT source LIKE ? GROUP BY verdict"
    )
    found = db.rows(sql, (newest, since, "person.%"))
    return {_text(verdict): _as_int(count) for verdict, count in found}


def record(db: Database, wanted: str) -> Stored:
    """The record with this id, or the only one whose id begins so. Raises BadCall."""
    word = storable(wanted)
    found = db.rows(f"{_RECORD} WHERE id = ?", (word,)) or db.rows(
        f"{_RECORD} WHERE id >= ? AND id < ? ORDER BY id LIMIT 2", (word, word + _HIGHEST)
    )
    match found:
        case [row] if wanted:
            return _stored_record(row)
        case [_, _, *_] if wanted:
            raise BadCall(f"more than one record begins with `{wanted}`", "give more of the id")
        case _:
            raise BadCall(f"no record has the id `{wanted}`", "`automode audit list` shows the ids")


def approvals(db: Database, key: SessionKey | None = None) -> list[Approved]:
    """The newest first, with used and expired ones; without forged ones."""
    where, values = (" WHERE host = ? AND session = ?", _key(key)) if key else ("", ())
    found = db.rows(f"{_APPROVAL}{where} ORDER BY at DESC, id", values)
    return [one for row in found if (one := _approval(db, row)) is not None]


def precedents(db: Database, root: str, since: float, most: int) -> list[Taught]:
    """What a person said yes to in a project since then, the newest first; without forged ones."""
    found = db.rows(_PRECEDENTS, (storable(root), since, most))
    return [one for row in found if (one := _precedent(db, row)) is not None]


def _precedent(db: Database, row: Row) -> Taught | None:
    """None for a forged one: its seal is not ours."""
    own, at, host, session, root, covers, told, seal = row
    texts = (_text(root), _text(covers), _text(told))
    yes = Taught(_text(own), _number(at), _session_key(host, session), *texts)
    return yes if same(_text(seal), precedent_seal(db.signing_key, yes)) else None


def usage_rows(
    db: Database, *, sessions: Sequence[SessionKey] = (), since: float | None = None
) -> list[Used]:
    """Requests to models, the oldest first; of all sessions where none is named."""
    conditions: list[str] = []
    values: list[Value] = []
    if sessions:
        conditions.append(f"({' OR '.join(['(host = ? AND session = ?)'] * len(sessions))})")
        values += [part for key in sessions for part in _key(key)]
    if since is not None:
        conditions.append("at >= ?")
        values.append(since)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return [_usage_row(row) for row in db.rows(f"{_USAGE}{where} ORDER BY at, id", values)]


def _conditions(query: RecordQuery) -> tuple[list[str], list[Value]]:
    conditions: list[str] = []
    values: list[Value] = []

    def narrow(condition: str, *more: Value) -> None:
        conditions.append(condition)
        values.extend(more)

    if query.session is not None:
        narrow("host = ? AND session = ?", *_key(query.session))
    if query.verdicts:
        narrow(f"verdict IN ({', '.join('?' * len(query.verdicts))})", *query.verdicts)
    if query.verdicts and "allow" not in query.verdicts:
        narrow("verdict <> 'allow'")  # says nothing new, except that the index will do
    if query.source:
        rooms = [storable(name) for name in source_names(query.source)]
        any_of = " OR ".join(["source = ? OR (source >= ? AND source < ?)"] * len(rooms))
        narrow(f"({any_of})", *(one for room in rooms for one in (room, f"{room}.", f"{room}/")))
    if query.host:
        narrow("host = ?", storable(query.host))
    for column, sign, limit in (
        ("at", ">=", query.since),
        ("number", "<", query.before),
        ("number", ">", query.after),
    ):
        if limit is not None:
            narrow(f"{column} {sign} ?", limit)
    for part, value in _body_parts(query):
        narrow(f"{part} LIKE ? ESCAPE '!'", value)
    return conditions, values


def _body_parts(query: RecordQuery) -> Iterator[tuple[str, str]]:
    """What has to be in a body, which is JSON in ASCII: see `changes.canonical`."""
    if query.root:
        yield "body", _containing(f'"root":{canonical(query.root)}')
    for word in query.words:
        yield "lower(body)", _containing(canonical(word)[1:-1].lower())


def _containing(text: str) -> str:
    escaped = _WILD.sub(r"!\g<0>", text)
    return f"%{escaped}%"


class Allowed(NamedTuple):
    """A call that was allowed, and not in shadow mode."""

    session: SessionKey
    source: str


def find_session(db: Database, wanted: str, others: Collection[SessionKey] = ()) -> SessionKey:
    """The session a person means: `host/id`, an id, or how one begins; also a forgotten one that
    has records, and one of `others`. Raises BadCall."""
    starts = {wanted, wanted.partition("/")[2] or wanted}
    found = {*others, *(key for start in starts for key in _sessions_from(db, start))}
    keys = {str(key): key for key in found}
    return keys[session_meant(keys, wanted, "automode audit list")]


def _sessions_from(db: Database, start: str) -> list[SessionKey]:
    between = (storable(start), storable(start) + _HIGHEST)
    return [_session_key(*found) for found in db.rows(_KNOWN, (*between, *between))]


def past_records(db: Database, key: SessionKey, *, newest: int) -> list[Record | Allowed]:
    """What was decided in a session and below it since a person reset it: the newest so many, the
    oldest first. Of most allows only the source is read; the last record of the session is
    whole."""
    host, own = storable(key.host), storable(key.id)
    reset = db.rows(_RESET, (own, host, RESET))[0][0]
    names = [own]
    for name in names:  # grows meanwhile: those that one of them started
        below = db.rows(_BELOW, (host, name))
        names += [str(one) for (one,) in below if one not in names]
    which = (
        f"FROM decision WHERE host = ? AND session IN ({', '.join('?' * len(names))})"
        " AND number > ? ORDER BY number DESC LIMIT ?"
    )
    since = reset if isinstance(reset, int) else 0
    values: list[Value] = [_ENFORCED, host, *names, since, newest]
    last = db.rows(_LAST, (own, host, since, "person.%"))
    whole = {row[0]: row[1] for row in last}
    past = [
        _past(host, str(session), str(source), str(whole.get(number, body)))
        for number, session, source, body in db.rows(
            f"SELECT number, session, source, {_BRIEF} {which}", values
        )
    ]
    return [one for one in past if one is not None][::-1]


def _past(host: str, session: str, source: str, body: str) -> Record | Allowed | None:
    if body:
        return record_of(body)
    return Allowed(SessionKey(restore_text(host), restore_text(session)), restore_text(source))


def _key(key: SessionKey) -> tuple[str, str]:
    return storable(key.host), storable(key.id)


def _of(value: object, kind: type[T]) -> T:
    if not isinstance(value, kind):
        what = f"a row of the store holds a value of another kind: {type(value).__name__}"
        raise StoreError(ErrorKind.REFUSED, what)
    return value


def _text(value: object) -> str:
    return restore_text(_of(value, str))


def _maybe_text(value: object) -> str | None:
    return None if value is None else _text(value)


def _as_int(value: object) -> int:
    return _of(value, int)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int) else _of(value, float)


def _maybe_number(value: object) -> float | None:
    return None if value is None else _number(value)


def _session_key(host: object, own: object) -> SessionKey:
    return SessionKey(_text(host), _text(own))


def _session(db: Database, row: Row) -> SessionRow:
    host, own, parent, root, cwd, attended, mode, created, seen, ended, history, seal = row
    key, word = _session_key(host, own), _text(mode)
    genuine = same(_text(seal), mode_seal(db.signing_key, key, word))
    return SessionRow(
        key,
        _maybe_text(parent),
        _text(root),
        _text(cwd),
        bool(_as_int(attended)),
        word if genuine else "",
        _number(created),
        _number(seen),
        _maybe_number(ended),
        _text(history),
    )


def _stored_record(row: Row) -> Stored:
    number, chain, seq, own, at, host, session, verdict, source, body = row
    place = (_as_int(number), _text(chain), _as_int(seq), _text(own), _number(at))
    key, words = _session_key(host, session), (_text(verdict), _text(source))
    return Stored(*place, key, *words, record_of(str(body)))


def _approval(db: Database, row: Row) -> Approved | None:
    """None for a forged one: its seal is not ours."""
    own, at, host, session, record, digest, once, expires, consumed, seal = row
    yes = Approved(
        _text(own),
        _number(at),
        _session_key(host, session),
        _text(record),
        _text(digest),
        bool(_as_int(once)),
        _maybe_number(expires),
        _maybe_number(consumed),
    )
    genuine = yes.consumed is not None or same(_text(seal), approval_seal(db.signing_key, yes))
    return yes if genuine else None


def _usage_row(row: Row) -> Used:
    own, at, host, session, parent, stage, model, *counts, usd = row
    whose = (_session_key(host, session), _maybe_text(parent), _text(stage), _text(model))
    given, answered, reused, cached, millis = map(_as_int, counts)
    amounts = (given, answered, reused, cached, millis)
    return Used(_text(own), _number(at), *whose, *amounts, _maybe_text(usd))


# The mode is set by a person: writing a row from memory must not undo it.
_KEEP_SESSION = """INSERT INTO session
    (host, id, parent, root, cwd, attended, mode, created, seen, ended, history)
    VALUES (?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?)
    ON CONFLICT (host, id) DO UPDATE SET parent = excluded.parent, root = excluded.root,
    cwd = excluded.cwd, attended = excluded.attended, ended = excluded.ended,
    history = excluded.history,
    seen = CASE WHEN excluded.seen > session.seen THEN excluded.seen ELSE session.seen END"""
_ADD_EVENT = """INSERT INTO event (host, session, place, body)
    SELECT ?, ?, coalesce(max(place), -1) + 1, ? FROM event WHERE host = ? AND session = ?"""
_ADD_USAGE = """INSERT INTO usage (id, at, host, session, parent, stage, model, input, output,
    cache_read, cache_write, millis, usd) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING"""
_ADD_APPROVAL = """INSERT INTO approval
    (id, at, host, session, record, digest, once, expires, consumed, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"""
_SET_MODE = "UPDATE session SET mode = ?, seal = ? WHERE host = ? AND id = ?"
_NO_APPROVALS = "DELETE FROM approval WHERE host = ? AND session = ?"
_ADD_PRECEDENT = """INSERT INTO precedent (id, at, host, session, root, covers, told, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"""
_UNSEALED = ""


def apply(db: Database, changes: Sequence[Change], chain: Chain) -> None:
    """Writes the changes, records first. After the commit `chain.note_commit` is due."""
    chain.append(db, [one.record for one in changes if isinstance(one, Decided)])
    for one in changes:
        if not isinstance(one, Decided):
            db.execute(*_statement(db.signing_key, one))


def _statement(signing: bytes, change: RowChange) -> tuple[str, tuple[Value, ...]]:
    match change:
        case SessionKept(row):
            place = (row.key, row.parent, row.root, row.cwd, row.attended)
            times = (row.created, row.seen, row.ended)
            return _KEEP_SESSION, _cells(*place, *times, row.standing)
        case Heard(session, event):
            return _ADD_EVENT, _cells(session, event, session)
        case Used():
            return _ADD_USAGE, _cells(*(getattr(change, name) for name in Used.__slots__))
        case Approved():
            seal = approval_seal(signing, change)
            fields = (getattr(change, name) for name in Approved.__slots__)
            return _ADD_APPROVAL, _cells(*fields, seal)
        case ModeSet(session, mode):
            return _SET_MODE, _cells(mode, mode_seal(signing, session, mode), session)
        case ApprovalsForgotten(session):
            return _NO_APPROVALS, _cells(session)
        case Taught():
            seal = precedent_seal(signing, change)
            fields = (getattr(change, name) for name in Taught.__slots__)
            return _ADD_PRECEDENT, _cells(*fields, seal)
        case PrecedentsForgotten(root, covers):
            given = {"root": root, "covers": covers}
            wanted = {name: value for name, value in given.items() if value is not None}
            where = " AND ".join(["1 = 1", *(f"{name} = ?" for name in wanted)])
            return f"DELETE FROM precedent WHERE {where}", _cells(*wanted.values())  # noqa: S608 - constants


def _cells(*values: Value | SessionKey) -> tuple[Value, ...]:
    """As any database can hold them. The fields of a change have the order of its columns."""
    cells: list[Value] = []
    for value in values:
        if isinstance(value, SessionKey):
            cells += _key(value)
        elif isinstance(value, str):
            cells.append(storable(value))
        else:
            cells.append(int(value) if isinstance(value, bool) else value)
    return tuple(cells)


def consume(db: Database, key: SessionKey, digest: str, now: float) -> Approved | None:
    """Takes a valid approval of exactly this call. One that counts once is used up: of two callers
    only one gets it. A clock set back to before the approval makes it invalid."""
    for row in db.rows(f"{_APPROVAL}{_OPEN}", (*_key(key), storable(digest), now, now)):
        yes = _approval(db, row)
        if yes is None:
            continue
        taken = now if yes.once else None
        seal = _UNSEALED if yes.once else str(row[-1])
        if db.execute(_TAKE, (taken, seal, storable(yes.id))):
            return replace(yes, consumed=taken)
    return None


_OPEN = """ WHERE host = ? AND session = ? AND digest = ? AND consumed IS NULL
    AND at <= ? AND (expires IS NULL OR expires > ?) ORDER BY once, at DESC"""
# The seal is deleted, too: clearing `consumed` in the file does not make it valid again.
_TAKE = "UPDATE approval SET consumed = ?, seal = ? WHERE consumed IS NULL AND id = ?"


def forget_session(db: Database, key: SessionKey) -> None:
    """Its row, its transcript, its approvals and its usage; what was audited is not touched."""
    for where in ("session WHERE id", *(f"{one} WHERE session" for one in _OF_A_SESSION)):
        db.execute(f"DELETE FROM {where} = ? AND host = ?", _key(key)[::-1])  # noqa: S608 - constants


_OF_A_SESSION = ("event", "approval", "precedent", "usage")


def forget_unseen(db: Database, before: float) -> int:
    """Forgets rows, transcripts and approvals of sessions last seen before then. Returns how
    many."""
    old = "(SELECT host, id FROM session WHERE seen < ?)"
    for table in ("event", "approval", "precedent"):
        db.execute(f"DELETE FROM {table} WHERE (host, session) IN {old}", (before,))  # noqa: S608 - constants
    return db.execute("DELETE FROM session WHERE seen < ?", (before,))
