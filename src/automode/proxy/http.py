"""The proxy for a server behind an address: lines on the client's side, streamable HTTP on the
other. Never redirected: the client named this address and no other.
"""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2

from automode.core.errors import AutomodeError
from automode.proxy.checkpoint import Checkpoint, Passage
from automode.proxy.messages import LONGEST_FRAME, Frame, encode, error, on_one_line
from automode.proxy.results import read_answer
from automode.proxy.stdio import LEAVING_SECONDS, ClientStreams

log = logging.getLogger(__name__)

CONNECTING_SECONDS = 30.0
LISTENING_PAUSE_SECONDS = 1.0
EVENTS = "text/event-stream"
_SESSION = "mcp-session-id"
_READY = "notifications/initialized"
_FAILED = -32000
_LINE_END = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Unreachable(AutomodeError):
    """The server cannot be asked, or its answer cannot be read."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """The server: requests to it, and its answers. `headers` are set in every request."""

    url: str
    client: httpx2.AsyncClient
    headers: Mapping[str, str]

    @classmethod
    @asynccontextmanager
    async def connect(cls, url: str, headers: Mapping[str, str]) -> AsyncIterator["Upstream"]:
        timeout = httpx2.Timeout(None, connect=CONNECTING_SECONDS)
        async with httpx2.AsyncClient(follow_redirects=False, timeout=timeout) as client:
            yield cls(url, client, headers)

    @asynccontextmanager
    async def request(
        self, method: str, headers: Mapping[str, str], body: bytes = b""
    ) -> AsyncIterator[httpx2.Response]:
        """Raises Unreachable."""
        # What is packed cannot be screened.
        sent = {**headers, **self.headers, "accept-encoding": "identity"}
        try:
            request = self.client.build_request(
                method, self.url, headers=sent, content=body or None
            )
            got = await self.client.send(request, stream=True)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as trouble:
            why = type(trouble).__name__
            raise Unreachable(f"the MCP server cannot be asked ({why})") from None
        try:
            if got.is_redirect:
                where = "the MCP server sends its clients elsewhere"
                raise Unreachable(where, "name that address instead")
            if got.headers.get("content-encoding", "identity") != "identity":
                raise Unreachable(
                    "the MCP server compresses its answers, though it was not asked to"
                )
            yield got
        finally:
            await got.aclose()


def streams(got: httpx2.Response) -> bool:
    kind: str = got.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower() == EVENTS


async def whole_body(got: httpx2.Response) -> bytes:
    """Raises Unreachable."""
    body = bytearray()
    async for chunk in _chunks(got):
        body += chunk
        if len(body) > LONGEST_FRAME:
            raise Unreachable(f"an answer of more than {LONGEST_FRAME} bytes")
    return bytes(body)


async def events(got: httpx2.Response) -> AsyncIterator[bytes]:
    """The data of each server-sent event. Raises Unreachable."""
    found = Events()
    async for chunk in _chunks(got):
        for payload in found.feed(chunk):
            yield payload
    for payload in found.feed(b"", last=True):
        yield payload


async def _chunks(got: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in got.aiter_raw():
            yield chunk
    except (httpx2.HTTPError, OSError) as trouble:
        raise Unreachable(f"the MCP server broke off ({type(trouble).__name__})") from None


@dataclass(slots=True)
class Events:
    """Bytes in, the data of whole events out; half an event at the end is dropped. Lines end with
    `\\n`, `\\r\\n` or `\\r`."""

    longest: int = LONGEST_FRAME
    _line: list[bytes] = field(default_factory=list)
    _data: list[bytes] = field(default_factory=list)
    _held: bytes = b""
    _size: int = 0
    _begun: bool = False

    def feed(self, data: bytes, *, last: bool = False) -> Iterator[bytes]:
        """Raises Unreachable for an event over the limit."""
        data = self._held + data
        # The `\\n` that belongs to a `\\r` may not have come yet.
        self._held = b"\r" if data.endswith(b"\r") and not last else b""
        self._size += len(data)
        first, *rest = _LINE_END.split(data.removesuffix(self._held))
        self._line.append(first)
        for part in rest:
            line = b"".join(self._line)
            self._line = [part]
            if not self._begun:
                line, self._begun = line.removeprefix(_BYTE_ORDER_MARK), True
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            elif not line and self._data:
                yield b"\n".join(self._data)
                self._data, self._size = [], len(data)
        if self._size > self.longest:
            raise Unreachable(f"an event of more than {self.longest} bytes")


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
        headers = {**self._headers(passage.frame), "content-type": "application/json"}
        async with self.upstream.request("POST", headers, (passage.onward or b"").strip()) as got:
            self._session = got.headers.get(_SESSION, self._session)
            if streams(got):
                await self._tell_events(got)
                return
            answer = (await whole_body(got)).strip()
            if got.status_code >= 400 and not answer.startswith((b"{", b"[")):
                raise Unreachable(f"the MCP server answers with status {got.status_code}")
            if answer and not await self._tell(answer) and passage.frame.ids:
                raise Unreachable("the MCP server's answer could be read in different ways")

    async def _listen(self) -> None:
        """What the server says without being asked. Not every server does."""
        while True:
            try:
                async with self.upstream.request("GET", self._headers(Frame())) as got:
                    if got.status_code >= 400 or not streams(got):
                        return
                    await self._tell_events(got)
            except Unreachable as trouble:
                log.warning("%s", trouble)
            await asyncio.sleep(LISTENING_PAUSE_SECONDS)

    async def _tell_events(self, got: httpx2.Response) -> None:
        async for payload in events(got):
            if payload.strip():
                await self._tell(payload)

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
                async with self.upstream.request("DELETE", self._headers(Frame())):
                    pass
        except (Unreachable, TimeoutError) as trouble:
            log.warning("the server was not told that the session is over: %s", trouble)

    def _headers(self, message: Frame) -> dict[str, str]:
        named = {
            "accept": f"application/json, {EVENTS}",
            _SESSION: self._session,
            "mcp-protocol-version": message.version or self._version,
            "mcp-method": message.method,
            "mcp-name": message.name,
        }
        return {name: text for name, text in named.items() if text}
