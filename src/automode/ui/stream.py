"""One stream for each open page: new decisions that fit its filter, and how many asks wait."""

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from automode.ui.filters import Filter
from automode.ui.inbox import InboxWatch
from automode.ui.live import Follower
from automode.ui.now import number
from automode.ui.window import Window

RETRY_MILLIS = 2000
BEAT_SECONDS = 15.0
"""Something is sent at least so often, so that a page that is gone is noticed."""


def routes(window: Window) -> list[BaseRoute]:
    """A browser opens few connections to one server: a page needs no more than this one."""
    follower, watch = Follower(window), InboxWatch(window)

    async def live(request: Request) -> Response:
        wanted = Filter.of(request.query_params)
        follows = request.query_params.get("decisions") == "1"
        given = request.headers.get("last-event-id") or request.query_params.get("after", "")
        after = number(given)

        async def decisions() -> AsyncIterator[str]:
            async for one in follower.follow(after):
                if one.record is not None and wanted.fits(one.record):
                    row = window.fragment("row.html", one=one)
                    yield server_event("decision", row, one.number)

        async def inbox() -> AsyncIterator[str]:
            async for waiting in watch.changes():
                yield server_event("inbox", str(waiting))

        parts = [inbox(), *([decisions()] if follows else [])]
        return StreamingResponse(_together(parts), media_type="text/event-stream")

    return [Route("/live", live)]


async def _together(parts: list[AsyncIterator[str]]) -> AsyncIterator[str]:
    queue: asyncio.Queue[str] = asyncio.Queue()

    async def pass_on(part: AsyncIterator[str]) -> None:
        async for one in part:
            await queue.put(one)

    tasks = [asyncio.create_task(pass_on(part)) for part in parts]
    try:
        yield f"retry: {RETRY_MILLIS}\n\n"
        while True:
            try:
                async with asyncio.timeout(BEAT_SECONDS):
                    event = await queue.get()
            except TimeoutError:
                event = ": still here\n\n"
            yield event
    finally:
        for task in tasks:
            task.cancel()


def server_event(name: str, text: str, own_id: int | None = None) -> str:
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    known = "" if own_id is None else f"id: {own_id}\n"
    return f"{known}event: {name}\n{lines}\n"
