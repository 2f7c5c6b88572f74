"""Lines on one side, streamable HTTP on the other: a real HTTP server on loopback behind it."""

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from automode.proxy.http import Bridge
from automode.proxy.stdio import ClientStreams
from automode.proxy.upstream import Upstream
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
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        told = message.get("params", {}).get("name", message["method"])
        kind, body = ANSWERS.get(told, ("", ""))
        self.noted(told)
        self.said(500 if kind == "text/plain" else 200 if body else 202, kind, body)

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
        assert isinstance(self.server, Server)
        self.server.asked.append((what, version, session))

    def said(self, status: int, kind: str = "", body: str = "") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("mcp-session-id", "s1")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str | None, str | None]] = []


@contextmanager
def serving() -> Iterator[Server]:
    with Server() as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


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
    with serving() as server:
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
    with serving() as server:
        (found,) = asyncio.run(exchange(server.server_port, (call("allowed-lines", 1), 1)))

    inner = {"id": 1, "result": {"content": []}}
    assert found == {"method": "notifications/progress", "params": inner}


@each_row("tool", ["allowed-noise", "allowed-page", "allowed-two-kinds"])
def test_an_answer_that_nobody_can_read_is_an_error_for_whoever_waits(tool: str) -> None:
    with serving() as server:
        (found,) = asyncio.run(exchange(server.server_port, (call(tool, 1), 1)))

    assert isinstance(found, dict)
    assert found["error"]["message"].startswith("automode: the MCP server")


def test_a_server_that_is_not_there_is_an_error_for_whoever_waits() -> None:
    with serving() as server:
        port = server.server_port

    (found,) = asyncio.run(exchange(port, (call("allowed", 1), 1)))
    assert isinstance(found, dict)
    assert "the MCP server cannot be asked (ConnectError)" in found["error"]["message"]
