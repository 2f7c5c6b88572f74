"""A scripted ntfy server on loopback, and the phone that reads a topic of it and presses a button.

It knows of ntfy what automode uses: publishing as JSON with actions, publishing plain text, and the
JSON stream of a topic. A real server is a referee for it in the tests.
"""

import json
import re
import secrets
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, urlsplit

LOOPBACK = "127.0.0.1"
LONGEST_MESSAGE = 4096
MOST_ACTIONS = 3
WAIT_SECONDS = 30.0
_TOPIC = re.compile(r"[-_A-Za-z0-9]{1,64}")
_SINCE = re.compile(r"(\d+)s")


class NotThere(Exception):
    """The message or the button that a phone was to find did not come."""


@dataclass(slots=True)
class NtfyServer:
    """Use as a context manager. What it does wrong is said by `status` (of every answer to a
    publisher), `leads_to` (where it redirects) and `noise` (in front of each stream)."""

    status: int = 200
    leads_to: str = ""
    noise: bytes = b""
    silent: bool = False  # takes a connection, and never answers
    on_message: Callable[[Mapping[str, object]], None] = field(default=lambda _: None)
    requests: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)
    streams: int = 0  # open now
    _topics: dict[str, list[dict[str, object]]] = field(default_factory=lambda: defaultdict(list))
    _changed: Condition = field(default_factory=Condition)
    _closed: bool = False
    _server: "_Listening" = field(init=False)

    def __post_init__(self) -> None:
        self._server = _Listening(self)

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def address(self, topic: str) -> str:
        """As it stands in settings."""
        return f"ntfy://{LOOPBACK}:{self.port}/{topic}"

    @property
    def closed(self) -> bool:
        return self._closed

    def messages(self, topic: str) -> list[dict[str, object]]:
        with self._changed:
            return [*self._topics[topic]]

    def wait_for(self, topic: str, count: int = 1) -> list[dict[str, object]]:
        """The messages of a topic, once there are so many. Raises NotThere."""
        with self._changed:
            there = self._changed.wait_for(lambda: len(self._topics[topic]) >= count, WAIT_SECONDS)
            if not there:
                raise NotThere(f"{len(self._topics[topic])} of {count} messages came")
            return [*self._topics[topic]]

    def wait_for_streams(self, count: int) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self.streams == count, WAIT_SECONDS):
                raise NotThere(f"{self.streams} streams are open, not {count}")

    def publish(self, topic: str, text: str, said: Mapping[str, object] | None = None) -> None:
        message = {
            **(said or {}),
            "id": secrets.token_hex(6),
            "time": int(time.time()),
            "event": "message",
            "topic": topic,
            "message": text,
        }
        with self._changed:
            self._topics[topic].append(message)
            self._changed.notify_all()
        self.on_message(message)

    def follow(self, topic: str, since: float, send: Callable[[bytes], None]) -> None:
        """Everything of a topic from `since` on, until whoever reads it leaves."""
        with self._changed:
            self.streams += 1
            self._changed.notify_all()
        sent = 0
        try:
            send(self.noise + _line({"event": "open", "topic": topic}))
            while True:
                with self._changed:
                    new = self._topics[topic][sent:]
                    if not new and not self._closed:
                        self._changed.wait(0.1)
                        new = self._topics[topic][sent:]
                    if self._closed:
                        return
                sent += len(new)
                for message in new:
                    if int(str(message["time"])) >= since:
                        send(_line(message))
                if not new:
                    send(_line({"event": "keepalive", "topic": topic}))
        finally:
            with self._changed:
                self.streams -= 1
                self._changed.notify_all()


def button(message: Mapping[str, object], label: str) -> Mapping[str, object]:
    """Raises NotThere."""
    actions = message.get("actions")
    for one in actions if isinstance(actions, list) else []:
        if one["label"] == label:
            found: Mapping[str, object] = one
            return found
    raise NotThere(f"no button `{label}`")


def press(message: Mapping[str, object], label: str) -> None:
    """What the app on a phone does when a button of a message is pressed. Raises NotThere."""
    found = button(message, label)
    request = urllib.request.Request(  # noqa: S310 - an address on loopback
        str(found["url"]), data=str(found["body"]).encode(), method=str(found["method"])
    )
    with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as answer:  # noqa: S310
        answer.read()


def press_soon(label: str, topic: str) -> Callable[[Mapping[str, object]], None]:
    """For `on_message`: a person who presses this button of whatever comes on the topic."""

    def read(message: Mapping[str, object]) -> None:
        if message["topic"] == topic:
            Thread(target=press, args=(message, label), daemon=True).start()

    return read


def _line(said: Mapping[str, object]) -> bytes:
    return (
        json.dumps({"id": secrets.token_hex(6), "time": int(time.time()), **said}).encode() + b"\n"
    )


class _Listening(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, ntfy: NtfyServer) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.ntfy = ntfy

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # whoever hangs up needs no traceback


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _ntfy(self) -> NtfyServer:
        if not isinstance(self.server, _Listening):
            raise TypeError("this request handler belongs to another kind of server")
        ntfy = self.server.ntfy
        ntfy.requests.append((self.command, self.path, {**self.headers}))
        return ntfy

    def do_POST(self) -> None:
        ntfy = self._ntfy()
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        if self._goes_wrong(ntfy):
            return
        topic, said = urlsplit(self.path).path.strip("/"), {}
        if not topic:
            said = json.loads(body)
            topic, body = said.pop("topic"), said.pop("message")
        actions = said.get("actions", [])
        if not _TOPIC.fullmatch(topic) or len(actions) > MOST_ACTIONS:
            self._answer(400, b'{"code":40000,"http":400,"error":"bad request"}')
        elif len(body.encode()) > LONGEST_MESSAGE:
            self._answer(413, b'{"code":41301,"http":413,"error":"too large"}')
        else:
            ntfy.publish(topic, body, said)
            self._answer(200, json.dumps({"id": "x", "event": "message"}).encode())

    def do_GET(self) -> None:
        ntfy = self._ntfy()
        if self._goes_wrong(ntfy):
            return
        parts = urlsplit(self.path)
        topic, _, kind = parts.path.strip("/").partition("/")
        since = _SINCE.fullmatch(parse_qs(parts.query).get("since", ["0s"])[0])
        if kind != "json" or not _TOPIC.fullmatch(topic) or since is None:
            self._answer(404, b'{"code":40401,"http":404,"error":"page not found"}')
            return
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        ntfy.follow(topic, time.time() - int(since[1]), self._chunk)

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _goes_wrong(self, ntfy: NtfyServer) -> bool:
        if ntfy.silent:
            while not ntfy.closed:
                time.sleep(0.05)
            self.close_connection = True
            return True
        if ntfy.leads_to:
            self.send_response(307)
            self.send_header("location", ntfy.leads_to)
            self.send_header("content-length", "0")
            self.end_headers()
        elif ntfy.status != 200:
            self._answer(ntfy.status, b"{}")
        return bool(ntfy.leads_to) or ntfy.status != 200

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        pass
