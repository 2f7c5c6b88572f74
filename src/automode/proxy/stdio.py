"""The proxy for a server that is a program: the client talks to us as it would talk to it."""

import asyncio
import logging
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from automode.core.errors import AutomodeError
from automode.proxy.checkpoint import Checkpoint
from automode.proxy.lines import CHUNK, StandardInput, StandardOutput, frames
from automode.proxy.messages import on_one_line
from automode.proxy.passing import let_pass

log = logging.getLogger(__name__)

LEAVING_SECONDS = 5.0
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class NoServer(AutomodeError):
    pass


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
        loop.add_signal_handler(number, _end, server)
    return await Relay(server, checkpoint, StandardInput(), StandardOutput()).run()


@dataclass(slots=True)
class Relay:
    server: Process
    checkpoint: Checkpoint
    client_in: StandardInput
    client_out: StandardOutput
    _passing: set[asyncio.Task[None]] = field(default_factory=set)
    _server_in: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self) -> int:
        outward = asyncio.ensure_future(self._outward())
        inward = asyncio.ensure_future(self._inward())
        try:
            await asyncio.wait({outward, inward}, return_when=asyncio.FIRST_COMPLETED)
            if not inward.done():
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(inward), LEAVING_SECONDS)
        finally:
            for task in (outward, inward, *self._passing):
                task.cancel()
            status = await _ended(self.server)
        for task in (outward, inward):
            if task.done() and not task.cancelled() and (trouble := task.exception()):
                raise trouble
        if (last := self.checkpoint.broken_off()) is not None:
            with suppress(OSError):
                await self.client_out.write(last)
        return status

    async def _outward(self) -> None:
        """Calls are decided beside the stream: a ping need not wait for a model's judgement."""
        await let_pass(self.client_in, self.client_out, self._passed, self._passing)
        while self._passing:
            await asyncio.wait(self._passing)
        if self.server.stdin is not None:
            self.server.stdin.close()

    async def _passed(self, frame: bytes) -> None:
        passage = await self.checkpoint.outward(frame)
        if passage.answer is not None:
            await self.client_out.write(passage.answer)
        if passage.onward is not None and self.server.stdin is not None:
            async with self._server_in:
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
            if (told := await self.checkpoint.inward(frame)) is not None:
                await self.client_out.write(told)


def _end(server: Process) -> None:
    with suppress(ProcessLookupError):
        server.terminate()


async def _ended(server: Process) -> int:
    """Asked to leave, then told to, then made to."""
    for number in (0, signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, TimeoutError):
            if number:
                server.send_signal(number)
            return await asyncio.wait_for(server.wait(), LEAVING_SECONDS)
    return await server.wait()
