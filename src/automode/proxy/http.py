"""The proxy for a server behind an address, as a server of its own on loopback.

Requests and answers pass as they are, streams too, but for calls that must not run and results
that need a warning. Pages of a browser are turned away.
"""

import asyncio
import logging
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import h11

from automode.core.errors import AutomodeError
from automode.proxy.checkpoint import Checkpoint, Passage
from automode.proxy.lines import CHUNK
from automode.proxy.messages import (
    LONGEST_FRAME,
    NO_REQUEST,
    Passing,
    Proposing,
    error,
    seen,
    written,
)
from automode.proxy.upstream import (
    OF_THE_CONNECTION,
    UNREADABLE,
    Header,
    Unreachable,
    Upstream,
    events,
    screened,
    streams,
    whole,
)

log = logging.getLogger(__name__)

MOST_SESSIONS = 1000
SESSION = b"mcp-session-id"
_LOOPBACK = re.compile(rb"(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_WITHOUT_MESSAGE = ("GET", "HEAD", "DELETE", "OPTIONS")
_JSON = (b"content-type", b"application/json")


async def serve(
    url: str,
    place: tuple[str, int],
    checkpoint: Callable[[], Checkpoint],
) -> int:
    """Until the process is ended. No header is added: every account of the machine can connect
    here, and must not sign in with somebody else's key. Raises Unreachable where the port cannot
    be had."""
    async with Upstream.opened(url, {}) as upstream:
        desk = Desk(upstream, checkpoint)
        try:
            server = await asyncio.start_server(desk.connected, *place)
        except OSError as trouble:
            raise Unreachable(
                f"port {place[1]} cannot be had ({trouble.strerror})", "choose another --listen"
            ) from trouble
        port = server.sockets[0].getsockname()[1]
        sys.stderr.write(f"automode: serving {url} at http://{place[0]}:{port}/\n")
        sys.stderr.flush()
        async with server:
            await server.serve_forever()
    return 0


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    target: str
    headers: tuple[Header, ...]
    body: bytes

    def header(self, name: bytes) -> bytes:
        return next((value for found, value in self.headers if found.lower() == name), b"")


class _TurnedAway(AutomodeError):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Desk:
    upstream: Upstream
    checkpoint: Callable[[], Checkpoint]
    _sessions: OrderedDict[bytes, Checkpoint] = field(default_factory=OrderedDict)
    _nameless: str = ""

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer, h11.Connection(h11.SERVER))
        try:
            while (asked := await line.asked()) is not None:
                if not await line.while_connected(self._answered(asked, line)):
                    return
                if not line.again():
                    return
        except (h11.ProtocolError, OSError):
            pass
        finally:
            writer.close()

    async def _answered(self, asked: Asked, line: "Line") -> None:
        try:
            _check(asked)
            checkpoint = self._session(asked)
            passage = await _passed(asked, checkpoint)
            if passage.onward is None:
                status = 202 if passage.answer is None else 200
                await line.say(status, [_JSON], passage.answer or b"")
            else:
                await self._handed_on(asked, line, checkpoint)
        except _TurnedAway as trouble:
            told = written(error(None, NO_REQUEST, f"automode: {trouble}"))
            await line.say(trouble.status, [_JSON], told)
        except Unreachable as trouble:
            log.warning("%s", trouble)
            if line.begun:
                raise ConnectionAbortedError from trouble
            told = written(error(None, NO_REQUEST, f"automode: {trouble}"))
            await line.say(502, [_JSON], told)

    async def _handed_on(self, asked: Asked, line: "Line", checkpoint: Checkpoint) -> None:
        request = self.upstream.asked(asked.method, asked.target, asked.headers, asked.body)
        async with request as got:
            headers = [one for one in got.headers.raw if one[0].lower() not in OF_THE_CONNECTION]
            if streams(got):
                await line.begin(got.status_code, headers)
                async for event in events(got):
                    await line.send(await screened(event, checkpoint, self.upstream.url))
                await line.end()
            else:
                body = await checkpoint.inward(await whole(got))
                if body is None and got.status_code < 400:
                    raise Unreachable(UNREADABLE)
                plain = [one for one in headers if one[0].lower() != b"content-length"]
                await line.say(got.status_code, plain, body or b"")

    def _session(self, asked: Asked) -> Checkpoint:
        """Without a session's name nobody knows whose ids these are, so each request stands alone;
        the daemon takes them for one session all the same."""
        name = asked.header(SESSION)
        if not name:
            alone = self.checkpoint()
            self._nameless = self._nameless or alone.session
            alone.session = self._nameless
            return alone
        if name not in self._sessions:
            self._sessions[name] = self.checkpoint()
        self._sessions.move_to_end(name)
        if len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return self._sessions[name]


