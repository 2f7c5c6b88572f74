"""Server-sent events: cut out of a stream, and given back to the byte unless one has to change."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from automode.proxy.lines import TooLong
from automode.proxy.messages import LONGEST_FRAME

_ENDPOINT = b"endpoint"
# Some readers see the end of a line here, and with it lines in what is a comment for us. The last
# one is a byte order mark, which counts at the start of a stream only.
_DISPUTED = re.compile(rb"[\x0b\x0c\x1c\x1d\x1e]|\xc2\x85|\xe2\x80\xa8|\xe2\x80\xa9|\xef\xbb\xbf")


@dataclass(frozen=True, slots=True)
class Event:
    """`raw` is the event with everything that stood between it and the one before."""

    raw: bytes
    kind: bytes
    payload: bytes

    @property
    def names_an_endpoint(self) -> bool:
        """In the older transport the server says so where the client is to send its messages."""
        return self.kind == _ENDPOINT

    @property
    def plain(self) -> bool:
        """Whether every client finds the same lines in it."""
        return _DISPUTED.search(self.raw) is None

    def carrying(self, payload: bytes) -> bytes:
        """The same event with another payload, which is on one line."""
        kept = [
            line
            for line in _split(self.raw)
            if line and _field(line)[0] != b"data" and _DISPUTED.search(line) is None
        ]
        return b"\n".join([*kept, b"data: " + payload, b"", b""])


@dataclass(slots=True)
class Events:
    """Bytes in, whole events out."""

    longest: int = LONGEST_FRAME
    _waiting: bytearray = field(default_factory=bytearray)
    _from: int = 0

    def feed(self, data: bytes) -> Iterator[Event]:
        """Raises TooLong for an event over the limit."""
        self._waiting += data
        while (end := self._end()) is not None:
            raw = bytes(self._waiting[:end])
            del self._waiting[:end]
            self._from = 0
            yield _event(raw)
        if len(self._waiting) > self.longest:
            raise TooLong(f"an event of more than {self.longest} bytes")

    def ended(self) -> Iterator[Event]:
        """What waits for a `\\n` that never came. Parts of events clients throw away."""
        if self._waiting.endswith((b"\r\r", b"\n\r")):
            yield _event(bytes(self._waiting))

    def _end(self) -> int | None:
        """Behind the first empty line. Lines end with `\\n`, `\\r\\n` or `\\r`."""
        found = [
            at + len(mark)
            for mark in (b"\n\n", b"\r\r", b"\n\r")
            if (at := self._waiting.find(mark, self._from)) >= 0
        ]
        # An end may lie on the border between two chunks.
        self._from = max(0, len(self._waiting) - 4)
        if not found:
            return None
        end = min(found)
        if self._waiting[end - 1 : end] == b"\r":
            # A `\n` that belongs to it may not have come yet.
            if len(self._waiting) == end:
                self._from = max(0, end - 4)
                return None
            end += self._waiting[end : end + 1] == b"\n"
        return end


def _event(raw: bytes) -> Event:
    kind, data = b"", []
    for line in _split(raw):
        name, value = _field(line)
        if name == b"data":
            data.append(value)
        elif name == b"event":
            kind = value
    return Event(raw, kind, b"\n".join(data))


def _split(raw: bytes) -> list[bytes]:
    plain = raw.removeprefix(b"\xef\xbb\xbf")
    return plain.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name, value.removeprefix(b" ")
