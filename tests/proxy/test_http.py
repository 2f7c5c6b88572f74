"""The proxy as an HTTP server, with a server behind it that answers what the test wants."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpx2

from automode.proxy.http import Front
from automode.proxy.upstream import Upstream
from tests.proxy.asked import WARNING, Asked, checkpoint
from tests.proxy.asked import call_frame as call
from tests.rows import each_row

JSON = "application/json"
EVENTS = "text/event-stream"
HEAD = b"HTTP/1.1 %s\r\ncontent-type: %s\r\nx-own: kept\r\nconnection: close\r\n%s\r\n"


@dataclass
class Behind:
    """A server that says one thing, and keeps what it was asked."""

    body: bytes = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    kind: str = JSON
    status: str = "200 OK"
    more: str = ""
    asked: list[bytes] = field(default_factory=list)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            (
                int(line.split(b":")[1])
                for line in head.lower().split(b"\r\n")
                if b"content-length" in line
            ),
            0,
        )
        self.asked.append(head + await reader.readexactly(length))
        said = HEAD % (self.status.encode(), self.kind.encode(), self.more.encode())
        writer.write(said + self.body)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def served(behind: Behind, asked: Asked | None = None) -> AsyncIterator[httpx2.AsyncClient]:
    upstream = await asyncio.start_server(behind.answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{upstream.sockets[0].getsockname()[1]}/mcp?key=1"
    decided = asked or Asked()
    async with Upstream.connect(url, {"authorization": "Bearer own"}) as opened:
        front = await asyncio.start_server(
            Front(opened, lambda: checkpoint(decided)).connect, "127.0.0.1", 0
        )
        base = f"http://127.0.0.1:{front.sockets[0].getsockname()[1]}"
        async with upstream, front, httpx2.AsyncClient(base_url=base) as client:
            yield client


def post(behind: Behind, body: bytes, **headers: str) -> httpx2.Response:
    async def posted() -> httpx2.Response:
        async with served(behind) as client:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return await client.post("/", content=body, headers={"content-type": JSON, **named})

    return asyncio.run(posted())


RESULT = b'{"jsonrpc":"2.0",  "id":1,"result":{"content":[{"type":"text","text":"%s"}]}}'


def test_an_allowed_call_and_its_answer_pass_to_the_byte() -> None:
    behind = Behind(RESULT % b"fine")

    got = post(behind, call("allowed"), mcp_session_id="s", x_client="kept")

    assert (got.status_code, got.content, got.headers["x-own"]) == (200, behind.body, "kept")
    (asked,) = behind.asked
    head, _, body = asked.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /mcp?key=1 HTTP/1.1")
    assert body == call("allowed")
    assert {b"x-client: kept", b"mcp-session-id: s", b"accept-encoding: identity"} <= {
        line.lower() for line in head.split(b"\r\n")
    }
    assert b"authorization: bearer own" in head.lower()


def test_a_denied_call_is_answered_here_and_the_server_hears_nothing() -> None:
    behind = Behind()

    got = post(behind, call("other"))

    assert got.json()["result"]["content"][0]["text"] == "denied: other"
    assert behind.asked == []


TURNED_AWAY = {
    # body and headers                                                    status
    "a page of a browser": (call("allowed"), {"origin": "http://evil.example"}, 403),
    "another name of this machine": (call("allowed"), {"host": "evil.example"}, 403),
    "a packed message": (call("allowed"), {"content_encoding": "gzip"}, 415),
    "a header that names another method": (call("other"), {"mcp_method": "ping"}, 400),
    "a header that names a call": (b'{"id":1,"method":"ping"}', {"mcp_method": "tools/call"}, 400),
}


@each_row("name", TURNED_AWAY)
def test_what_could_lead_past_the_gate_is_turned_away(name: str) -> None:
    body, headers, status = TURNED_AWAY[name]
    behind = Behind()

    assert post(behind, body, **headers).status_code == status
    assert behind.asked == []


def test_methods_that_mcp_does_not_know_are_turned_away() -> None:
    behind = Behind()

    async def asked() -> list[int]:
        async with served(behind) as client:
            put = await client.put("/", content=call("other"))
            got = await client.request("GET", "/", content=call("other"))
            return [put.status_code, got.status_code]

    assert asyncio.run(asked()) == [405, 400]
    assert behind.asked == []


def test_a_stream_passes_to_the_byte_but_for_results_that_need_a_warning() -> None:
    before = b': ping\n\nid: 1\ndata: {"method":"notifications/progress"}\n\n'
    after = b"data: not json\n\n"
    suspect = b"id: 2\ndata: " + RESULT % b"an attack" + b"\n\n"

    got = post(Behind(before + suspect + after, EVENTS), call("allowed"))

    assert got.headers["content-type"] == EVENTS
    assert got.content.startswith(before + b"id: 2\ndata: ")
    assert got.content.endswith(after)
    changed = got.content.removeprefix(before + b"id: 2\ndata: ").removesuffix(b"\n\n" + after)
    assert json.loads(changed)["result"]["content"][0]["text"] == WARNING


CLOSED = {
    # what the server does
    "sends elsewhere": Behind(status="307 Moved", more="location: http://elsewhere/mcp\r\n"),
    "packs its answer": Behind(more="content-encoding: gzip\r\n"),
    "breaks off": Behind(more="content-length: 1000\r\n"),
    "names two kinds": Behind(b"data: {}\n\n", f"{JSON}; v={EVENTS}"),
    "names two kinds the other way round": Behind(RESULT % b"x", f"{EVENTS}; v={JSON}"),
    "streams under another kind": Behind(b"data: " + RESULT % b"x" + b"\n\n", "x/y"),
    "says what only some can read": Behind(b"x\r" + RESULT % b"x"),
}


@each_row("name", CLOSED)
def test_an_answer_that_nobody_can_look_at_is_not_passed_on(name: str) -> None:
    got = post(CLOSED[name], call("allowed"))

    assert got.status_code == 502
    assert "location" not in got.headers


def test_other_requests_pass_with_their_path() -> None:
    behind = Behind(b"metadata", "text/plain", "404 Not Found")

    async def asked() -> httpx2.Response:
        async with served(behind) as client:
            return await client.get("/.well-known/oauth?x=1")

    got = asyncio.run(asked())
    assert (got.status_code, got.content) == (404, b"metadata")
    assert behind.asked[0].startswith(b"GET /.well-known/oauth?x=1 HTTP/1.1")


def test_a_failure_keeps_its_status_where_its_page_cannot_be_read() -> None:
    got = post(Behind(b"<style>p {}</style>", "text/html", "401 No"), call("allowed"))

    assert (got.status_code, got.content, got.headers["x-own"]) == (401, b"", "kept")


def test_an_event_that_nobody_can_read_is_left_out_of_the_stream() -> None:
    bad, good = b"data: x" + RESULT % b"x" + b"\n\n", b"data: " + RESULT % b"y" + b"\n\n"

    assert post(Behind(bad + good, EVENTS), call("allowed")).content == good


def test_an_answer_hidden_in_a_comment_of_the_stream_does_not_pass() -> None:
    hidden = b": x\xe2\x80\xa8data: " + RESULT % b"an attack" + b"\xe2\x80\xa8\n"
    good = b'data: {"method":"a\xe2\x80\xa8b"}\n\n'

    got = post(Behind(hidden + b"\n" + hidden + good, EVENTS), call("allowed"))

    assert got.content == b'data: {"method":"a\\u2028b"}\n\n'


def test_an_endpoint_of_the_older_transport_stays_behind_the_gate() -> None:
    async def asked(body: bytes) -> bytes:
        async with served(Behind(body, EVENTS)) as client:
            with suppress(httpx2.HTTPError):
                return (await client.get("/")).content
        return b"broken off"

    assert asyncio.run(asked(b"event: endpoint\ndata: /messages?id=1\n\n")) == (
        b"event: endpoint\ndata: /messages?id=1\n\n"
    )
    assert asyncio.run(asked(b"event: endpoint\ndata: http://elsewhere/x\n\n")) == b"broken off"
    assert asyncio.run(asked(b"event: endpoint\ndata: /x\x0bdata: y\n\n")) == b"broken off"


def test_a_client_that_hangs_up_takes_its_call_back() -> None:
    behind, asked = Behind(), Asked()

    async def hung_up() -> None:
        async with served(behind, asked) as client:
            posting = asyncio.ensure_future(client.post("/", content=call("slow")))
            await _until(lambda: bool(asked.events))
            posting.cancel()
            with suppress(asyncio.CancelledError):
                await posting

    asyncio.run(hung_up())
    assert behind.asked == []


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


def test_a_call_may_be_taken_back_by_another_request_of_its_session() -> None:
    behind, asked = Behind(), Asked()
    takes_back = b'{"method":"notifications/cancelled","params":{"requestId":1}}'

    async def taken_back() -> tuple[int, int]:
        async with served(behind, asked) as client:
            named = {"mcp-session-id": "s"}
            posting = asyncio.ensure_future(client.post("/", content=call("slow"), headers=named))
            await _until(lambda: bool(asked.events))
            second = await client.post("/", content=takes_back, headers=named)
            return (await posting).status_code, second.status_code

    assert asyncio.run(taken_back()) == (202, 202)
    assert behind.asked == []


def test_requests_without_a_session_are_one_session_for_the_daemon() -> None:
    """So what a person approves for one of them holds for the next."""
    asked = Asked()

    async def twice() -> None:
        async with served(Behind(RESULT % b"fine"), asked) as client:
            for _ in range(2):
                await client.post("/", content=call("allowed"))

    asyncio.run(twice())
    assert len({event["session"] for event in asked.events}) == 1
