"""Sessions: those that are known, and one with its timeline, breaker, sub-agents and cost."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from automode.assemble import build_gate
from automode.classifier.events import FactNoted, Origin, UserPrompt
from automode.core.decision import Verdict
from automode.core.errors import BadCall
from automode.core.record import SessionKey
from automode.core.session import History
from automode.gate.breaker import Limits, limit_reached
from automode.llm.ledger import Total
from automode.sessions.live_session import Standing, fold_history
from automode.sessions.transcript_text import events_of
from automode.sessions.usage import bill_of
from automode.store import tables
from automode.store.changes import SessionRow
from automode.store.database import Database
from automode.store.summaries import Counts, session_costs, session_counts, timeline
from automode.ui.filters import Filter, browse
from automode.ui.window import Entry, Fields, Window

ENTRY = Entry("/sessions", "Sessions")
MOST_LISTED = 100
MOST_BELOW = 200
MOST_RECORDS = 2000  # the newest, for the breaker and the picture
MOST_EVENTS = 2000
MOST_SAID = 50
NO_COUNTS = Counts()
LANES = tuple(verdict.word for verdict in Verdict)
WIDTH, LANE = 1000, 18  # of the picture; a lane is the line of one verdict


@dataclass(slots=True, eq=False)
class Node:
    """A session, and those that it started."""

    row: SessionRow
    counts: Counts = NO_COUNTS
    usd: Decimal = Decimal(0)
    below: list["Node"] = field(default_factory=list)

    @property
    def total(self) -> Decimal:
        """With what its sub-sessions cost."""
        return self.usd + sum((one.total for one in self.below), Decimal(0))


@dataclass(frozen=True, slots=True)
class Breaker:
    history: History
    limits: Limits

    @property
    def tripped(self) -> str:
        """Which limit is reached; empty: none."""
        return limit_reached(self.history, self.limits) or ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A call in the picture of a session."""

    x: float
    y: int
    verdict: str


@dataclass(frozen=True, slots=True)
class Heard:
    """What the person said, and what suspect results asked for; the newest last."""

    prompts: tuple[str, ...]
    suspect: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """One session, as its page shows it."""

    node: Node
    breaker: Breaker
    standing: Standing
    heard: Heard
    bill: dict[tuple[str, str], Total]
    marks: tuple[Mark, ...]


def routes(window: Window) -> list[BaseRoute]:
    def page(request: Request) -> Response:
        with window.reading() as db:
            nodes = trees(db, tables.sessions(db, limit=MOST_LISTED))
        return window.page(request, "sessions.html", nodes=nodes, most=MOST_LISTED)

    def one(request: Request) -> Response:
        key = _named(request.query_params.get("key", ""))
        wanted = Filter(session=str(key))
        with window.reading() as db:
            seen = look_at(db, window, key)
            found = browse(db, wanted)
        return window.page(
            request,
            "session.html",
            seen=seen,
            row=seen.node.row,
            found=found,
            wanted=wanted,
            lanes=LANES,
            width=WIDTH,
            lane=LANE,
            now=time.time(),
        )

    def change(request: Request, given: Fields) -> Response:
        key = str(_named(given.get("key", "")))
        match given.get("do", ""):
            case "reset":
                window.ask_as_person("reset", {"session": key})
            case ("on" | "off") as mode:
                window.ask_as_person("mode", {"session": key, "mode": mode})
            case other:
                raise BadCall(f"no such change: `{other[:40]}`", "it is `reset`, `on` or `off`")
        return window.back_to(f"/sessions/one?{address_of(key)}")

    return [
        Route("/sessions", page),
        Route("/sessions/one", one),
        window.change("/sessions/one", change),
    ]


def address_of(key: str) -> str:
    return Filter(session=key).query().replace("session=", "key=", 1)


def look_at(db: Database, window: Window, key: SessionKey) -> Seen:
    """Raises BadCall."""
    row = tables.session(db, key)
    if row is None:
        raise BadCall(f"no session is called `{key}`", "the list has those that are known")
    node = next(one for one in trees(db, [row, *_below(db, key)]) if one.row.key == key)
    settings = window.load(row.root or None).settings
    limits = build_gate(settings, folders=window.folders).limits
    past = tables.past_records(db, key, newest=MOST_RECORDS)
    family = [one.row.key for one in _all([node])]
    bill = bill_of(tables.usage_rows(db, sessions=family))
    return Seen(
        node,
        Breaker(fold_history(key, past, limits), limits),
        Standing.of(row.standing),
        _heard(tables.events(db, key, newest=MOST_EVENTS)),
        dict(bill.lines(map(str, family))),
        tuple(marks(timeline(db, key, MOST_RECORDS))),
    )


def trees(db: Database, rows: Sequence[SessionRow]) -> list[Node]:
    """Each session below the one that started it, where that is among them; in their order."""
    keys = [row.key for row in rows]
    counts, costs = session_counts(db, keys), session_costs(db, keys)
    nodes = {
        row.key: Node(row, counts.get(row.key, NO_COUNTS), costs.get(row.key, Decimal(0)))
        for row in rows
    }
    roots: list[Node] = []
    for key, node in nodes.items():
        above = nodes.get(SessionKey(key.host, node.row.parent or ""))
        if above is None or above in _all([node]):  # never a circle, whatever rows say
            roots.append(node)
        else:
            above.below.append(node)
    return roots


def _all(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _all(node.below)


def _below(db: Database, key: SessionKey) -> list[SessionRow]:
    """The sessions that this one started, and theirs."""
    found: list[SessionRow] = []
    waiting = [key]
    while waiting and len(found) < MOST_BELOW:
        for row in tables.started_by(db, waiting.pop()):
            if row.key != key and all(row.key != one.key for one in found):
                found.append(row)
                waiting.append(row.key)
    return found


def _heard(texts: Iterable[str]) -> Heard:
    prompts: list[str] = []
    suspect: list[str] = []
    for event in (event for text in texts for event in events_of(text)):
        match event:
            case UserPrompt(text, Origin.PERSON):
                prompts.append(text)
            case FactNoted(fact) if fact.name == "probe":
                suspect.append(fact.text)
            case _:
                pass
    return Heard(tuple(prompts[-MOST_SAID:]), tuple(suspect[-MOST_SAID:]))


def marks(points: Sequence[tuple[float, str]]) -> Iterator[Mark]:
    """The calls from left to right by their time, each on the line of its verdict."""
    if not points:
        return
    first, last = points[0][0], points[-1][0]
    span = (last - first) or 1.0
    for at, verdict in points:
        if verdict in LANES:
            x = 6 + (WIDTH - 12) * (at - first) / span
            yield Mark(round(x, 1), LANE * LANES.index(verdict) + LANE // 2, verdict)


def _named(text: str) -> SessionKey:
    host, slash, own = text.partition("/")
    if not slash or not host or not own:
        raise BadCall(f"no session: `{text[:60]}`", "write it as `agent/id`")
    return SessionKey(host, own)
