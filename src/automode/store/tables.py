"""What can be read from the store. Every function asks one database and changes nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from automode.core.errors import BadCall
from automode.core.record import Record, SessionKey
from automode.store.changes import (
    Approval,
    Approved,
    Heard,
    RecordQuery,
    SessionRow,
    Used,
    restored,
    storable,
)
from automode.store.database import Database, ErrorKind, Row, StoreError, Value
from automode.store.links import approval_seal, mode_seal, record_of, same

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
_HIGHEST = "\U0010ffff"  # sorts behind everything that an id begins with


@dataclass(frozen=True, slots=True)
class Stored:
    """A record as it lies in the store. `number` grows with every record, over all chains: it is
    what `RecordQuery.before` compares with. `record` None: its content was purged."""

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


def sessions(db: Database, *, limit: int = 100, running: bool = False) -> list[SessionRow]:
    """The last seen first. `running`: only those that have not ended."""
    which = " WHERE ended IS NULL" if running else ""
    found = db.rows(f"{_SESSION}{which} ORDER BY seen DESC, id LIMIT ?", (limit,))
    return [_session(db, row) for row in found]


def sessions_named(db: Database, wanted: str) -> list[SessionRow]:
    """Those with this id on any host; when there is none, those whose id begins so."""
    word = storable(wanted)
    found = db.rows(f"{_SESSION} WHERE id = ? ORDER BY host", (word,)) or db.rows(
        f"{_SESSION} WHERE id >= ? AND id < ? ORDER BY id, host", (word, word + _HIGHEST)
    )
    return [_session(db, row) for row in found]


def events(db: Database, key: SessionKey, *, newest: int | None = None) -> list[Heard]:
    """The transcript in its order; with `newest` only so many from its end."""
    sql = "SELECT place, body FROM event WHERE host = ? AND session = ? ORDER BY place DESC"
    limit: tuple[int, ...] = () if newest is None else (newest,)
    found = db.rows(f"{sql} LIMIT ?" if limit else sql, (*_key(key), *limit))
    return [_event(key, row) for row in reversed(found)]


def records(db: Database, query: RecordQuery) -> list[Stored]:
    """Newest first."""
    conditions, values = _narrowed(query)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    found = db.rows(f"{_RECORD}{where} ORDER BY number DESC LIMIT ?", (*values, query.limit))
    return [_stored(row) for row in found]


def record(db: Database, wanted: str) -> Stored:
    """The record with this id, or the only one whose id begins so. Raises BadCall."""
    word = storable(wanted)
    found = db.rows(f"{_RECORD} WHERE id = ?", (word,)) or db.rows(
        f"{_RECORD} WHERE id >= ? AND id < ? ORDER BY id LIMIT 2", (word, word + _HIGHEST)
    )
    match found:
        case [row] if wanted:
            return _stored(row)
        case [_, _, *_] if wanted:
            raise BadCall(f"more than one record begins with `{wanted}`", "give more of the id")
        case _:
            raise BadCall(f"no record has the id `{wanted}`", "`automode audit list` shows the ids")


def approvals(db: Database, key: SessionKey | None = None) -> list[Approval]:
    """The newest first, used up and expired ones too; not those that nobody gave."""
    where, values = (" WHERE host = ? AND session = ?", _key(key)) if key else ("", ())
    found = db.rows(f"{_APPROVAL}{where} ORDER BY at DESC, id", values)
    return [one for row in found if (one := _approval(db, row)) is not None]


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
    return [_used(row) for row in db.rows(f"{_USAGE}{where} ORDER BY at, id", values)]


def _narrowed(query: RecordQuery) -> tuple[list[str], list[Value]]:
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
        room = storable(query.source)
        narrow("(source = ? OR (source >= ? AND source < ?))", room, f"{room}.", f"{room}/")
    if query.since is not None:
        narrow("at >= ?", query.since)
    if query.until is not None:
        narrow("at < ?", query.until)
    if query.before is not None:
        narrow("number < ?", query.before)
    return conditions, values


def _key(key: SessionKey) -> tuple[str, str]:
    return storable(key.host), storable(key.id)


def _maybe(text: str | None) -> str | None:
    return None if text is None else restored(text)


def _session(db: Database, row: Row) -> SessionRow:
    match row:
        case (
            str(host),
            str(own),
            str() | None as parent,
            str(root),
            str(cwd),
            int(attended),
            str(mode),
            float() | int() as created,
            float() | int() as seen,
            float() | int() | None as ended,
            str(history),
            str(seal),
        ):
            key = SessionKey(restored(host), restored(own))
            return SessionRow(
                key,
                _maybe(parent),
                restored(root),
                restored(cwd),
                bool(attended),
                mode if same(seal, mode_seal(db.signing_key, key, mode)) else "",
                float(created),
                float(seen),
                ended,
                restored(history),
            )
        case _:
            raise _strange("session", row)


def _event(key: SessionKey, row: Row) -> Heard:
    match row:
        case (int(place), str(body)):
            return Heard(key, place, restored(body))
        case _:
            raise _strange("event", row)


def _stored(row: Row) -> Stored:
    match row:
        case (
            int(number),
            str(chain),
            int(seq),
            str(own),
            float() | int() as at,
            str(host),
            str(session),
            str(verdict),
            str(source),
            str(body),
        ):
            key = SessionKey(restored(host), restored(session))
            known = (restored(own), float(at), key, verdict, restored(source))
            return Stored(number, chain, seq, *known, record_of(body))
        case _:
            raise _strange("decision", row)


def _approval(db: Database, row: Row) -> Approval | None:
    match row:
        case (
            str(own),
            float() | int() as at,
            str(host),
            str(session),
            str(record),
            str(digest),
            int(once),
            float() | int() | None as expires,
            float() | int() | None as consumed,
            str(seal),
        ):
            key = SessionKey(restored(host), restored(session))
            texts = (restored(record), restored(digest))
            yes = Approved(restored(own), at, key, *texts, bool(once), expires)
            if consumed is None and not same(seal, approval_seal(db.signing_key, yes)):
                return None
            return Approval(yes.id, key, *texts, yes.once, expires, consumed)
        case _:
            raise _strange("approval", row)


def _used(row: Row) -> Used:
    match row:
        case (
            str(own),
            float() | int() as at,
            str(host),
            str(session),
            str() | None as parent,
            str(stage),
            str(model),
            int(given),
            int(answered),
            int(reused),
            int(cached),
            int(millis),
            str() | None as usd,
        ):
            key = SessionKey(restored(host), restored(session))
            words = (_maybe(parent), restored(stage), restored(model))
            counts = (given, answered, reused, cached, millis)
            return Used(restored(own), float(at), key, *words, *counts, _maybe(usd))
        case _:
            raise _strange("usage", row)


def _strange(table: str, row: Iterable[object]) -> StoreError:
    kinds = ", ".join(type(value).__name__ for value in row)
    return StoreError(ErrorKind.REFUSED, f"a row of `{table}` holds values of other kinds: {kinds}")


_BEHIND_ALL = "\U0010ffff"  # sorts behind everything that an id begins with
_MOST_NAMED = 5
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
RESET = "person.reset"
"""The source of the record that a session begins anew with."""


class Allowed(NamedTuple):
    """A call that was allowed, and not in shadow mode."""

    session: SessionKey
    source: str


def recorded_session(db: Database, wanted: str) -> SessionKey:
    """Also one that was forgotten while its records are still there. Raises BadCall."""
    host, slash, rest = wanted.partition("/")
    found = _beginning(db, wanted)
    if slash:
        found += [key for key in _beginning(db, rest) if key.host == host]
    exact = [key for key in found if wanted in (key.id, str(key))]
    meant = exact or found
    if len(meant) == 1 and wanted:
        return meant[0]
    if not found or not wanted:
        raise BadCall(f"no session `{wanted}` was recorded", "`automode audit list` names them")
    named = ", ".join(str(key) for key in meant[:_MOST_NAMED])
    more = "" if len(meant) <= _MOST_NAMED else f" and {len(meant) - _MOST_NAMED} more"
    raise BadCall(f"`{wanted}` may be several sessions: {named}{more}", "give more of the name")


def _beginning(db: Database, start: str) -> list[SessionKey]:
    low = storable(start)
    between = (low, low + _BEHIND_ALL)
    found = db.rows(_KNOWN, (*between, *between))
    return sorted(
        (SessionKey(restored(str(host)), restored(str(own))) for host, own in found), key=str
    )


def past_records(db: Database, key: SessionKey, *, newest: int) -> list[Record | Allowed]:
    """What was decided in a session, and in those below it, since a person let it begin anew: the
    oldest first, and only so many from the end. Of most allows only the source is read: they are
    by far the most, and all that matters of them. The session's own last one is whole."""
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
    return Allowed(SessionKey(restored(host), restored(session)), restored(source))
