"""Frames that are lines: how they are cut out of what arrives, and how this process takes and
gives them.

Standard input is read by a thread: what it is, a pipe, a file or nothing, is the client's choice,
and event loops cannot wait for all of these.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from automode.core.errors import AutomodeError
from automode.proxy.messages import LONGEST_FRAME

CHUNK = 65_536
_WAITING_CHUNKS = 16


class TooLong(AutomodeError):
    """A frame that nobody can look at as a whole."""


@dataclass(slots=True)
class Lines:
    """Bytes in, whole lines out, each with its end."""

    longest: int = LONGEST_FRAME
    _parts: list[bytes] = field(default_factory=list)
    _size: int = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Raises TooLong for a line over the limit; nothing after it can be trusted."""
        while data:
            line, end, data = data.partition(b"\n")
            self._parts.append(line + end)
            self._size += len(line) + len(end)
            if self._size > self.longest:
                raise TooLong(f"a message of more than {self.longest} bytes", "send a smaller one")
            if end:
                yield self.rest()

    def rest(self) -> bytes:
        whole = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return whole


async def frames(read: Callable[[], Awaitable[bytes]]) -> AsyncIterator[bytes]:
    """Lines that are not empty, until `read` brings nothing; the last may have no end."""
    lines = Lines()
    while data := await read():
        for line in lines.feed(data):
            if line.strip():
                yield line
    if rest := lines.rest().strip():
        yield rest + b"\n"


class StandardInput:
    """Chunks of file descriptor 0, or of another one."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor: Final = descriptor
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._room = threading.Semaphore(_WAITING_CHUNKS)
        threading.Thread(target=self._take, daemon=True).start()

    async def read(self) -> bytes:
        """Empty at the end, and from then on."""
        chunk = await self._chunks.get()
        if not chunk:
            self._chunks.put_nowait(b"")
        self._room.release()
        return chunk

    def _take(self) -> None:
        chunk = b"?"
        while chunk:
            self._room.acquire()
            try:
                chunk = os.read(self._descriptor, CHUNK)
            except OSError:
                chunk = b""
            try:
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            except RuntimeError:  # the loop has ended: nobody takes anything any more
                return


class StandardOutput:
    """One frame after the other. A client that does not read holds up its own server only."""

    def __init__(self, descriptor: int = 1) -> None:
        self._descriptor: Final = descriptor
        self._turn = asyncio.Lock()

    async def write(self, frame: bytes) -> None:
        """Raises BrokenPipeError when the client is gone."""
        async with self._turn:
            await asyncio.to_thread(self._put, frame if frame.endswith(b"\n") else frame + b"\n")

    def _put(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._descriptor, data) :]
