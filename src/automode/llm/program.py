"""Asks a program one question: one process for each, and one more that waits for the next.

A process gets an empty folder whose name marks it: calls that come from there are refused, so that
the judge can never ask itself.
"""

import asyncio
import os
import shutil
import signal
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass

from automode.core.workspace import JUDGE_FOLDER

LARGEST_OUTPUT = 4 * 1024 * 1024
ENDING_SECONDS = 2.0
IDLE_SECONDS = 600.0
"""A process that waited so long is ended."""


@dataclass(frozen=True, slots=True)
class Start:
    """How a program is started. Equal `key`s: a process that waits may serve."""

    key: tuple[object, ...]
    words: Callable[[str], tuple[str, ...]]  # of its folder
    prepare: Callable[[str], None]
    finish: Callable[[str], None]  # looks at what the program left there
    environment: Callable[[str], Mapping[str, str]]
    waits: bool


@dataclass(frozen=True, slots=True)
class Output:
    """`status` None: it had closed its output, and had not ended a while later."""

    stdout: bytes
    stderr: bytes
    cut: bool = False
    status: int | None = None


class _Running:
    """One process in its folder; it leads a group, so that all of it can be ended."""

    def __init__(self, process: Process, folder: str, finish: Callable[[str], None]) -> None:
        self.process = process
        self.folder = folder
        self.finish = finish

    @classmethod
    async def start(cls, start: Start, below: str | None) -> "_Running":
        folder = os.path.realpath(tempfile.mkdtemp(prefix=JUDGE_FOLDER, dir=below))
        try:
            start.prepare(folder)
            process = await asyncio.create_subprocess_exec(
                *start.words(folder),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=folder,
                env=dict(start.environment(folder)),
                start_new_session=True,
            )
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return cls(process, folder, start.finish)

    async def ask(self, question: bytes) -> Output:
        process = self.process
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise OSError("no pipes")
        errors = asyncio.create_task(_read(process.stderr))
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # what it printed tells why
                process.stdin.write(question)
                await process.stdin.drain()
                process.stdin.close()
            said, cut = await _read(process.stdout)
            status = None if cut else await self._wait_for_end()
            self.end_group()
            return Output(said, (await errors)[0], cut, status)
        finally:
            errors.cancel()
            await asyncio.wait([errors])

    async def _wait_for_end(self) -> int | None:
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING_SECONDS):
                await self.process.wait()
        # What it started may hold its pipes open, for which `wait` would wait.
        return self.process.returncode

    def end_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    async def end(self) -> None:
        self.end_group()
        if self.process.stdin is not None:
            self.process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING_SECONDS):
                # Waiting alone would block on pipes that are no longer read.
                for stream in (self.process.stdout, self.process.stderr):
                    while stream is not None and await stream.read(65536):
                        pass
                await self.process.wait()
        with suppress(OSError):
            self.finish(self.folder)
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


class Programs:
    """With `kept`, a process is started early for the next question of the same kind. Whoever made
    it has to close it, in the same event loop. `below` is a folder that agents may not write to;
    what an earlier process left there is removed."""

    def __init__(self, *, kept: bool, below: str | None = None) -> None:
        self._kept = kept
        self._below = below
        self._swept = below is None
        self._spare: tuple[tuple[object, ...], _Running] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def ask(self, start: Start, question: bytes, seconds: float) -> Output:
        """Raises TimeoutError, OSError. Whatever happens, the process has ended afterwards."""
        running: _Running | None = None
        try:
            async with asyncio.timeout(seconds):
                self._sweep()
                running = self._take(start) or await _Running.start(start, self._below)
                return await running.ask(question)
        finally:
            if running is not None:
                await asyncio.shield(self._later(running.end()))
            if self._kept and start.waits:
                self._later(self._prepare(start))

    async def close(self) -> None:
        self._kept = False
        if self._timer is not None:
            self._timer.cancel()
        self._later(self._end_spare())
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _sweep(self) -> None:
        if self._swept or self._below is None:
            return
        self._swept = True
        os.makedirs(self._below, mode=0o700, exist_ok=True)
        for name in os.listdir(self._below):
            if name.startswith(JUDGE_FOLDER):
                shutil.rmtree(os.path.join(self._below, name), ignore_errors=True)

    def _take(self, start: Start) -> _Running | None:
        if self._spare is None or self._spare[0] != start.key:
            return None
        running, self._spare = self._spare[1], None
        if running.process.returncode is None:
            return running
        self._later(running.end())
        return None

    async def _prepare(self, start: Start) -> None:
        if self._spare is not None and self._spare[0] == start.key:
            return
        await self._end_spare()
        try:
            running = await _Running.start(start, self._below)
        except OSError:  # the next question says so
            return
        if not self._kept or self._spare is not None:
            await running.end()
            return
        self._spare = (start.key, running)
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(IDLE_SECONDS, lambda: self._later(self._end_spare()))

    async def _end_spare(self) -> None:
        spare, self._spare = self._spare, None
        if spare is not None:
            await spare[1].end()

    def _later(self, work: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _read(stream: asyncio.StreamReader) -> tuple[bytes, bool]:
    """What comes until the end, or until it is too much."""
    data = bytearray()
    while chunk := await stream.read(65536):
        data += chunk
        if len(data) > LARGEST_OUTPUT:
            return bytes(data[:LARGEST_OUTPUT]), True
    return bytes(data), False
