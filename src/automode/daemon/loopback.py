"""HTTP on 127.0.0.1 for agents whose hooks are web requests, and for answers to asks.

    POST /hook/<host>/<moment>[?settings=<word>]
    POST /answer                                    only with `autoMode.asks.webhook`

The headers `X-Automode-Settings` and `X-Automode-Pi-Settings` are the agent's variables that hold
settings.

Anybody on the machine can connect here, a browser too. So the token is checked before the body is
read, and pages of a browser are turned away. Some agents take every status but 200 for "go on":
wherever the host is known the answer is 200 with a body that denies.
"""

import json
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace

import h11

from automode.daemon.connections import Connection, Connections
from automode.daemon.frames import (
    ANSWER,
    HOOK,
    LONGEST_PAYLOAD,
    NOBODY,
    SETTINGS_HEADERS,
    Refused,
    Reply,
    Request,
    variables_in,
)
from automode.daemon.peers import network_peer

LONGEST_HEAD = 16 * 1024
LINGER_SECONDS = 2.0
LONGEST_ANSWER = 1024
_PATH = re.compile(
    rb"/hook/([\w.+-]{1,64})/([\w.-]{1,32})"
    rb"(?:\?settings=([0-9a-f]{32}|-)(?:&deadline=(\d{1,6}))?)?"
)
_LOOPBACK = re.compile(rb"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_TOO_LARGE = f"the request is larger than {LONGEST_PAYLOAD} bytes"
_BEARER = re.compile(rb"Bearer ([0-9a-f]{1,128})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Answer:
    """The status and the body."""

    status: int
    body: bytes


class HttpConnection(Connection):
    over_network = True

    def __init__(self, connections: Connections) -> None:
        super().__init__(connections)
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD)
        self._request: Request | None = None
        self._body = bytearray()
        self._closing = False

    def _greet(self, connection: socket.socket) -> None:
        self._peer = network_peer(connection)
        if self._connections.enter(self):
            self._abort()
            return
        self._allow(self._connections.limits.request_seconds)

    def data_received(self, data: bytes) -> None:
        if self._closing:
            return
        if self._task is not None and len(self._http.trailing_data[0]) > LONGEST_HEAD:
            self._abort()
            return
        self._http.receive_data(data)
        if self._task is None:
            self._advance()

    def pause_writing(self) -> None:
        self._allow(self._connections.limits.request_seconds)

    def resume_writing(self) -> None:
        self._disarm()

    def stop(self) -> None:
        if self._task is None:
            self._abort()

    def _advance(self) -> None:
        while not self._closing:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as fault:
                self._turn_away(
                    _Answer(fault.error_status_hint, _fault("not HTTP as it should be"))
                )
                return
            if event is h11.NEED_DATA or event is h11.PAUSED:
                return
            if isinstance(event, h11.ConnectionClosed):
                self._abort()
                return
            self._take(event)
            if self._task is not None:
                return

    def _take(self, event: h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]) -> None:
        match event:
            case h11.Request():
                self._allow(self._connections.limits.request_seconds)
                self._body.clear()
                checked = _check(event, self._connections)
                if isinstance(checked, _Answer):
                    self._turn_away(checked)
                else:
                    self._request = checked
            case h11.Data():
                self._body += event.data
                if len(self._body) > LONGEST_PAYLOAD and self._request is not None:
                    self._turn_away(
                        _closing_answer(self._connections, self._request, 413, _TOO_LARGE)
                    )
            case h11.EndOfMessage() if self._request is not None:
                self._disarm()
                whole = replace(self._request, payload=bytes(self._body))
                self._body.clear()
                self._request = None
                self._begin(whole)
            case _:
                self._abort()

    def _finish(self, request: Request, outcome: Reply | Refused) -> None:
        if isinstance(outcome, Refused):
            # No hook stands here that could decide alone.
            said = _closing_answer(self._connections, request, 404, str(outcome))
        else:
            said = _as_http(outcome)
            if request.op == ANSWER and outcome.exit:
                said = _Answer(403, outcome.stdout)
        if self._connections.stopping:
            self._turn_away(said)
            return
        self._respond(said, close=False)
        if self._http.our_state is h11.MUST_CLOSE and self._transport is not None:
            self._transport.close()
            return
        self._http.start_next_cycle()
        self._allow(self._connections.limits.kept_seconds)
        self._advance()

    def _respond(self, said: _Answer, *, close: bool) -> None:
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(said.body))),
            ("cache-control", "no-store"),
            *([("connection", "close")] if close else []),
        ]
        answer = self._http.send(h11.Response(status_code=said.status, headers=headers)) or b""
        answer += self._http.send(h11.Data(data=said.body)) or b""
        answer += self._http.send(h11.EndOfMessage()) or b""
        if self._transport is not None:
            self._transport.write(answer)

    def _turn_away(self, said: _Answer) -> None:
        """Answers, and goes on reading for a moment: closing at once would take the answer back."""
        if self._transport is None or self._closing:
            return
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._respond(said, close=True)
        self._closing = True
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._allow(LINGER_SECONDS)

    def _allow(self, seconds: float) -> None:
        self._arm(seconds, self._abort)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


