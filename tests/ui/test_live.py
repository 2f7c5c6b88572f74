"""What is new comes in by itself, and what came in between is not missed."""

import asyncio
import http.client
from collections.abc import AsyncIterator
from pathlib import Path

from automode.store.tables import Stored
from automode.ui.live import Follower
from automode.ui.stream import server_event
from automode.ui.window import Window
from tests.cli.stored import keep, record
from tests.ui.windows import RECORDS, Client, served, window_on

PATIENCE_SECONDS = 20.0


async def _next(records: AsyncIterator[Stored]) -> str:
    found = await asyncio.wait_for(anext(records), PATIENCE_SECONDS)
    return found.id


def test_everybody_gets_what_came_after_their_page_and_then_each_new_one(window: Window) -> None:
    async def follow() -> list[list[str]]:
        follower = Follower(window)
        one, other = follower.follow(after=1), follower.follow(after=3)
        first = [await _next(one), await _next(one)]
        waiting = asyncio.ensure_future(_next(other))
        await asyncio.sleep(0)
        keep(window.state, record(4))
        seen = [await _next(one), await waiting]
        keep(window.state, record(5), record(6))
        both = [await _next(one), await _next(one), await _next(other), await _next(other)]
        for each in (one, other):
            await each.aclose()  # type: ignore[attr-defined] # a generator
        return [first, seen, both]

    first, seen, both = asyncio.run(follow())

    assert first == [RECORDS[1].id, RECORDS[2].id]
    assert seen == ["r00000004", "r00000004"]
    assert both == ["r00000005", "r00000006"] * 2


def test_pages_that_begin_to_follow_at_once_get_each_record_once(window: Window) -> None:
    async def follow() -> list[list[str]]:
        follower = Follower(window)
        streams = [follower.follow(after=3) for _ in range(3)]
        waiting = [asyncio.ensure_future(_next(one)) for one in streams]
        await asyncio.sleep(0.1)
        keep(window.state, record(4))
        first = [await one for one in waiting]
        keep(window.state, record(5))
        return [first, [await _next(one) for one in streams]]

    assert asyncio.run(follow()) == [["r00000004"] * 3, ["r00000005"] * 3]


def test_a_store_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    window = window_on(tmp_path)

    async def follow() -> str:
        records = Follower(window).follow(after=0)
        waiting = asyncio.ensure_future(_next(records))
        await asyncio.sleep(0.05)
        keep(window.state, record(1))
        return await waiting

    assert asyncio.run(follow()) == "r00000001"


def test_an_event_is_one_whatever_its_text_holds() -> None:
    assert server_event("decision", "<li>\r\nevent: x\n</li>", 7) == (
        "id: 7\nevent: decision\ndata: <li>\ndata: event: x\ndata: </li>\n\n"
    )


def test_a_real_server_streams_what_fits_the_filter(tmp_path: Path) -> None:
    window = window_on(tmp_path, *RECORDS)
    cookie = window.access.enter(window.access.new_link().partition("key=")[2])
    with served(window):
        port = window.access.port
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        address = f"{window.access.base}/live?decisions=1&agent=pi&after=0"
        connection.request(
            "GET", address, headers={"Cookie": f"automode={cookie}", "Host": window.access.host}
        )
        answer = connection.getresponse()
        text = b""
        while b"</li>" not in text:
            text += answer.fp.readline()
        connection.close()

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert b"id: 3\nevent: decision\n" in text
    assert b"git push" in text
    assert b"kubectl" not in text


def test_the_page_follows_from_its_newest_record_on(client: Client) -> None:
    page = client.get(client.at("/now")).text

    assert 'data-follow="decisions=1&amp;after=3"' in page
