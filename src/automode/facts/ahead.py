"""One run of shfmt for the scripts of several sessions, without holding the process.

Starting shfmt takes twenty times as long as its parsing. Scripts that wait at the same time are
handed to it one below the other, with a mark behind each. The marks cannot be guessed, and a
script's part counts only where shfmt found every mark as a statement of its own in the very place
where it was put: then the parser stood between two statements there, and what lies between two
marks is parsed as if it stood alone. Anything else, and each script is parsed alone later.

While nobody waits, one shfmt is kept started for whoever comes next. If it is gone by then, its
scripts are parsed alone as well.
"""

import asyncio
import json
import os
import secrets
import signal
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from automode.facts.parsers import REPLY_LIMIT_BYTES, ShfmtMissing, Started, spawn_shfmt
from automode.shell.from_shfmt import ShfmtConverter
from automode.shell.syntax import Node

BATCH_BYTES = 48_000  # below a pipe's buffer of 64 KiB, so that feeding never waits
BATCH_SCRIPTS = 24
BATCH_SECONDS = 0.5  # nobody else waits meanwhile, and a busy machine is no reason to ask
LONGEST_SCRIPT_BYTES = 4_000  # a longer one pays for its own process
MOST_RUNS = 2
SPARE_SECONDS = 0.02  # after the last run: a moment later the answer is on its way


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a script stands among the joined ones, and where the mark behind it does."""

    start: int
    end: int
    mark: int
    mark_end: int


def joined(sources: Iterable[bytes]) -> tuple[bytes, list[_Place]]:
    """The scripts one below the other, each with a mark behind it."""
    mark = b": automode-" + secrets.token_hex(16).encode()
    text = bytearray()
    places = []
    for source in sources:
        start = len(text)
        # No line more than it needs: an empty one would end a here-document that has no end.
        text += source if source.endswith(b"\n") else source + b"\n"
        places.append(_Place(start, start + len(source), len(text), len(text) + len(mark)))
        text += mark + b"\n"
    return bytes(text), places


def parted(reply: bytes, text: bytes, places: Sequence[_Place]) -> list[Node] | None:
    """Each script's own reading; None when the scripts cannot be told apart beyond doubt."""
    try:
        tree = json.loads(reply)
    except ValueError:
        return None
    statements = tree.get("Stmts") if isinstance(tree, dict) else None
    if not isinstance(statements, list):
        return None
    waiting = iter(statements)
    found: list[Node] = []
    for place in places:
        own: list[object] = []
        for statement in waiting:
            start, end = _span(statement)
            if (start, end) == (place.mark, place.mark_end):
                break
            if start < place.start or end > place.end:
                return None
            own.append(statement)
        else:
            return None
        found.append(ShfmtConverter(text).script({"Stmts": own}))
    return None if next(waiting, None) is not None else found


def _span(statement: object) -> tuple[int, int]:
    match statement:
        case {"Pos": {"Offset": int(start)}, "End": {"Offset": int(end)}}:
            return start, end
        case _:
            return -1, -1


@dataclass(slots=True)
class Batches:
    """Contract: `parsed` never raises. A script without a reading is to be parsed alone."""

    runs: int = 0
    _spare: Started | None = None
    _waiting: list[tuple[bytes, asyncio.Future[Node | None]]] = field(default_factory=list)
    _working: set[asyncio.Task[None]] = field(default_factory=set)

    async def parsed(self, sources: Sequence[bytes]) -> Mapping[bytes, Node]:
        """shfmt's reading of each source that could be had together with others."""
        loop = asyncio.get_running_loop()
        asked: dict[bytes, asyncio.Future[Node | None]] = {}
        for source in sources:
            if _fit(source):
                asked[source] = loop.create_future()
        self._waiting += asked.items()
        if self._waiting and len(self._working) < MOST_RUNS:
            task = loop.create_task(self._work())
            self._working.add(task)
            task.add_done_callback(self._worked)
        answers = {source: await future for source, future in asked.items()}
        return {source: node for source, node in answers.items() if node is not None}

    def _worked(self, task: asyncio.Task[None]) -> None:
        self._working.discard(task)
        if not self._working and self._spare is None:
            task.get_loop().call_later(SPARE_SECONDS, self._prepare)

    def _prepare(self) -> None:
        if not self._working and self._spare is None:
            with suppress(OSError, ShfmtMissing):
                self._spare = spawn_shfmt()

    async def _work(self) -> None:
        while self._waiting:
            batch = self._taken()
            nodes: Sequence[Node | None] = [None] * len(batch)
            try:
                nodes = await self._nodes([source for source, _ in batch])
            finally:
                for (_, future), node in zip(batch, nodes, strict=True):
                    if not future.done():
                        future.set_result(node)

    async def _nodes(self, sources: Sequence[bytes]) -> Sequence[Node | None]:
        together = await self._run(sources)
        if together is not None:
            return together
        if len(sources) == 1:
            return [None]
        # One of them is broken. The others must not wait for each other in the slow way.
        alone = [await self._run([source]) for source in sources]
        return [nodes[0] if nodes else None for nodes in alone]

    def _taken(self) -> list[tuple[bytes, asyncio.Future[Node | None]]]:
        size = count = 0
        for source, _ in self._waiting[:BATCH_SCRIPTS]:
            size += len(source) + 64
            if size > BATCH_BYTES:
                break
            count += 1
        batch = self._waiting[: count or 1]
        del self._waiting[: count or 1]
        return batch

    async def _run(self, sources: Sequence[bytes]) -> list[Node] | None:
        self.runs += 1
        text, places = joined(sources)
        started, self._spare = self._spare, None
        try:
            reply = await _asked(text, started or spawn_shfmt())
        except (OSError, ShfmtMissing):
            return None
        return parted(reply, text, places) if reply else None


def _fit(source: bytes) -> bool:
    """A backslash at the very end would join the mark's line to the script's."""
    return len(source) <= LONGEST_SCRIPT_BYTES and not source.endswith(b"\\")


async def _asked(text: bytes, started: Started) -> bytes:
    """What shfmt prints; empty when it rejects the text or takes too long."""
    process, feed, answer = started
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes] = loop.create_future()
    chunks: list[bytes] = []

    def more() -> None:
        try:
            chunk = os.read(answer, 1 << 20)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        chunks.append(chunk)
        if not done.done() and (not chunk or sum(map(len, chunks)) > REPLY_LIMIT_BYTES):
            done.set_result(b"" if chunk else b"".join(chunks))

    os.set_blocking(answer, False)
    loop.add_reader(answer, more)
    reply, status = b"", -1
    try:
        _feed(feed, text)
        async with asyncio.timeout(BATCH_SECONDS):
            reply = await done
    except TimeoutError:
        pass
    finally:
        loop.remove_reader(answer)
        os.close(answer)
        if not reply:
            _killed(process)
        _, status = os.waitpid(process, 0)
    return reply if status == 0 else b""


def _feed(feed: int, text: bytes) -> None:
    try:
        os.write(feed, text)
    except BrokenPipeError:
        pass
    finally:
        os.close(feed)


def _killed(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
