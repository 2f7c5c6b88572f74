"""New records as they are written, for every page that follows them."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import count

from starlette.concurrency import run_in_threadpool

from automode.core.recent import Recent
from automode.store.changes import RecordQuery
from automode.store.database import StoreError
from automode.store.newcomers import MOST_AT_ONCE, Newcomers
from automode.store.open import SQLITE
from automode.store.tables import Stored, records
from automode.ui.window import Window

LOOK_SECONDS = 0.02
"""How often the files of SQLite are looked at while somebody follows: a look costs microseconds."""
LOOK_ANYWAY = 50  # rounds
SERVER_SECONDS = 0.5  # a database on a server is asked, so less often
MOST_BEHIND = 500  # records that wait for a slow page

State = tuple[object, ...]


@dataclass(slots=True)
class Follower:
    """Looks at the store while somebody follows, and hands what is new to everybody."""

    window: Window
    _queues: set[asyncio.Queue[Stored]] = field(default_factory=set)
    _task: asyncio.Task[None] | None = None
    _ready: asyncio.Event = field(default_factory=asyncio.Event)  # what was there before is known

    async def follow(self, after: int) -> AsyncIterator[Stored]:
        """Records with a number above `after`, the oldest first, and then each as it comes in."""
        queue: asyncio.Queue[Stored] = asyncio.Queue(MOST_BEHIND)
        try:
            if self._task is None:
                self._ready = asyncio.Event()
                self._task = asyncio.create_task(self._look_on(self._ready))
            self._queues.add(queue)
            await self._ready.wait()
            told: Recent[str, None] = Recent(2 * MOST_AT_ONCE)
            for one in await run_in_threadpool(self._above, after):
                told[one.id] = None
                yield one
            while True:
                new = await queue.get()
                if new.id not in told:
                    yield new
        finally:
            self._queues.discard(queue)
            if not self._queues and self._task is not None:
                self._task.cancel()
                self._task = None

    async def _look_on(self, ready: asyncio.Event) -> None:
        newcomers = Newcomers(self.window.state, self.window.store)
        await run_in_threadpool(newcomers.rows)
        ready.set()
        sqlite = self.window.store == SQLITE
        pause = LOOK_SECONDS if sqlite else SERVER_SECONDS
        before: State = ()
        for round_ in count():
            now = self._files() if sqlite else (round_,)
            # Two writes at nearly the same time may leave files that look the same.
            if now != before or round_ % LOOK_ANYWAY == 0:
                before = now
                for one in await run_in_threadpool(newcomers.rows):
                    self._hand_out(one)
            await asyncio.sleep(pause)

    def _hand_out(self, one: Stored) -> None:
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()  # who cannot keep up misses the oldest
            queue.put_nowait(one)

    def _files(self) -> State:
        """What changes with every write."""
        return tuple(map(_state, (self.window.state.database, f"{self.window.state.database}-wal")))

    def _above(self, after: int) -> list[Stored]:
        try:
            with self.window.reading() as db:
                found = records(db, RecordQuery(after=after, limit=MOST_AT_ONCE))
        except StoreError:
            return []  # the page says what ails the store when it is loaded
        return [one for one in reversed(found) if one.record is not None]


def _state(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
