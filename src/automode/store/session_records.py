"""The records of one session: which session a person means, and what was decided in it."""

from typing import NamedTuple

from automode.core.errors import BadCall
from automode.core.record import Record, SessionKey
from automode.store.database import Database, Value
from automode.store.encoding import restored, storable
from automode.store.links import record_of

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
