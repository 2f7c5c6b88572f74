"""Lines on one side, streamable HTTP on the other: a real HTTP server on loopback behind it."""

import asyncio
import json
import os
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.scripted.loopback import LoopbackHandler, LoopbackServer
from automode.proxy.http import Bridge, Events, Unreachable, Upstream
from automode.proxy.stdio import ClientStreams
from tests.proxy.asked import WARNING, checkpoint
from tests.proxy.asked import call_frame as call
from tests.rows import each_row

HELLO = b'{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"1"}}'
READY = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
ANSWERS = {
    # method or tool     content type and body
    "initialize": ("application/json", '{"id":"h","result":{"protocolVersion":"2025-06-18"}}'),
    "allowed-json": ("application/json", '{"id":1,"result":{"content":[]}}'),
    "allowed-events": (
        "text/event-stream",
        'data: {"method":"notifications/progress"}\n\n'
        'data: {"id":2,\ndata: "result":{"content":[{"type":"text","text":"an attack"}]}}\n\n',
    ),
    "allowed-trouble": ("text/plain", "no"),
    "allowed-lines": (
        "application/json",
        '{"method":"notifications/progress","params":\n{"id":1,"result":{"content":[]}}\r\n}',
    ),
    "allowed-noise": ("application/json", "no\n{}"),
    "allowed-page": ("x/y", "no"),
    "allowed-two-kinds": ("application/json; v=text/event-stream", "data: {}\n\n"),
    "allowed-packed": ("application/json", "{}"),
    "allowed-elsewhere": ("application/json", "{}"),
}


class Handler(LoopbackHandler):
    server: "Server"

    def do_POST(self) -> None:
        message = json.loads(self.body())
        told = message.get("params", {}).get("name", message["method"])
        kind, body = ANSWERS.get(told, ("", ""))
        self.noted(told)
        known = {"allowed-trouble": 500, "allowed-elsewhere": 307}
        self.said(known.get(told, 200 if body else 202), kind, body, packed="packed" in told)

    def do_GET(self) -> None:
        self.noted("listening")
        self.said(405)

    def do_DELETE(self) -> None:
        self.noted("over")
        self.said(200)

    def noted(self, what: str) -> None:
        version, session = (
            self.headers[name] for name in ("mcp-protocol-version", "mcp-session-id")
        )
        self.server.asked.append((what, version, session))

    def said(self, status: int, kind: str = "", body: str = "", *, packed: bool = False) -> None:
        self.send(
            body.encode(),
            kind,
            status,
            content_encoding="gzip" if packed else "identity",
            location="http://elsewhere.invalid/mcp",
            mcp_session_id="s1",
        )


class Server(LoopbackServer):
    def __init__(self) -> None:
        super().__init__(Handler)
        self.asked: list[tuple[str, str | None, str | None]] = []


@dataclass
class Client:
    """Its side of the bridge."""

    said: int
    heard: int
    lines: list[bytes] = field(default_factory=list)

    def send(self, frame: bytes) -> None:
        os.write(self.said, frame + b"\n")

    async def answer(self) -> object:
        while not self.lines:
            self.lines += (await asyncio.to_thread(os.read, self.heard, 65_536)).splitlines()
        return json.loads(self.lines.pop(0))


async def exchange(port: int, *steps: tuple[bytes, int]) -> list[object]:
    """What the client hears: each step is a frame, and how many answers come before the next."""
    (source, said), (heard, sink) = os.pipe(), os.pipe()
    client = Client(said, heard)
    answers: list[object] = []
    async with Upstream.connect(f"http://127.0.0.1:{port}/mcp", {}) as upstream:
        bridge = Bridge(upstream, checkpoint(), ClientStreams(source, sink))
        running = asyncio.ensure_future(bridge.run())
        for frame, count in steps:
            client.send(frame)
            answers += [await client.answer() for _ in range(count)]
        os.close(said)
        await running
    for descriptor in (source, heard, sink):
        os.close(descriptor)
    return answers