def _check(event: h11.Request, connections: Connections) -> Request | _Answer:
    """The request without its body, or why its body is not even read."""
    given = {bytes(name): bytes(value) for name, value in event.headers}
    if b"origin" in given or not _LOOPBACK.fullmatch(given.get(b"host", b"")):
        return _Answer(403, _fault("not for browsers, and only for this machine"))
    if event.target == b"/answer" and connections.service.notifications.webhook:
        return _check_answer(event.method, given)
    path = _PATH.fullmatch(event.target)
    if path is None:
        return _Answer(404, _fault("not found: POST /hook/<host>/<moment>"))
    host, moment, settings, waits = (part.decode("ascii") for part in path.groups(b""))
    bearer = _BEARER.fullmatch(given.get(b"authorization", b""))
    token = connections.service.tokens.over_loopback(bearer[1].decode("ascii")) if bearer else None
    adapter = connections.service.adapters.get(host)
    deadline = adapter.abilities.deadline_ms if adapter is not None else 0
    if waits and adapter is not None:
        deadline = min(int(waits), adapter.abilities.hook_seconds * 1000)
    told = {
        name: given.get(header.casefold().encode(), b"")
        for header, name in SETTINGS_HEADERS.items()
    }
    variables = variables_in(
        b"\0".join(name.encode() + b"=" + value for name, value in told.items() if value)
    )
    request = Request(
        HOOK, b"", token or NOBODY, host, moment, deadline, settings=settings, variables=variables
    )
    if event.method != b"POST":
        return _closing_answer(connections, request, 405, "only POST")
    if token is None:
        return _closing_answer(connections, request, 401, "the token is not valid")
    if int(given.get(b"content-length", b"0")) > LONGEST_PAYLOAD:
        return _closing_answer(connections, request, 413, _TOO_LARGE)
    return request


def _check_answer(method: bytes, given: Mapping[bytes, bytes]) -> Request | _Answer:
    """Its body is a token, which is looked at as a whole."""
    if method != b"POST":
        return _Answer(405, _fault("only POST"))
    if not 0 < int(given.get(b"content-length", b"0")) <= LONGEST_ANSWER:
        return _Answer(413, _fault("the body is a token, and nothing else"))
    return Request(ANSWER, b"")


def _closing_answer(connections: Connections, request: Request, status: int, why: str) -> _Answer:
    """The host's own denial where the host is known, else the status."""
    said = connections.service.failure(request, Refused(why))
    return _as_http(said) if isinstance(said, Reply) else _Answer(status, _fault(why))


def _as_http(outcome: Reply) -> _Answer:
    match outcome:
        case Reply(stdout=body) if body:
            return _Answer(200, body)
        case Reply(stderr=said) if said:
            return _Answer(500, _fault(said.decode("utf-8", "replace").strip()))
        case Reply():
            return _Answer(200, b"{}")


def _fault(sentence: str) -> bytes:
    return json.dumps({"error": sentence, "hint": "see docs/reference/wire.md"}).encode("ascii")