async def _passed(asked: Asked, checkpoint: Checkpoint) -> Passage:
    if asked.method == "POST":
        return await checkpoint.outward(asked.body)
    if asked.method not in _WITHOUT_MESSAGE:
        raise _TurnedAway(405, "MCP knows no such method")
    if asked.body:
        raise _TurnedAway(400, "only POST brings a message")
    return Passage(onward=b"")


def _check(asked: Asked) -> None:
    if asked.header(b"origin") or not _LOOPBACK.fullmatch(asked.header(b"host")):
        raise _TurnedAway(403, "only programs on this machine are served here")
    if asked.header(b"content-encoding").lower() not in (b"", b"identity"):
        raise _TurnedAway(415, "a message must not be packed")
    named = asked.header(b"mcp-method").decode("latin-1")
    if named and asked.method == "POST" and named not in _methods(asked.body):
        raise _TurnedAway(400, "the header `mcp-method` and the message do not agree")


def _methods(body: bytes) -> tuple[str, ...]:
    match seen(body):
        case Passing(method):
            return (method,)
        case Proposing(batch=False):
            return ("tools/call",)
        case _:
            return ()


@dataclass(slots=True)
class Line:
    """One connection of a client."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    http: h11.Connection
    begun: bool = False

    async def asked(self) -> Asked | None:
        """The next request; None when the client has gone. Raises h11.ProtocolError."""
        head: h11.Request | None = None
        body = bytearray()
        while True:
            match self.http.next_event():
                case h11.Request() as head:
                    pass
                case h11.Data(data=data):
                    body += data
                    if len(body) > LONGEST_FRAME:
                        raise h11.RemoteProtocolError("too large", error_status_hint=413)
                case h11.EndOfMessage() if head is not None:
                    target = head.target.decode("ascii", "replace")
                    headers = tuple((bytes(name), bytes(value)) for name, value in head.headers)
                    return Asked(head.method.decode(), target, headers, bytes(body))
                case h11.NEED_DATA:
                    data = await self.reader.read(CHUNK)
                    if not data:
                        return None
                    self.http.receive_data(data)
                case _:
                    return None

    async def while_connected(self, work: Coroutine[object, object, None]) -> bool:
        """Whether it was done before the client hung up. A call nobody waits for is not made."""
        doing = asyncio.ensure_future(work)
        try:
            while not doing.done():
                hearing = asyncio.ensure_future(self.reader.read(CHUNK))
                await asyncio.wait({doing, hearing}, return_when=asyncio.FIRST_COMPLETED)
                if not hearing.done():
                    hearing.cancel()
                    with suppress(asyncio.CancelledError):
                        await hearing
                elif data := hearing.result():
                    self.http.receive_data(data)
                elif not doing.done():
                    return False
            doing.result()
            return True
        finally:
            doing.cancel()

    async def begin(self, status: int, headers: Iterable[Header]) -> None:
        self.begun = True
        await self._put(h11.Response(status_code=status, headers=list(headers)))

    async def send(self, data: bytes) -> None:
        await self._put(h11.Data(data=data))

    async def end(self) -> None:
        await self._put(h11.EndOfMessage())

    async def say(self, status: int, headers: Iterable[Header], body: bytes) -> None:
        length = (b"content-length", str(len(body)).encode())
        await self.begin(status, [*headers, length])
        await self.send(body)
        await self.end()

    def again(self) -> bool:
        """Whether the connection takes another request."""
        if self.http.our_state is not h11.DONE or self.http.their_state is not h11.DONE:
            return False
        self.http.start_next_cycle()
        self.begun = False
        return True

    async def _put(self, event: h11.Event) -> None:
        self.writer.write(self.http.send(event) or b"")
        await self.writer.drain()
