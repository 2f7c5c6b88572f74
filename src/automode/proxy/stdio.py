"""The proxy for a server that is a program: the client talks to us as it would talk to it. Frames
are lines.

Standard input is read by a thread: what it is, a pipe, a file or nothing, is the client's choice,
and event loops cannot wait for all of these.
"""

import asyncio
import os
import signal
import threading
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from automode.core.errors import AutomodeError
from automode.proxy.checkpoint import Checkpoint, Passage
from automode.proxy.messages import LONGEST_FRAME, NO_REQUEST, encode, error, on_one_line

CHUNK = 65_536
LEAVING_SECONDS = 5.0
_WAITING_CHUNKS = 16
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class TooLong(AutomodeError):
    """A frame that is too long to be read."""


class NoServer(AutomodeError):
    pass


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


class ClientStreams:
    """What the client says and hears: standard input and output, or other file descriptors. Each
    frame goes its way beside the stream: a ping need not wait for a model's judgement."""

    def __init__(self, source: int = 0, sink: int = 1) -> None:
        self._source = source
        self._sink = sink
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._free = threading.Semaphore(_WAITING_CHUNKS)
        self._turn = asyncio.Lock()
        self.passing: set[asyncio.Task[None]] = set()
        threading.Thread(target=self._read_all, daemon=True).start()

    async def pass_frames(
        self, checkpoint: Checkpoint, send: Callable[[Passage], Coroutine[object, object, None]]
    ) -> None:
        """Until the client says no more. `send` takes what goes on to the server. Whatever is under
        way then stands in `passing`."""

        async def pass_frame(frame: bytes) -> None:
            passage = await checkpoint.outward(frame)
            if passage.answer is not None:
                await self.write(passage.answer)
            if passage.onward is not None:
                await send(passage)

        try:
            async for frame in frames(self.read):
                task = asyncio.ensure_future(pass_frame(frame))
                self.passing.add(task)
                task.add_done_callback(self.passing.discard)
                await asyncio.sleep(0)  # in the order in which they came
        except TooLong as trouble:
            await self.write(encode(error(None, NO_REQUEST, f"automode: {trouble}")))

    async def read(self) -> bytes:
        """Empty at the end, and from then on."""
        chunk = await self._chunks.get()
        if not chunk:
            self._chunks.put_nowait(b"")
        self._free.release()
        return chunk

    def _read_all(self) -> None:
        chunk = b"?"
        while chunk:
            self._free.acquire()
            try:
                chunk = os.read(self._source, CHUNK)
            except OSError:
                chunk = b""
            try:
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            except RuntimeError:  # the loop has ended: nobody takes anything any more
                return

    async def write(self, frame: bytes) -> None:
        """One frame after the other: a client that does not read holds up its own server only.
        Raises BrokenPipeError when the client is gone."""
        async with self._turn:
            await asyncio.to_thread(self._write_all, frame.removesuffix(b"\n") + b"\n")

    def _write_all(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._sink, data) :]


async def relay(command: Sequence[str], checkpoint: Checkpoint) -> int:
    """Until either side ends; the exit status of the server. Raises NoServer."""
    try:
        server = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    except (OSError, ValueError) as trouble:
        why = getattr(trouble, "strerror", None) or type(trouble).__name__
        raise NoServer(
            f"the MCP server `{command[0]}` cannot be started: {why}", "see its own guide"
        ) from trouble
    loop = asyncio.get_running_loop()
    for number in _ENDING:
        loop.add_signal_handler(number, _terminate, server)
    return await Relay(server, checkpoint, ClientStreams()).run()


@dataclass(slots=True)
class Relay:
    server: Process
    checkpoint: Checkpoint
    client: ClientStreams
    _sending: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self) -> int:
        outward = asyncio.ensure_future(self._outward())
        inward = asyncio.ensure_future(self._inward())
        try:
            await asyncio.wait({outward, inward}, return_when=asyncio.FIRST_COMPLETED)
            if not inward.done():
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(inward), LEAVING_SECONDS)
        finally:
            for task in (outward, inward, *self.client.passing):
                task.cancel()
            status = await _end(self.server)
        for task in (outward, inward):
            if task.done() and not task.cancelled() and (trouble := task.exception()):
                raise trouble
        if (last := self.checkpoint.broken_off()) is not None:
            with suppress(OSError):
                await self.client.write(last)
        return status

    async def _outward(self) -> None:
        await self.client.pass_frames(self.checkpoint, self._send)
        while self.client.passing:
            await asyncio.wait(self.client.passing)
        if self.server.stdin is not None:
            self.server.stdin.close()

    async def _send(self, passage: Passage) -> None:
        if self.server.stdin is None or passage.onward is None:
            return
        async with self._sending:
            with suppress(ConnectionError):  # it is gone: `_inward` sees that, too
                self.server.stdin.write(on_one_line(passage.onward) + b"\n")
                await self.server.stdin.drain()

    async def _inward(self) -> None:
        stream = self.server.stdout
        if stream is None:
            return

        async def read() -> bytes:
            return await stream.read(CHUNK)

        async for frame in frames(read):
            if (screened := await self.checkpoint.inward(frame)) is not None:
                await self.client.write(screened)


def _terminate(server: Process) -> None:
    with suppress(ProcessLookupError):
        server.terminate()


async def _end(server: Process) -> int:
    """Waits, then asks it to leave, then ends it."""
    for number in (0, signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, TimeoutError):
            if number:
                server.send_signal(number)
            return await asyncio.wait_for(server.wait(), LEAVING_SECONDS)
    return await server.wait()
