"""Trends: what decisions add up to by day and agent, what fires, what is always answered yes."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from automode.assemble import READER
from automode.core.errors import BadCall
from automode.sessions.habits import always_yes
from automode.store.trends import Sum, Trends, trends
from automode.ui.filters import choices
from automode.ui.window import Entry, Window

ENTRY = Entry("/trends", "Trends")
RANGES = (7, 30, 90)
MOST_ROWS = 30


@dataclass(frozen=True, slots=True)
class Line:
    label: str
    colour: str  # a name of the style sheet's colours
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over days. `unit` stands behind every value."""

    title: str
    unit: str
    days: Sequence[date]
    lines: tuple[Line, ...]

    def data(self) -> str:
        """For the script that draws it."""
        return json.dumps(
            {
                "unit": self.unit,
                "days": [int(datetime(d.year, d.month, d.day).timestamp()) for d in self.days],
                "lines": [
                    {"label": one.label, "colour": one.colour, "values": list(one.values)}
                    for one in self.lines
                ],
            }
        )


def charts_of(found: Trends) -> list[Chart]:
    days, sums = list(found.days), list(found.days.values())

    def per_100(name: str) -> list[float | None]:
        return [_rounded(one.per_100(getattr(one, name))) for one in sums]

    def millis(share: float) -> list[float | None]:
        return [_rounded(one.millis(share)) for one in sums]

    return [
        Chart("Decisions", "", days, (Line("decisions", "accent", [s.decisions for s in sums]),)),
        Chart(
            "In 100 decisions",
            "",
            days,
            (
                Line("asks", "ask", per_100("asks")),
                Line("denials", "deny", per_100("denials")),
            ),
        ),
        Chart("Needed no model", "%", days, (Line("share", "allow", per_100("without_model")),)),
        Chart(
            "Time of a decision",
            "ms",
            days,
            (Line("median", "accent", millis(0.5)), Line("95 %", "soft", millis(0.95))),
        ),
        Chart(
            "Cost of the classifier",
            "$",
            days,
            (Line("cost", "accent", [float(one.usd) for one in sums]),),
        ),
        Chart(
            "Sessions with a suspect result",
            "",
            days,
            (Line("sessions", "halt", [one.suspect_sessions for one in sums]),),
        ),
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def routes(window: Window) -> list[BaseRoute]:
    def page(request: Request) -> Response:
        days = _days(request.query_params.get("days", ""))
        agent = request.query_params.get("agent", "")[:100]
        with window.reading() as db:
            found = trends(db, datetime.fromtimestamp(time.time()).date(), days, agent)
            agents, _ = choices(db)
        fired = [(*one, count) for one, count in found.sources.most_common(MOST_ROWS)]
        rules = [(*one, count) for one, count in found.rules.most_common(MOST_ROWS)]
        busy: list[tuple[date, Sum]] = [
            one for one in reversed(found.days.items()) if one[1].decisions or one[1].usd
        ]
        return window.page(
            request,
            "trends.html",
            days=days,
            ranges=RANGES,
            agent=agent,
            agents=agents,
            found=found,
            charts=charts_of(found),
            busy=busy,
            fired=fired,
            rules=rules,
        )

    def yes(request: Request) -> Response:
        days = _days(request.query_params.get("days", ""))
        with window.reading() as db:
            habits = always_yes(db, READER, time.time() - days * 24 * 3600)
        return window.page(request, "habits.html", habits=habits[:MOST_ROWS])

    return [Route("/trends", page), Route("/trends/yes", yes)]


def _days(text: str) -> int:
    if not text:
        return RANGES[1]
    if not text.isdecimal() or int(text[:6]) not in RANGES:
        raise BadCall(f"no such range: `{text[:40]}`", f"it is one of {RANGES}")
    return int(text)