SESSION = (
    (HELLO, 1),
    (READY, 0),
    (call("allowed-json", 1), 1),
    (call("other", 3), 1),
    (call("allowed-trouble", 4), 1),
    (call("allowed-events", 2), 2),
)


def test_a_session_over_the_bridge() -> None:
    with Server() as server:
        hello, allowed, denied, trouble, progress, suspect = asyncio.run(
            exchange(server.server_port, *SESSION)
        )
        asked = server.asked

    assert hello == {"id": "h", "result": {"protocolVersion": "2025-06-18"}}
    assert allowed == {"id": 1, "result": {"content": []}}
    assert isinstance(denied, dict)
    assert denied["result"]["content"][0]["text"] == "denied: other"
    assert isinstance(trouble, dict)
    assert trouble["error"]["message"] == "automode: the MCP server answers with status 500"
    assert progress == {"method": "notifications/progress"}
    assert isinstance(suspect, dict)
    assert suspect["result"]["content"][0]["text"] == WARNING
    known = ("2025-06-18", "s1")
    assert asked[0] == ("initialize", None, None)
    assert asked[-1] == ("over", *known)
    assert sorted(asked[1:-1]) == sorted(
        (what, *known)
        for what in (
            *("notifications/initialized", "listening"),
            *("allowed-json", "allowed-trouble", "allowed-events"),
        )
    )


def test_an_answer_of_many_lines_is_one_line_for_the_client() -> None:
    with Server() as server:
        (found,) = asyncio.run(exchange(server.server_port, (call("allowed-lines", 1), 1)))

    inner = {"id": 1, "result": {"content": []}}
    assert found == {"method": "notifications/progress", "params": inner}


UNREADABLE = "noise page two-kinds packed elsewhere".split()


@each_row("tool", [f"allowed-{name}" for name in UNREADABLE])
def test_an_answer_that_nobody_can_read_is_an_error_for_whoever_waits(tool: str) -> None:
    with Server() as server:
        (found,) = asyncio.run(exchange(server.server_port, (call(tool, 1), 1)))

    assert isinstance(found, dict)
    assert found["error"]["message"].startswith("automode: the MCP server")


def test_a_server_that_is_not_there_is_an_error_for_whoever_waits() -> None:
    with Server() as server:
        port = server.server_port

    (found,) = asyncio.run(exchange(port, (call("allowed", 1), 1)))
    assert isinstance(found, dict)
    assert "the MCP server cannot be asked (ConnectError)" in found["error"]["message"]


STREAMS = {
    # stream                                   payloads
    b"data: one\n\n": [b"one"],
    b"event: message\ndata: one\nid: 7\n\n": [b"one"],
    b"data: one\r\n\r\ndata: two\r\n\r\n": [b"one", b"two"],
    b"data: one\r\rdata: two\r\r": [b"one", b"two"],
    b": ping\n\ndata:one\ndata:  two\n\n": [b"one\n two"],
    b"\xef\xbb\xbfdata: one\n\n\xef\xbb\xbfdata: two\n\n": [b"one"],
    b"data: cut off\n": [],
}


@given(st.sampled_from(list(STREAMS)), st.lists(st.integers(0, 200), max_size=6))
def test_events_are_read_alike_however_they_were_cut(stream: bytes, cuts: list[int]) -> None:
    events, before = Events(), 0
    found: list[bytes] = []
    for cut in [*sorted(one % (len(stream) + 1) for one in cuts), len(stream)]:
        found += events.feed(stream[before:cut])
        before = cut

    assert [*found, *events.feed(b"", last=True)] == STREAMS[stream]


def test_an_event_without_end_is_not_waited_for_for_ever() -> None:
    with pytest.raises(Unreachable):
        list(Events(longest=10).feed(b"data: more than ten bytes"))
