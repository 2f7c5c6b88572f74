"""Now: decisions as they are made."""

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from automode.core.errors import BadCall
from automode.store.tables import newest_number
from automode.ui.filters import Filter, browse, choices
from automode.ui.live import Follower
from automode.ui.window import Entry, Window

ENTRY = Entry("/now", "Now")


def routes(window: Window) -> list[BaseRoute]:
    follower = Follower(window)

    def page(request: Request) -> Response:
        wanted = Filter.of(request.query_params)
        before = _number(request.query_params.get("before", ""))
        with window.reading() as db:
            found = browse(db, wanted, before)
            if before and request.headers.get("hx-request"):
                return window.page(request, "rows.html", found=found, wanted=wanted)
            agents, projects = choices(db)
            newest = newest_number(db)
        return window.page(
            request,
            "now.html",
            found=found,
            wanted=wanted,
            agents=agents,
            projects=projects,
            newest=newest,
            before=before,
        )

    async def live(request: Request) -> Response:
        wanted = Filter.of(request.query_params)
        given = request.headers.get("last-event-id") or request.query_params.get("after", "")
        after = _number(given)

        async def events() -> AsyncIterator[str]:
            yield "retry: 2000\n\n"
            async for one in follower.follow(after):
                if one.record is not None and wanted.fits(one.record):
                    row = window.fragment("row.html", one=one)
                    yield server_event("decision", row, one.number)

        return StreamingResponse(events(), media_type="text/event-stream")

    return [Route("/now", page), Route("/now/live", live)]


def server_event(name: str, text: str, number: int) -> str:
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"id: {number}\nevent: {name}\n{lines}\n"


def _number(text: str) -> int:
    if not text:
        return 0
    if not text.isdecimal() or len(text) > 18:
        raise BadCall(f"no number: `{text[:40]}`", "follow the links of the page")
    return int(text)
