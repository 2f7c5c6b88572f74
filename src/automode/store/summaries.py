"""Counts and sums over many records, for pages that show no single one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from automode.core.record import SessionKey
from automode.store.changes import restore_text, storable
from automode.store.database import Database, Value


@dataclass(frozen=True, slots=True)
class Counts:
    """`stopped`: how many of the records have which other verdict than allow."""

    records: int = 0
    stopped: dict[str, int] = field(default_factory=dict)


_TOTALS = "SELECT host, session, count(*) FROM decision WHERE"
_STOPPED = (
    "SELECT host, session, verdict, count(*) FROM decision"
    " WHERE verdict <> 'allow' AND verdict <> '' AND"
)
_COSTS = "SELECT host, session, usd FROM usage WHERE usd IS NOT NULL AND"


def session_counts(db: Database, keys: Sequence[SessionKey]) -> dict[SessionKey, Counts]:
    """Of these sessions. Both questions are answered from indexes."""
    among, names = _among(keys)
    totals = db.rows(f"{_TOTALS} {among} GROUP BY session, host", names)
    found = {_key(host, own): Counts(int(str(count))) for host, own, count in totals}
    for host, own, verdict, count in db.rows(
        f"{_STOPPED} {among} GROUP BY session, host, verdict", names
    ):
        found[_key(host, own)].stopped[str(verdict)] = int(str(count))
    return found


def session_costs(db: Database, keys: Sequence[SessionKey]) -> dict[SessionKey, Decimal]:
    """What requests to models cost, where their price is known; without sub-sessions."""
    among, names = _among(keys)
    sums: dict[SessionKey, Decimal] = {}
    for host, own, usd in db.rows(f"{_COSTS} {among}", names):
        key = _key(host, own)
        sums[key] = sums.get(key, Decimal(0)) + Decimal(str(usd))
    return sums


def _among(keys: Sequence[SessionKey]) -> tuple[str, list[Value]]:
    names: list[Value] = [storable(key.id) for key in keys] or [""]
    return f"session IN ({', '.join('?' * len(names))})", names


def _key(host: object, own: object) -> SessionKey:
    return SessionKey(restore_text(str(host)), restore_text(str(own)))


def timeline(db: Database, key: SessionKey, newest: int) -> list[tuple[float, str]]:
    """When a session's last so many calls were decided, and how; the oldest first."""
    rows = db.rows(
        "SELECT at, verdict FROM decision WHERE session = ? AND host = ? AND verdict <> ''"
        " AND NOT source LIKE ? ORDER BY number DESC LIMIT ?",
        (storable(key.id), storable(key.host), "person.%", newest),
    )
    return [(float(str(at)), str(verdict)) for at, verdict in reversed(rows)]
