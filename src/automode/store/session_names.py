"""Which recorded session a person means: `host/id`, an id, or how one begins."""

from automode.core.errors import BadCall
from automode.core.record import SessionKey
from automode.store.database import Database
from automode.store.encoding import restored, storable

_BEHIND_ALL = "\U0010ffff"  # sorts behind everything that an id begins with
_MOST_NAMED = 5
_KNOWN = (
    "SELECT host, session FROM decision WHERE session >= ? AND session < ? AND verdict <> ''"
    " UNION SELECT host, id FROM session WHERE id >= ? AND id < ?"
)


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
