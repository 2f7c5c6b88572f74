"""The MCP server behind an address: requests to it, and its answers with what they need in front.

Never redirected: a client that follows would go past the gate.
"""

import logging
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit, urlunsplit

import httpx2

from automode.core.errors import AutomodeError
from automode.proxy.checkpoint import Checkpoint
from automode.proxy.events import Event, Events
from automode.proxy.lines import TooLong
from automode.proxy.messages import LONGEST_FRAME, on_one_line
from automode.proxy.results import answered

log = logging.getLogger(__name__)

Header: TypeAlias = tuple[bytes, bytes]

CONNECTING_SECONDS = 30.0
EVENTS = "text/event-stream"
OF_THE_CONNECTION = frozenset(
    b"connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer"
    b" transfer-encoding upgrade expect".split()
)
_NOT_HANDED_ON = OF_THE_CONNECTION | {b"host", b"content-length", b"accept-encoding"}


UNREADABLE = "the MCP server answers with what not every client reads alike"


class Unreachable(AutomodeError):
    """The server cannot be asked, or answers in a way that nobody can look at."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """`headers` are set in every request, whatever the client says."""

    url: str
    client: httpx2.AsyncClient
    headers: Mapping[str, str]

    @classmethod
    @asynccontextmanager
    async def opened(cls, url: str, headers: Mapping[str, str]) -> AsyncIterator["Upstream"]:
        timeout = httpx2.Timeout(None, connect=CONNECTING_SECONDS)
        async with httpx2.AsyncClient(follow_redirects=False, timeout=timeout) as client:
            yield cls(url, client, headers)

    def address(self, target: str) -> str:
        """Where a request for `target` of ours goes: the server itself for `/`, else the same path
        beside it."""
        path, _, query = target.partition("?")
        parts = urlsplit(self.url)
        wanted = parts.path if path in ("", "/") else path
        return urlunsplit((parts.scheme, parts.netloc, wanted, query or parts.query, ""))

    @asynccontextmanager
    async def asked(
        self, method: str, target: str, headers: Iterable[Header], body: bytes = b""
    ) -> AsyncIterator[httpx2.Response]:
        """Raises Unreachable."""
        own = {name.encode() for name in self.headers}
        handed = [one for one in headers if one[0].lower() not in _NOT_HANDED_ON | own]
        handed += [(name.encode(), value.encode()) for name, value in self.headers.items()]
        handed.append((b"accept-encoding", b"identity"))  # what is packed cannot be screened
        request = self.client.build_request(
            method, self.address(target), headers=handed, content=body or None
        )
        try:
            got = await self.client.send(request, stream=True)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise Unreachable(f"the MCP server cannot be asked ({type(error).__name__})") from None
        try:
            _check(got)
            yield got
        finally:
            await got.aclose()


def streams(got: httpx2.Response) -> bool:
    """Whether these are events. Raises Unreachable where clients differ about that: some look for
    the word anywhere in the header."""
    kind = got.headers.get("content-type", "").lower()
    if EVENTS not in kind:
        return False
    if kind.partition(";")[0].strip() != EVENTS or "json" in kind:
        raise Unreachable(f"the MCP server calls its answer two things at once: `{kind}`")
    return True


async def whole(got: httpx2.Response) -> bytes:
    """Raises Unreachable."""
    body = bytearray()
    async for chunk in _chunks(got):
        body += chunk
        if len(body) > LONGEST_FRAME:
            raise Unreachable(f"an answer of more than {LONGEST_FRAME} bytes")
    return bytes(body)


async def events(got: httpx2.Response) -> AsyncIterator[Event]:
    """Raises Unreachable."""
    found = Events()
    async for chunk in _chunks(got):
        try:
            for event in found.feed(chunk):
                yield event
        except TooLong as error:
            raise Unreachable(str(error)) from None
    for event in found.ended():
        yield event


async def screened(event: Event, checkpoint: Checkpoint, address: str) -> bytes:
    """The event as the client may have it; empty where it may not have it. Raises Unreachable for
    one that leads past the gate."""
    if event.names_an_endpoint:
        if not event.plain:
            raise Unreachable(UNREADABLE)
        return event.carrying(_beside(event.payload, address))
    payload = await checkpoint.inward(event.payload)
    if payload is None or not (event.plain or answered(payload)):
        return b""
    if event.plain and payload == event.payload:
        return event.raw
    return event.carrying(on_one_line(payload))


async def _chunks(got: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in got.aiter_raw():
            yield chunk
    except (httpx2.HTTPError, OSError) as error:
        raise Unreachable(f"the MCP server broke off ({type(error).__name__})") from None


def _check(got: httpx2.Response) -> None:
    if got.is_redirect:
        raise Unreachable("the MCP server sends its clients elsewhere", "name that address instead")
    if got.headers.get("content-encoding", "identity") != "identity":
        raise Unreachable("the MCP server packs its answers, which nobody asked for")


def _beside(endpoint: bytes, address: str) -> bytes:
    told, own = urlsplit(endpoint.decode("utf-8", "replace")), urlsplit(address)
    if told.netloc and (told.scheme or own.scheme, told.netloc) != (own.scheme, own.netloc):
        raise Unreachable("the MCP server sends its clients elsewhere", "name that address instead")
    return urlunsplit(("", "", told.path, told.query, "")).encode()
