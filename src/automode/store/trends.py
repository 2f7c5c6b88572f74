"""What many decisions add up to: by day, by agent, by source, by rule."""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from automode.store.database import Database, Engine
from automode.store.tables import usage_rows

MOST_READ = 300_000  # decisions, the newest
_MICROS = {
    # Inside of any text of a record the quotes would be escaped, so this is the field itself.
    Engine.SQLITE: "CAST(substr(body, instr(body, '\"micros\":') + 9, 15) AS INTEGER)",
    Engine.POSTGRESQL: "CAST(substring(body from '\"micros\":([0-9]+)') AS BIGINT)",
}
_SCAN = (
    "SELECT at, host, verdict, source, {micros}, CASE WHEN source LIKE ? THEN body ELSE '' END"
    " FROM (SELECT at, host, verdict, source, body FROM decision ORDER BY number DESC LIMIT ?)"
    " AS latest WHERE at >= ? AND verdict <> '' AND NOT source LIKE ?"
)
_SUSPECT = (
    "SELECT DISTINCT session.host, session.id, session.seen FROM session JOIN event"
    " ON event.host = session.host AND event.session = session.id"
    " WHERE session.seen >= ? AND event.body LIKE ?"
)
_BY_MODEL = ("classifier.fast", "classifier.deliberate", "classifier.unavailable")


class Seen(NamedTuple):
    """One decision, as far as it is added up. `reason`: of rules alone."""

    at: float
    host: str
    verdict: str
    source: str
    micros: int
    reason: str


@dataclass(slots=True)
class Sum:
    """Of a day, of an agent, or of all."""

    decisions: int = 0
    without_model: int = 0
    asks: int = 0
    denials: int = 0
    suspect_sessions: int = 0
    usd: Decimal = Decimal(0)
    micros: list[int] = field(default_factory=list)

    def add(self, one: Seen) -> None:
        self.decisions += 1
        self.without_model += not one.source.startswith(_BY_MODEL)
        self.asks += one.verdict == "ask"
        self.denials += one.verdict in ("deny", "halt")
        self.micros.append(one.micros)

    def per_100(self, count: int) -> float | None:
        return None if not self.decisions else 100 * count / self.decisions

    def millis(self, share: float) -> float | None:
        """The time that this share of the decisions stayed within."""
        if not self.micros:
            return None
        ordered = sorted(self.micros)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] / 1000


@dataclass(frozen=True, slots=True)
class Trends:
    """`days` has every day of the time asked for, the oldest first."""

    days: dict[date, Sum]
    agents: dict[str, Sum]
    sources: Counter[tuple[str, str]]  # by source and verdict
    rules: Counter[tuple[str, str]]  # by source and reason, which names the rule
    total: Sum


def trends(db: Database, today: date, days: int, host: str = "") -> Trends:
    """Of the last so many days, today among them; of one agent where `host` names it."""
    first = today - timedelta(days=days - 1)
    starts = [_start(first + timedelta(days=number)) for number in range(days)]
    made = Trends({}, {}, Counter(), Counter(), Sum())
    sums = [made.days.setdefault(first + timedelta(days=number), Sum()) for number in range(days)]
    for one in _seen(db, starts[0], host):
        of_day = sums[_day(starts, one.at)]
        for total in (of_day, made.agents.setdefault(one.host, Sum()), made.total):
            total.add(one)
        made.sources[one.source, one.verdict] += 1
        if one.reason:
            made.rules[one.source, one.reason] += 1
    for used in usage_rows(db, since=starts[0]):
        if host in ("", used.session.host):
            of_day = sums[_day(starts, used.at)]
            for total in (of_day, made.agents.setdefault(used.session.host, Sum()), made.total):
                total.usd += _money(used.usd)
    for own, at in _suspect_sessions(db, starts[0]):
        if host in ("", own):
            for total in (sums[_day(starts, at)], made.agents.setdefault(own, Sum()), made.total):
                total.suspect_sessions += 1
    return made


def _seen(db: Database, since: float, host: str) -> Iterator[Seen]:
    sql = _SCAN.format(micros=_MICROS[db.engine])
    for at, own, verdict, source, micros, body in db.rows(
        sql, ("rules.%", MOST_READ, since, "person.%")
    ):
        if host in ("", own):
            taken = micros if isinstance(micros, int) else 0
            yield Seen(_float(at), str(own), str(verdict), str(source), taken, _reason(str(body)))


def _suspect_sessions(db: Database, since: float) -> Iterable[tuple[str, float]]:
    """Sessions in which a tool brought a suspect result, with when each was last seen."""
    found = db.rows(_SUSPECT, (since, '{"heard":"fact","name":"probe"%'))
    return [(str(host), _float(seen)) for host, _, seen in found]


def _reason(body: str) -> str:
    try:
        value = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        return ""
    return str(value.get("reason", "")) if isinstance(value, dict) else ""


def _start(day: date) -> float:
    return datetime(day.year, day.month, day.day).astimezone().timestamp()


def _day(starts: Sequence[float], at: float) -> int:
    """A clock that runs ahead belongs to today."""
    return max(bisect_right(starts, at) - 1, 0)


def _float(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _money(text: str | None) -> Decimal:
    try:
        money = Decimal(text or 0)
    except InvalidOperation:
        return Decimal(0)
    return money if money.is_finite() else Decimal(0)
