"""The process that holds a model file, seen from outside: started when needed, one asked at a time.

A caller that has waited long enough leaves; the process reads on, and whoever asks next finds the
work done. One that is silent for too long is ended and started anew.
"""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from json import dumps, loads

from automode.llm.model import ModelError, ModelFault

IDLE_SECONDS = 900.0
HUNG_SECONDS = 180.0  # a cold start with a long prompt takes minutes on a busy machine
_LONGEST_LINE = 1 << 22


class Gone(Exception):
    """The process ended instead of answering."""


class UnknownFile(Exception):
    """The file is none of those that may be loaded."""

    def __init__(self, sha256: str) -> None:
        super().__init__(sha256)
        self.sha256 = sha256


def worker(path: str, trusted: Iterable[str]) -> tuple[str, ...]:
    """The command that loads the file at `path`, if its SHA-256 is one of `trusted`."""
    program = (sys.executable, "-I", "-m", "automode.llm.gguf.worker")
    return (*program, path, str(IDLE_SECONDS), *sorted(trusted))


class Child:
    """`sha256` is known once the file is loaded; `passed_controls` once it was tested."""

    def __init__(self, command: Sequence[str], *, hung_seconds: float = HUNG_SECONDS) -> None:
        self._command = tuple(command)
        self._hung_seconds = hung_seconds
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._running: asyncio.Task[Mapping[str, object]] | None = None
        self._asked = 0
        self.sha256 = ""
        self.passed_controls = False

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    async def ask(self, request: Mapping[str, object], seconds: float) -> Mapping[str, object]:
        """The answer. Raises ModelError, or UnknownFile."""
        try:
            async with asyncio.timeout(seconds), self._turn:
                if self._running is not None:
                    await asyncio.wait([self._running])  # what an impatient caller left behind
                self._running = asyncio.create_task(self._exchange(request))
                self._running.add_done_callback(_retrieve)
                return await asyncio.shield(self._running)
        except TimeoutError:
            raise ModelError(
                ModelFault.TIMEOUT,
                f"the local model did not answer within {seconds:g} s: it is being loaded or busy;"
                " try again, or raise `autoMode.classifierTimeoutMs`",
            ) from None

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])
        await self._end()

    async def _exchange(self, request: Mapping[str, object]) -> Mapping[str, object]:
        try:
            async with asyncio.timeout(self._hung_seconds):
                return await self._answer(request)
        except TimeoutError:
            await self._end()
            raise ModelError(
                ModelFault.TIMEOUT,
                "the local model did not answer in time and is started again",
            ) from None
        except (asyncio.CancelledError, ModelError, UnknownFile):
            await self._end()
            raise

    async def _answer(self, request: Mapping[str, object]) -> Mapping[str, object]:
        if self._process is not None:
            # It may have ended since, for want of work: that is no failure.
            with suppress(Gone):
                return await self._send(self._process, request)
            await self._end()
        try:
            return await self._send(await self._start(), request)
        except Gone:
            raise ModelError(
                ModelFault.SERVER, "the process of the local model died while it was asked"
            ) from None

    async def _start(self) -> Process:
        try:
            # It needs nothing of this environment, so no key of it gets there.
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                env={"PATH": os.defpath},
                limit=_LONGEST_LINE,
            )
        except OSError as error:
            raise ModelError(
                ModelFault.SERVER, f"the process of the local model did not start ({error})"
            ) from None
        match await _line(self._process):
            case {"ready": str(sha256)}:
                self.passed_controls = self.passed_controls and self.sha256 == sha256
                self.sha256 = sha256
                return self._process
            case {"unknown": str(sha256)}:
                raise UnknownFile(sha256)
            case {"failed": str(why)}:
                raise ModelError(
                    ModelFault.UNKNOWN_MODEL, f"the model file could not be loaded ({why})"
                )
            case _:
                raise _out_of_step()

    async def _send(self, process: Process, request: Mapping[str, object]) -> Mapping[str, object]:
        self._asked += 1
        if process.stdin is None:
            raise Gone
        try:
            process.stdin.write(dumps({**request, "id": self._asked}).encode() + b"\n")
            await process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise Gone from None
        answer = await _line(process)
        if answer.get("id") != self._asked:
            raise _out_of_step()
        return answer

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


async def _line(process: Process) -> Mapping[str, object]:
    if process.stdout is None:
        raise Gone
    try:
        line = await process.stdout.readline()
        if not line:
            raise Gone
        said = loads(line)
    except (ValueError, RecursionError):
        raise _out_of_step() from None
    if not isinstance(said, dict):
        raise _out_of_step()
    return said


def _out_of_step() -> ModelError:
    return ModelError(
        ModelFault.UNREADABLE, "the process of the local model sent an unreadable answer"
    )


def _retrieve(task: asyncio.Task[Mapping[str, object]]) -> None:
    """The caller may be gone; then its error is dropped."""
    if not task.cancelled():
        task.exception()


class Children:
    """One process for each command, `kept` for the next call; else one for each call."""

    def __init__(self, *, kept: bool) -> None:
        self._kept = kept
        self._of: dict[tuple[str, ...], Child] = {}

    @asynccontextmanager
    async def child(self, command: tuple[str, ...]) -> AsyncIterator[Child]:
        if self._kept:
            yield self._of.setdefault(command, Child(command))
            return
        child = Child(command)
        try:
            yield child
        finally:
            await child.close()

    async def close(self) -> None:
        for one in self._of.values():
            await one.close()
        self._of.clear()
