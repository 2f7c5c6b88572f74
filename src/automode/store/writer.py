"""How a process writes: a thread, a connection, and a queue whose waiters share a commit."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Self, TypeVar

from automode.core.record import SessionKey
from automode.store.applying import consume
from automode.store.changes import Approval, Change, Kept
from automode.store.database import Database, StoreError
from automode.store.folder import StateFolder
from automode.store.open import SQLITE
from automode.store.outage import keep_in_outage
from automode.store.store_writer import StoreWriter

log = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE_SECONDS = 3.0  # that a decision waits for a disk or a server that does not answer
TENDING_SECONDS = 5.0  # between two looks for what an outage left, and for what others wrote
MOST_AT_ONCE = 1000  # groups of changes in one commit


@dataclass(slots=True, eq=False)
class _Waiter:
    changes: Sequence[Change]
    answer: "asyncio.Future[Kept]"
    until: float  # by the clock of the loop


class Writer:
    """Belongs to one event loop, the first that it is used in. `async with` opens the store at once
    and looks after it; without, it is opened when it is first used, and `close` ends it.

    Never raises for trouble with the database: it says whether the changes are written."""

    def __init__(
        self,
        folder: StateFolder,
        store: str = SQLITE,
        *,
        power_loss_safe: bool = False,
        tending_seconds: float = TENDING_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """`store` is the setting of that name: `sqlite` or a PostgreSQL URL. `power_loss_safe`
        waits for the disk with every commit."""
        self._keeper = StoreWriter(folder, store, power_loss_safe)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="automode-store")
        self._folder = folder
        self._tending_seconds = tending_seconds
        self._patience_seconds = patience_seconds
        self._timer: asyncio.TimerHandle | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._waiting: list[_Waiter] = []
        self._handed: list[list[_Waiter]] = []  # what the thread has not answered yet
        self._hanging = False
        self._closed = False
        self._own_loop: asyncio.AbstractEventLoop | None = None

    async def __aenter__(self) -> Self:
        """Opens the store. StoreError is no reason not to start."""
        await self._in_thread(self._keeper.open)
        self._timer = self._loop.call_later(self._tending_seconds, self._tend)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Writes what waits, and closes."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._hand_over()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience_seconds):
                await self._in_thread(self._keeper.close)
        self._thread.shutdown(wait=False)

    async def append(self, changes: Sequence[Change]) -> Kept:
        """Returns when the changes are kept, or are known not to be. All or nothing of them. Who
        is cancelled meanwhile has them written all the same."""
        if self._hanging or self._closed:
            return self._lost(changes)
        until = self._loop.time() + self._patience_seconds
        waiter = _Waiter(changes, self._loop.create_future(), until)
        self._waiting.append(waiter)
        if not self._handed:
            self._hand_over()
        if self._watch is None:
            self._watch = self._loop.call_at(until, self._look_after)
        try:
            return await waiter.answer
        except TimeoutError:
            with suppress(ValueError):  # it is not among them when the thread has it
                self._waiting.remove(waiter)
            return self._lost(changes)

    async def consume(self, session: SessionKey, digest: str, now: float) -> Approval | None:
        """Takes a valid approval of exactly this call: one that counts once is used up, whoever
        else asks at the same time. None when there is none, or the database cannot say."""
        try:
            async with asyncio.timeout(self._patience_seconds):
                return await self.run(lambda db: consume(db, session, digest, now))
        except (StoreError, TimeoutError):
            return None

    async def run(self, work: Callable[[Database], T]) -> T:
        """Does `work` with the database in a transaction of its own: reads of a running daemon,
        `prune`, `purge`. It sees everything that was appended before, and what is appended waits
        for it: what takes long belongs into `store.open.reading`. Raises StoreError, or what `work`
        raises."""
        self._hand_over()
        return await self._in_thread(lambda: self._keeper.work(work))

    def late(self) -> int:
        """How often another process was found to have written."""
        return self._keeper.others

    def notices(self) -> tuple[str, ...]:
        """What a person should know, one sentence each; for `status`."""
        hanging = ("the store does not answer",) if self._hanging else ()
        return (*hanging, *self._keeper.notices())

    def _look_after(self) -> None:
        """One alarm for all who wait, set for whoever has waited longest: nearly always it finds
        that everybody was answered long ago."""
        self._watch = None
        patient = [one for one in chain(*self._handed, self._waiting) if not one.answer.done()]
        now = self._loop.time()
        for waiter in patient:
            if waiter.until > now:  # they stand in the order in which they came
                self._watch = self._loop.call_at(waiter.until, self._look_after)
                return
            # At once: the store may answer before who waits comes to its turn.
            self._hanging = True
            waiter.answer.set_exception(TimeoutError())

    def _hand_over(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            self._handed.append(batch)
            groups = [waiter.changes for waiter in batch]
            done = self._thread.submit(self._keeper.keep, groups)
            done.add_done_callback(partial(self._back_in_loop, partial(self._answer, batch)))

    def _answer(self, batch: list[_Waiter], done: "Future[list[Kept]]") -> None:
        self._handed.remove(batch)
        self._hanging = False
        for waiter, kept in zip(batch, _outcome(done, len(batch)), strict=True):
            if not waiter.answer.done():
                waiter.answer.set_result(kept)
        if not self._handed:
            self._hand_over()

    def _tend(self) -> None:
        done = self._thread.submit(self._keeper.tend)
        done.add_done_callback(partial(self._back_in_loop, self._tended))

    def _tended(self, done: "Future[None]") -> None:
        if (error := done.exception()) is not None:
            log.error("the store could not be looked after", exc_info=error)
        if not self._closed:
            self._timer = self._loop.call_later(self._tending_seconds, self._tend)

    def _back_in_loop(self, then: "Callable[[Future[T]], None]", done: "Future[T]") -> None:
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            self._loop.call_soon_threadsafe(then, done)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await self._loop.run_in_executor(self._thread, work)

    def _lost(self, changes: Sequence[Change]) -> Kept:
        why = "the store is closed" if self._closed else "the store does not answer"
        try:
            keep_in_outage(self._folder, changes)
        except (OSError, ValueError) as error:
            return Kept(f"{why}, and the outage file cannot be written: {error}")
        return Kept(why)

    @property
    def _loop(self) -> asyncio.AbstractEventLoop:
        if self._own_loop is None:
            self._own_loop = asyncio.get_running_loop()
        return self._own_loop


def _outcome(done: "Future[list[Kept]]", size: int) -> Sequence[Kept]:
    error = done.exception()
    if error is None:
        return done.result()
    log.error("changes could not be kept", exc_info=error)
    return [Kept(f"the writer failed: {error}")] * size
