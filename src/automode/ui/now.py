"""Now: decisions as they are made."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from automode.core.errors import BadCall
from automode.store.tables import newest_number
from automode.ui.filters import Filter, browse, choices
from automode.ui.window import Entry, Window

ENTRY = Entry("/now", "Now")


def routes(window: Window) -> list[BaseRoute]:
    def page(request: Request) -> Response:
        wanted = Filter.of(request.query_params)
        before = number(request.query_params.get("before", ""))
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

    return [Route("/now", page)]


def number(text: str) -> int:
    if not text:
        return 0
    if not text.isdecimal() or len(text) > 18:
        raise BadCall(f"no number: `{text[:40]}`", "follow the links of the page")
    return int(text)
