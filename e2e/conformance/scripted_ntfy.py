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
from threading import Condition, Thread
from urllib.parse import parse_qs, urlsplit

from automode.agents.scripted.loopback import LOOPBACK, LoopbackHandler, LoopbackServer

LONGEST_MESSAGE = 4096
MOST_ACTIONS = 3
WAIT_SECONDS = 30.0
_TOPIC = re.compile(r"[-_A-Za-z0-9]{1,64}")
_SINCE = re.compile(r"(\d+)s")


class NotThere(Exception):
    """The message or the button that a phone was to find did not come."""


@dataclass(eq=False)
class NtfyServer(LoopbackServer):
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
    closed: bool = False

    def __post_init__(self) -> None:
        super().__init__(_Handler)

    def __exit__(self, *trouble: object) -> None:
        with self._changed:
            self.closed = True
            self._changed.notify_all()
        super().__exit__(*trouble)

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # whoever hangs up needs no traceback

    def address(self, topic: str) -> str:
        """As it stands in settings."""
        return f"ntfy://{LOOPBACK}:{self.server_port}/{topic}"

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
                    if not new and not self.closed:
                        self._changed.wait(0.1)
                        new = self._topics[topic][sent:]
                    if self.closed:
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


class _Handler(LoopbackHandler):
    server: NtfyServer

    def do_POST(self) -> None:
        body = self.body().decode()
        if self._goes_wrong():
            return
        topic, said = urlsplit(self.path).path.strip("/"), {}
        if not topic:
            said = json.loads(body)
            topic, body = said.pop("topic"), said.pop("message")
        actions = said.get("actions", [])
        if not _TOPIC.fullmatch(topic) or len(actions) > MOST_ACTIONS:
            self._refuse(400, "bad request")
        elif len(body.encode()) > LONGEST_MESSAGE:
            self._refuse(413, "too large")
        else:
            self.server.publish(topic, body, said)
            self.send(b'{"id":"x","event":"message"}')

    def do_GET(self) -> None:
        if self._goes_wrong():
            return
        parts = urlsplit(self.path)
        topic, _, kind = parts.path.strip("/").partition("/")
        since = _SINCE.fullmatch(parse_qs(parts.query).get("since", ["0s"])[0])
        if kind != "json" or not _TOPIC.fullmatch(topic) or since is None:
            self._refuse(404, "page not found")
            return
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        self.server.follow(topic, time.time() - int(since[1]), self._chunk)

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _goes_wrong(self) -> bool:
        """Keeps what came, and does wrong what the server is told to."""
        ntfy = self.server
        ntfy.requests.append((self.command, self.path, {**self.headers}))
        if ntfy.silent:
            while not ntfy.closed:
                time.sleep(0.05)
            self.close_connection = True
            return True
        if ntfy.leads_to:
            self.send(status=307, location=ntfy.leads_to)
        elif ntfy.status != 200:
            self.send(b"{}", status=ntfy.status)
        return bool(ntfy.leads_to) or ntfy.status != 200

    def _refuse(self, status: int, why: str) -> None:
        said = {"code": status * 100, "http": status, "error": why}
        self.send(json.dumps(said).encode(), status=status)
