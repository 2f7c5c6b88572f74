"""The proxy for a server behind an address: for a client that starts programs, lines on its side
and streamable HTTP on the other; for a client that speaks HTTP, a server of its own on loopback.

Requests and answers pass as they are, streams too, but for calls that must not run and results
that need a warning. Pages of a browser are turned away.
"""

import asyncio
import logging
import re
import sys
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import h11
import httpx2

from automode.core.errors import AutomodeError
from automode.core.recent import Recent
from automode.proxy.checkpoint import Checkpoint, Passage
from automode.proxy.messages import (
    LONGEST_FRAME,
    NO_REQUEST,
    Frame,
    encode,
    error,
    on_one_line,
    read_frame,
)
from automode.proxy.results import read_answer
from automode.proxy.stdio import CHUNK, LEAVING_SECONDS, ClientStreams
from automode.proxy.upstream import (
    OF_THE_CONNECTION,
    UNREADABLE,
    Header,
    Unreachable,
    Upstream,
    events,
    screen_event,
    streams,
    whole_body,
)

log = logging.getLogger(__name__)

LISTENING_PAUSE_SECONDS = 1.0
MOST_SESSIONS = 1000
_SESSION = "mcp-session-id"
_ACCEPT = (b"accept", b"application/json, text/event-stream")
_JSON = (b"content-type", b"application/json")
_READY = "notifications/initialized"
_FAILED = -32000
_LOOPBACK = re.compile(rb"(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_WITHOUT_MESSAGE = ("GET", "HEAD", "DELETE", "OPTIONS")


async def bridge(url: str, headers: Mapping[str, str], checkpoint: Checkpoint) -> int:
    """Lines on this side. Until the client ends."""
    async with Upstream.connect(url, headers) as upstream:
        await Bridge(upstream, checkpoint, ClientStreams()).run()
    return 0


@dataclass(slots=True)
class Bridge:
    upstream: Upstream
    checkpoint: Checkpoint
    client: ClientStreams
    _session: str = ""
    _version: str = ""
    _in_order: asyncio.Lock = field(default_factory=asyncio.Lock)
    _listening: asyncio.Task[None] | None = None

    async def run(self) -> None:
        await self.client.pass_frames(self.checkpoint, self._send)
        if self.client.passing:
            await asyncio.wait(self.client.passing, timeout=LEAVING_SECONDS)
        for task in (*self.client.passing, *([self._listening] if self._listening else [])):
            task.cancel()
        await self._leave()

    async def _send(self, passage: Passage) -> None:
        message = passage.frame
        try:
            # What tells the server something is there before the next request.
            async with self._in_order:
                if not message.ids:
                    await self._post(passage)
            if message.ids:
                await self._post(passage)
        except Unreachable as trouble:
            log.warning("%s", trouble)
            for one in message.ids:
                await self.client.write(encode(error(one, _FAILED, f"automode: {trouble}")))
        if message.method == _READY and self._listening is None:
            self._listening = asyncio.ensure_future(self._listen())

    async def _post(self, passage: Passage) -> None:
        body, headers = (passage.onward or b"").strip(), [*self._headers(passage.frame), _JSON]
        async with self.upstream.request("POST", "/", headers, body) as got:
            self._session = got.headers.get(_SESSION, self._session)
            if streams(got):
                await self._tell_events(got)
                return
            answer = (await whole_body(got)).strip()
            if got.status_code >= 400 and not answer.startswith((b"{", b"[")):
                raise Unreachable(f"the MCP server answers with status {got.status_code}")
            if answer and not await self._tell(answer) and passage.frame.ids:
                raise Unreachable(UNREADABLE)

    async def _listen(self) -> None:
        """What the server says without being asked. Not every server does."""
        while True:
            try:
                async with self.upstream.request("GET", "/", self._headers(Frame())) as got:
                    if got.status_code >= 400 or not streams(got):
                        return
                    await self._tell_events(got)
            except Unreachable as trouble:
                log.warning("%s", trouble)
            await asyncio.sleep(LISTENING_PAUSE_SECONDS)

    async def _tell_events(self, got: httpx2.Response) -> None:
        async for event in events(got):
            if event.payload.strip():
                await self._tell(event.payload)

    async def _tell(self, frame: bytes) -> bool:
        """Whether there was something to tell: what is no JSON is a page or a word, no message."""
        screened = await self.checkpoint.inward(frame)
        found = None if screened is None else read_answer(screened)
        if screened is None or found is None:
            return False
        self._version = self._version or found.version
        await self.client.write(on_one_line(screened))
        return True

    async def _leave(self) -> None:
        if not self._session:
            return
        try:
            async with asyncio.timeout(LEAVING_SECONDS):
                async with self.upstream.request("DELETE", "/", self._headers(Frame())):
                    pass
        except (Unreachable, TimeoutError) as trouble:
            log.warning("the server was not told that the session is over: %s", trouble)

    def _headers(self, message: Frame) -> list[Header]:
        named = {
            _SESSION: self._session,
            "mcp-protocol-version": message.version or self._version,
            "mcp-method": message.method,
            "mcp-name": message.name,
        }
        plain = [(name.encode(), text.encode("ascii")) for name, text in named.items() if text]
        return [_ACCEPT, *plain]


async def serve(url: str, place: tuple[str, int], checkpoint: Callable[[], Checkpoint]) -> int:
    """HTTP on this side. Until the process is ended. No header is added: every account of the
    machine can connect here, and must not sign in with somebody else's key. Raises Unreachable
    where the port cannot be had."""
    async with Upstream.connect(url, {}) as upstream:
        front = Front(upstream, checkpoint)
        try:
            server = await asyncio.start_server(front.connect, *place)
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
class Request:
    method: str
    target: str
    headers: tuple[Header, ...]
    body: bytes

    def header(self, name: str) -> bytes:
        wanted = name.encode()
        return next((value for found, value in self.headers if found.lower() == wanted), b"")


class _TurnedAway(AutomodeError):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Front:
    upstream: Upstream
    checkpoint: Callable[[], Checkpoint]
    _sessions: Recent[bytes, Checkpoint] = field(default_factory=lambda: Recent(MOST_SESSIONS))
    _nameless: str = ""

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Connection(reader, writer, h11.Connection(h11.SERVER))
        try:
            while (request := await client.request()) is not None:
                if not await client.while_connected(self._answer(request, client)):
                    return
                if not client.again():
                    return
        except (h11.ProtocolError, OSError):
            pass
        finally:
            writer.close()

    async def _answer(self, request: Request, client: "Connection") -> None:
        try:
            _check(request)
            checkpoint = self._session(request)
            passage = await _decide(request, checkpoint)
            if passage.onward is None:
                status = 202 if passage.answer is None else 200
                await client.respond(status, [_JSON], passage.answer or b"")
            else:
                await self._hand_on(request, client, checkpoint)
        except (_TurnedAway, Unreachable) as trouble:
            if isinstance(trouble, Unreachable):
                log.warning("%s", trouble)
                if client.begun:
                    raise ConnectionAbortedError from trouble
            status = trouble.status if isinstance(trouble, _TurnedAway) else 502
            answer = encode(error(None, NO_REQUEST, f"automode: {trouble}"))
            await client.respond(status, [_JSON], answer)

    async def _hand_on(
        self, request: Request, client: "Connection", checkpoint: Checkpoint
    ) -> None:
        target, headers = request.target, request.headers
        async with self.upstream.request(request.method, target, headers, request.body) as got:
            plain = [one for one in got.headers.raw if one[0].lower() not in OF_THE_CONNECTION]
            if streams(got):
                await client.begin(got.status_code, plain)
                async for event in events(got):
                    await client.send(await screen_event(event, checkpoint, self.upstream.url))
                await client.end()
                return
            body = await checkpoint.inward(await whole_body(got))
            if body is None and got.status_code < 400:
                raise Unreachable(UNREADABLE)
            plain = [one for one in plain if one[0].lower() != b"content-length"]
            await client.respond(got.status_code, plain, body or b"")

    def _session(self, request: Request) -> Checkpoint:
        """Without a session's name nobody knows whose ids these are, so each request stands alone;
        the daemon takes them for one session all the same."""
        name = request.header(_SESSION)
        if not name:
            alone = self.checkpoint()
            self._nameless = self._nameless or alone.session
            alone.session = self._nameless
            return alone
        checkpoint = self._sessions.get(name) or self.checkpoint()
        self._sessions[name] = checkpoint
        return checkpoint


async def _decide(request: Request, checkpoint: Checkpoint) -> Passage:
    if request.method == "POST":
        return await checkpoint.outward(request.body)
    if request.method not in _WITHOUT_MESSAGE:
        raise _TurnedAway(405, "MCP knows no such method")
    if request.body:
        raise _TurnedAway(400, "only POST brings a message")
    return Passage(onward=b"")


def _check(request: Request) -> None:
    if request.header("origin") or not _LOOPBACK.fullmatch(request.header("host")):
        raise _TurnedAway(403, "only programs on this machine are served here")
    if request.header("content-encoding").lower() not in (b"", b"identity"):
        raise _TurnedAway(415, "a message must not be packed")
    named = request.header("mcp-method").decode("latin-1")
    if named and request.method == "POST" and named != read_frame(request.body).method:
        raise _TurnedAway(400, "the header `mcp-method` and the message do not agree")


@dataclass(slots=True)
class Connection:
    """One connection of a client."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    http: h11.Connection
    begun: bool = False

    async def request(self) -> Request | None:
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
                    return Request(head.method.decode(), target, headers, bytes(body))
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
        await self._write(h11.Response(status_code=status, headers=list(headers)))

    async def send(self, data: bytes) -> None:
        await self._write(h11.Data(data=data))

    async def end(self) -> None:
        await self._write(h11.EndOfMessage())

    async def respond(self, status: int, headers: Iterable[Header], body: bytes) -> None:
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

    async def _write(self, event: h11.Event) -> None:
        self.writer.write(self.http.send(event) or b"")
        await self.writer.drain()
