"""The MCP server behind an address: requests to it, and its answers, whole or as a stream.

Never redirected: a client that follows would go past the gate.
"""

import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import urlsplit, urlunsplit

import httpx2

from automode.core.errors import AutomodeError
from automode.proxy.checkpoint import Checkpoint
from automode.proxy.messages import LONGEST_FRAME, on_one_line
from automode.proxy.results import read_answer

Header: TypeAlias = tuple[bytes, bytes]

CONNECTING_SECONDS = 30.0
EVENTS = "text/event-stream"
OF_THE_CONNECTION = frozenset(
    b"connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer"
    b" transfer-encoding upgrade expect".split()
)
UNREADABLE = "the MCP server answers with what not every client reads alike"
_NOT_HANDED_ON = OF_THE_CONNECTION | {b"host", b"content-length", b"accept-encoding"}
_ELSEWHERE = "the MCP server sends its clients elsewhere"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Some readers see the end of a line here, and with it lines in what is a comment for us. The last
# one is a byte order mark, which counts at the start of a stream only.
_DISPUTED = re.compile(rb"[\x0b\x0c\x1c\x1d\x1e]|\xc2\x85|\xe2\x80\xa8|\xe2\x80\xa9|\xef\xbb\xbf")


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
    async def connect(cls, url: str, headers: Mapping[str, str]) -> AsyncIterator["Upstream"]:
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
    async def request(
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
            if got.is_redirect:
                raise Unreachable(_ELSEWHERE, "name that address instead")
            if got.headers.get("content-encoding", "identity") != "identity":
                raise Unreachable("the MCP server packs its answers, which nobody asked for")
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


async def whole_body(got: httpx2.Response) -> bytes:
    """Raises Unreachable."""
    body = bytearray()
    async for chunk in _chunks(got):
        body += chunk
        if len(body) > LONGEST_FRAME:
            raise Unreachable(f"an answer of more than {LONGEST_FRAME} bytes")
    return bytes(body)


async def events(got: httpx2.Response) -> AsyncIterator["Event"]:
    """Raises Unreachable."""
    found = Events()
    async for chunk in _chunks(got):
        for event in found.feed(chunk):
            yield event
    for event in found.feed(b"", last=True):
        yield event


async def _chunks(got: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in got.aiter_raw():
            yield chunk
    except (httpx2.HTTPError, OSError) as error:
        raise Unreachable(f"the MCP server broke off ({type(error).__name__})") from None


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event. `head` are its other lines, those that every client reads alike."""

    head: bytes
    kind: bytes
    payload: bytes

    def with_payload(self, payload: bytes) -> bytes:
        """The event with this payload."""
        data = b"".join(b"data: " + line + b"\n" for line in payload.split(b"\n") if payload)
        return self.head + data + b"\n"


@dataclass(slots=True)
class Events:
    """Bytes in, whole events out. Lines end with `\\n`, `\\r\\n` or `\\r`."""

    longest: int = LONGEST_FRAME
    _line: list[bytes] = field(default_factory=list)
    _lines: list[bytes] = field(default_factory=list)
    _held: bytes = b""
    _size: int = 0
    _begun: bool = False

    def feed(self, data: bytes, *, last: bool = False) -> Iterator[Event]:
        """Raises Unreachable for an event over the limit. Clients throw away half an event."""
        data = self._held + data
        # The `\\n` that belongs to a `\\r` may not have come yet.
        self._held = b"\r" if data.endswith(b"\r") and not last else b""
        self._size += len(data)
        first, *rest = _LINE_END.split(data.removesuffix(self._held))
        self._line.append(first)
        for part in rest:
            line = b"".join(self._line)
            self._line = [part]
            if line:
                self._lines.append(line)
            elif self._lines:
                yield _event(self._lines, first=not self._begun)
                self._begun, self._size = True, len(data)
                self._lines = []
        if self._size > self.longest:
            raise Unreachable(f"an event of more than {self.longest} bytes")


def _event(lines: list[bytes], *, first: bool) -> Event:
    head, kind, data = b"", b"", []
    if first:
        lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
    for line in lines:
        name, _, value = line.partition(b":")
        if name == b"data":
            data.append(value.removeprefix(b" "))
        elif _DISPUTED.search(line) is None:
            head += line + b"\n"
            kind = value.removeprefix(b" ") if name == b"event" else kind
    return Event(head, kind, b"\n".join(data))


async def screen_event(event: Event, checkpoint: Checkpoint, address: str) -> bytes:
    """The event as the client may have it; empty where it may not have it. Raises Unreachable for
    one that leads past the gate."""
    if event.kind == b"endpoint":
        # In the older transport the server says so where the client is to send its messages.
        if _DISPUTED.search(event.payload):
            raise Unreachable(UNREADABLE)
        return event.with_payload(_beside(event.payload, address))
    payload = await checkpoint.inward(event.payload)
    if payload is None:
        return b""
    if read_answer(payload) is not None:
        payload = on_one_line(payload)
    elif _DISPUTED.search(payload):
        return b""
    return event.with_payload(payload) if event.head or payload else b""


def _beside(endpoint: bytes, address: str) -> bytes:
    named, own = urlsplit(endpoint.decode("utf-8", "replace")), urlsplit(address)
    if named.netloc and (named.scheme or own.scheme, named.netloc) != (own.scheme, own.netloc):
        raise Unreachable(_ELSEWHERE, "name that address instead")
    return urlunsplit(("", "", named.path, named.query, "")).encode()
