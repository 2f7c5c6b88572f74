"""The proxy for a server behind an address, for a client that starts programs: lines on this side,
streamable HTTP on the other."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx2

from automode.proxy.checkpoint import Checkpoint
from automode.proxy.lines import StandardInput, StandardOutput
from automode.proxy.messages import Opened, error, on_one_line, opened, written
from automode.proxy.passing import let_pass
from automode.proxy.results import answered, negotiated
from automode.proxy.upstream import (
    UNREADABLE,
    Header,
    Unreachable,
    Upstream,
    events,
    streams,
    whole,
)

log = logging.getLogger(__name__)

LEAVING_SECONDS = 5.0
LISTENING_PAUSE_SECONDS = 1.0
_SESSION = "mcp-session-id"
_ACCEPT = (b"accept", b"application/json, text/event-stream")
_READY = "notifications/initialized"
_NO_STREAM = 405
_FAILED = -32000


async def bridge(url: str, headers: Mapping[str, str], checkpoint: Checkpoint) -> int:
    """Until the client ends."""
    async with Upstream.opened(url, headers) as upstream:
        await Bridge(upstream, checkpoint, StandardInput(), StandardOutput()).run()
    return 0


@dataclass(slots=True)
class Bridge:
    upstream: Upstream
    checkpoint: Checkpoint
    client_in: StandardInput
    client_out: StandardOutput
    _session: str = ""
    _version: str = ""
    _passing: set[asyncio.Task[None]] = field(default_factory=set)
    _in_order: asyncio.Lock = field(default_factory=asyncio.Lock)
    _listening: asyncio.Task[None] | None = None

    async def run(self) -> None:
        await let_pass(self.client_in, self.client_out, self._passed, self._passing)
        if self._passing:
            await asyncio.wait(self._passing, timeout=LEAVING_SECONDS)
        for task in (*self._passing, *([self._listening] if self._listening else [])):
            task.cancel()
        await self._left()

    async def _passed(self, frame: bytes) -> None:
        passage = await self.checkpoint.outward(frame)
        if passage.answer is not None:
            await self.client_out.write(passage.answer)
        if passage.onward is None:
            return
        message = opened(passage.onward)
        try:
            if message.ids:
                async with self._in_order:
                    pass
                await self._sent(passage.onward, message)
            else:
                # What tells the server something is there before the next request.
                async with self._in_order:
                    await self._sent(passage.onward, message)
        except Unreachable as trouble:
            log.warning("%s", trouble)
            for one in message.ids:
                await self.client_out.write(written(error(one, _FAILED, f"automode: {trouble}")))
        if message.method == _READY and self._listening is None:
            self._listening = asyncio.ensure_future(self._listened())

    async def _sent(self, frame: bytes, message: Opened) -> None:
        headers = [*self._headers(message), (b"content-type", b"application/json")]
        async with self.upstream.asked("POST", "/", headers, frame.strip()) as got:
            self._session = got.headers.get(_SESSION, self._session)
            if streams(got):
                await self._streamed(got)
                return
            body = (await whole(got)).strip()
            if got.status_code >= 400 and not body.startswith((b"{", b"[")):
                raise Unreachable(f"the MCP server answers with status {got.status_code}")
            if body and not await self._told(body) and message.ids:
                raise Unreachable(UNREADABLE)

    async def _listened(self) -> None:
        """What the server says without being asked. Not every server does."""
        while True:
            try:
                async with self.upstream.asked("GET", "/", self._headers(Opened())) as got:
                    if got.status_code >= 400 or not streams(got):
                        return
                    await self._streamed(got)
            except Unreachable as trouble:
                log.warning("%s", trouble)
            await asyncio.sleep(LISTENING_PAUSE_SECONDS)

    async def _streamed(self, got: httpx2.Response) -> None:
        async for event in events(got):
            if event.payload.strip():
                await self._told(event.payload)

    async def _told(self, frame: bytes) -> bool:
        """Whether there was something to tell: what is no JSON is a page or a word, no message."""
        self._version = self._version or negotiated(frame)
        told = await self.checkpoint.inward(frame)
        if told is None or answered(told) is None:
            return False
        await self.client_out.write(on_one_line(told))
        return True

    async def _left(self) -> None:
        if not self._session:
            return
        try:
            async with asyncio.timeout(LEAVING_SECONDS):
                async with self.upstream.asked("DELETE", "/", self._headers(Opened())):
                    pass
        except (Unreachable, TimeoutError) as trouble:
            log.warning("the server was not told that the session is over: %s", trouble)

    def _headers(self, message: Opened) -> list[Header]:
        named = {
            _SESSION: self._session,
            "mcp-protocol-version": message.version or self._version,
            "mcp-method": message.method,
            "mcp-name": message.name if message.name.isascii() else "",
        }
        plain = [(name.encode(), text.encode("ascii")) for name, text in named.items() if text]
        return [_ACCEPT, *plain]
