"""How a process writes: a connection that is replaced when it is broken, and a thread with a queue
whose waiters share a commit. While nothing can be written, decisions go to the outage file."""

import asyncio
import fcntl
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Self, TypeAlias, TypeVar

from automode.core.record import SessionKey
from automode.store.chain import Chain
from automode.store.changes import WRITTEN, Approved, Change, Kept
from automode.store.database import Database, Engine, ErrorKind, StoreError
from automode.store.folder import BadFolder, StateFolder
from automode.store.open import SQLITE, open_store
from automode.store.outage import import_outage, keep_in_outage
from automode.store.sqlite import set_aside
from automode.store.tables import apply, consume

log = logging.getLogger(__name__)

T = TypeVar("T")

RETRY_SECONDS = 2.0  # the pause after a failure of the database
LOCK_SECONDS = 3.0
MOST_NOTICES = 20
PATIENCE_SECONDS = 3.0  # that a decision waits for a disk or a server that does not answer
TENDING_SECONDS = 5.0  # between two looks for what an outage left, and for what others wrote
_STEP_SECONDS = 0.02
_PASSING = frozenset({ErrorKind.FULL, ErrorKind.LOCKED})  # the connection lives through these
_LOCK_CHAIN = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))"
_MOVED = "the database was moved or deleted while it was in use"


@dataclass(frozen=True, slots=True)
class _Connection:
    db: Database
    chain: Chain
    path: str
    file: os.stat_result | None  # as it was when it was opened; None on a server

    @property
    def stale(self) -> bool:
        """Whether the file in this place is another one by now: writes would go nowhere."""
        if self.file is None:
            return False
        try:
            return not os.path.samestat(os.stat(self.path), self.file)
        except OSError:
            return True

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One writer extends the chain at a time. SQLite has one writer anyway."""
        try:
            with self.db.transaction():
                if self.db.engine is Engine.POSTGRESQL:
                    self.db.rows(_LOCK_CHAIN, (f"automode.chain.{self.chain.id}",))
                yield
        except BaseException:
            self.chain.note_rollback()
            raise
        self.chain.note_commit()


@dataclass(slots=True)
class StoreWriter:
    """Writes changes; used by one thread at a time. `checkpoints`: whether this process moves the
    write-ahead log into the database. One does, the daemon: SQLite before 3.51.3 can damage a file
    when two do."""

    folder: StateFolder
    store: str = SQLITE
    power_loss_safe: bool = False
    retry_seconds: float = RETRY_SECONDS
    clock: Callable[[], float] = time.time
    checkpoints: bool = False
    others: int = 0  # how often another process was found to have written
    _connection: _Connection | None = None
    _error: StoreError | None = None
    _retry_at: float = 0.0
    _why: str = ""  # the next connection is not to the database that was left
    _lost: int = 0
    _past: list[str] = field(default_factory=list)

    def open(self) -> None:
        """Makes the store ready, or finds out why it cannot be."""
        with suppress(StoreError):
            self._attempt(lambda _db, _chain: None)

    def keep(self, groups: Sequence[Sequence[Change]]) -> list[Kept]:
        """Whether each group is written. They share a commit; a group is kept whole or not at
        all."""
        changes = [change for group in groups for change in group]
        try:
            self._apply(changes)
        except StoreError as error:
            if error.kind is not ErrorKind.REFUSED:
                self._keep_in_outage(changes)
                return [Kept(str(error))] * len(groups)
            if len(groups) == 1:
                return [Kept(f"{error}; it cannot be kept at all")]
            # One of them holds what no database takes; the others must not suffer for it.
            return [kept for group in groups for kept in self.keep([group])]
        return [WRITTEN] * len(groups)

    def work(self, task: Callable[[Database], T]) -> T:
        """Does `task` in a transaction. Raises StoreError, or what `task` raises."""

        def step(db: Database, chain: Chain) -> T:
            chain.look(db)
            return task(db)

        return self._attempt(step)

    def tend(self) -> None:
        """For idle time: imports the outage file, and looks whether other processes wrote."""
        with suppress(StoreError):
            self._attempt(lambda db, chain: chain.look(db))
            self._import()
            self.checkpoint()

    def checkpoint(self, *, truncate: bool = False) -> None:
        """Moves the log into the database; `truncate`: nothing deleted stays in it. Raises
        StoreError."""
        if self.checkpoints and self._connection is not None:
            self._connection.db.checkpoint(truncate=truncate)

    def notices(self) -> tuple[str, ...]:
        """What a person should know, one sentence each."""
        now = [] if self._error is None else [f"{self._error} ({self._error.hint})"]
        if os.path.lexists(self.folder.outage):
            now.append(f"decisions in `{self.folder.outage}` wait to be written")
        if self._lost:
            now.append(f"{self._lost} changes are lost: they could be kept nowhere")
        return (*now, *self._past)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.db.close()
            self._connection = None

    def _apply(self, changes: Sequence[Change]) -> None:
        self._attempt(lambda db, chain: apply(db, changes, chain))

    def _attempt(self, step: Callable[[Database, Chain], T]) -> T:
        if self._error is not None and time.monotonic() < self._retry_at:
            raise _copy(self._error)
        try:
            connection = self._ready()
            try:
                result = self._commit(connection, step)
            except StoreError as error:
                if not self._replaceable(error):
                    raise
                result = self._commit(self._replace(connection, error), step)
        except StoreError as error:
            self._note_error(error)
            raise
        self._error = None
        return result

    def _commit(self, connection: _Connection, step: Callable[[Database, Chain], T]) -> T:
        others = connection.chain.others
        with connection.transaction():
            result = step(connection.db, connection.chain)
        self.others += connection.chain.others - others
        return result

    def _replaceable(self, error: StoreError) -> bool:
        return error.kind is ErrorKind.CORRUPT and self.store == SQLITE

    def _ready(self) -> _Connection:
        if self._connection is not None and self._connection.stale:
            self.close()
            self._why = _MOVED
        if self._connection is not None:
            return self._connection
        with _folder_errors():
            self.folder.prepared()
        with self._alone():
            try:
                self._connection = self._connect(self._why)
            except StoreError as error:
                if not self._replaceable(error):
                    raise
                self._connection = self._begin_anew(error)
        self._why = ""
        self._import()
        return self._connection

    def _replace(self, broken: _Connection, error: StoreError) -> _Connection:
        """Another database in the place of one that turned out to be broken."""
        self.close()
        with self._alone():
            # Another process may have been quicker.
            self._connection = self._connect() if broken.stale else self._begin_anew(error)
        return self._connection

    def _begin_anew(self, error: StoreError) -> _Connection:
        name = set_aside(self.folder.database, f"corrupt-{self._stamp()}")
        return self._connect(f"{error}; it was kept as `{name}`, and a new one begun")

    def _connect(self, why: str = "") -> _Connection:
        """Opens the store. If it is not the database that was left, by `why` or the head file, the
        chain says so for good. Raises StoreError."""
        with _folder_errors():
            chain = Chain.of(self.folder)
        path = self.folder.database
        if self.store == SQLITE and not os.path.lexists(path):
            # The log of a file that is gone would be read as a part of the new one.
            set_aside(path, f"gone-{self._stamp()}")
        safe, checkpoints = self.power_loss_safe, self.checkpoints
        db = open_store(self.folder, self.store, power_loss_safe=safe, checkpoints=checkpoints)
        try:
            file = os.stat(path) if self.store == SQLITE else None
            connection = _Connection(db, chain, path, file)
            why = why or chain.doubt(db)
            if why:
                with connection.transaction():
                    chain.resume(db, self.clock(), why)
                self._note(f"{why}: `automode audit verify` says what is missing")
            chain.look(db)
        except OSError as error:
            db.close()
            what = f"`{path}` is gone: {error.strerror}"
            raise StoreError(ErrorKind.UNREACHABLE, what) from error
        except StoreError:
            db.close()
            raise
        return connection

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One process at a time may open, migrate or replace. Version 0.1 holds this lock while it
        runs."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            descriptor = os.open(self.folder.writer_lock, flags, 0o600)
        except OSError as error:
            what = f"the lock `{self.folder.writer_lock}` cannot be opened: {error.strerror}"
            hint = "make the state folder writable for this account"
            raise StoreError(ErrorKind.READ_ONLY, what, hint) from error
        try:
            until = time.monotonic() + LOCK_SECONDS
            while True:
                with suppress(OSError):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                if time.monotonic() >= until:
                    hint = "it opens the store, or is a daemon of an older version: stop it"
                    raise StoreError(ErrorKind.LOCKED, "another process holds the store", hint)
                time.sleep(_STEP_SECONDS)
            yield
        finally:
            os.close(descriptor)

    def _stamp(self) -> str:
        return f"{datetime.fromtimestamp(self.clock(), UTC):%Y%m%dT%H%M%SZ}"

    def _import(self) -> None:
        try:
            self._note(import_outage(self.folder, self._apply))
        except OSError as error:
            self._note(f"what an outage left cannot be read: {error}")
        except StoreError:
            return  # it is tried again with the next look

    def _note_error(self, error: StoreError) -> None:
        if error.kind is ErrorKind.REFUSED:
            return
        if self._error is None:
            log.warning("%s", error)
        self._error = _copy(error)
        # After a lock the wait was long enough; the next attempt may succeed.
        wait = 0.0 if error.kind is ErrorKind.LOCKED else self.retry_seconds
        self._retry_at = time.monotonic() + wait
        if error.kind not in _PASSING:
            self.close()

    def _keep_in_outage(self, changes: Sequence[Change]) -> None:
        try:
            keep_in_outage(self.folder, changes)
        except (OSError, ValueError) as error:
            self._lost += len(changes)
            log.warning("the outage file cannot be written: %s", error)

    def _note(self, notice: str) -> None:
        if notice and notice not in self._past:
            log.warning("%s", notice)
            self._past = [*self._past, notice][-MOST_NOTICES:]


def _copy(error: StoreError) -> StoreError:
    """One that is raised again and again would keep every stack that it went through."""
    return StoreError(error.kind, str(error), error.hint)


@contextmanager
def _folder_errors() -> Iterator[None]:
    try:
        yield
    except BadFolder as error:
        raise StoreError(ErrorKind.READ_ONLY, str(error), error.hint) from error


_Waiter: TypeAlias = tuple[Sequence[Change], "asyncio.Future[Kept]"]


class Writer:
    """Belongs to the event loop that uses it first. `async with` opens the store and looks after
    it; else it is opened when used, and `close` ends it. Never raises for an error of the
    database."""

    def __init__(
        self,
        folder: StateFolder,
        store: str = SQLITE,
        *,
        power_loss_safe: bool = False,
        checkpoints: bool = False,
        tending_seconds: float = TENDING_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """`store`: `sqlite` or a PostgreSQL URL. `power_loss_safe`: each commit waits for the
        disk."""
        self._store = StoreWriter(folder, store, power_loss_safe, checkpoints=checkpoints)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="automode-store")
        self.folder = folder
        self._tending_seconds = tending_seconds
        self._patience_seconds = patience_seconds
        self._tending: asyncio.Task[None] | None = None
        self._waiting: list[_Waiter] = []
        self._handed = 0  # batches that the thread has not answered yet
        self._hanging = False
        self._closed = False

    async def __aenter__(self) -> Self:
        """Opens the store. StoreError is no reason not to start."""
        await self._run_in_thread(self._store.open)
        self._tending = asyncio.create_task(self._tend())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Writes what waits, and closes."""
        self._closed = True
        if self._tending is not None:
            self._tending.cancel()
        self._hand_over()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience_seconds):
                await self._run_in_thread(self._store.close)
        self._thread.shutdown(wait=False)

    async def append(self, changes: Sequence[Change]) -> Kept:
        """Returns when the changes are kept, all or none, or known not to be. They are also
        written when the caller is cancelled."""
        if self._hanging or self._closed:
            return self._lost(changes)
        waiter: _Waiter = (changes, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        if not self._handed:
            self._hand_over()
        await asyncio.wait([waiter[1]], timeout=self._patience_seconds)
        if waiter[1].done():
            return waiter[1].result()
        self._hanging = True
        with suppress(ValueError):  # it is not among them when the thread has it
            self._waiting.remove(waiter)
        return self._lost(changes)

    async def consume(self, session: SessionKey, digest: str, now: float) -> Approved | None:
        """Takes a valid approval of exactly this call; None without one, or if the store cannot
        say."""
        try:
            return await self.read(lambda db: consume(db, session, digest, now))
        except StoreError:
            return None

    async def run(self, work: Callable[[Database], T]) -> T:
        """Does `work` in a transaction of its own. It sees everything appended before, and later
        appends wait for it: what takes long belongs into `store.open.reading`. Raises StoreError,
        or what `work` raises."""
        self._hand_over()
        return await self._run_in_thread(lambda: self._store.work(work))

    async def read(self, work: Callable[[Database], T]) -> T:
        """As `run`, for what a decision waits for: StoreError when there is no answer in time."""
        try:
            async with asyncio.timeout(self._patience_seconds):
                return await self.run(work)
        except TimeoutError as error:
            hint = "see `automode status`; when the store answers again, so does automode"
            raise StoreError(ErrorKind.UNREACHABLE, "the store does not answer", hint) from error

    async def truncate_log(self) -> None:
        """Takes what was purged out of the write-ahead log, too. Raises StoreError."""
        await self._run_in_thread(partial(self._store.checkpoint, truncate=True))

    def late(self) -> int:
        """How often another process was found to have written."""
        return self._store.others

    def notices(self) -> tuple[str, ...]:
        """What a person should know, one sentence each; for `status`."""
        hanging = ("the store does not answer",) if self._hanging else ()
        return (*hanging, *self._store.notices())

    def _hand_over(self) -> None:
        """All changes that wait share one commit."""
        if not self._waiting:
            return
        batch, self._waiting = self._waiting, []
        self._handed += 1
        loop = asyncio.get_running_loop()
        done = self._thread.submit(self._store.keep, [changes for changes, _ in batch])

        def back_in_loop(_: "Future[list[Kept]]") -> None:
            with suppress(RuntimeError):  # the loop was closed: nobody waits any more
                loop.call_soon_threadsafe(self._answer, batch, done)

        done.add_done_callback(back_in_loop)

    def _answer(self, batch: list[_Waiter], done: "Future[list[Kept]]") -> None:
        self._handed -= 1
        self._hanging = False
        for (_, answer), kept in zip(batch, _outcome(done, len(batch)), strict=True):
            answer.set_result(kept)
        if not self._handed:
            self._hand_over()

    async def _tend(self) -> None:
        while True:
            await asyncio.sleep(self._tending_seconds)
            [error] = await asyncio.gather(
                self._run_in_thread(self._store.tend), return_exceptions=True
            )
            if error is not None:
                log.error("the store could not be looked after", exc_info=error)

    async def _run_in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _lost(self, changes: Sequence[Change]) -> Kept:
        why = "the store is closed" if self._closed else "the store does not answer"
        try:
            keep_in_outage(self.folder, changes)
        except (OSError, ValueError) as error:
            return Kept(f"{why}, and the outage file cannot be written: {error}")
        return Kept(why)


def _outcome(done: "Future[list[Kept]]", size: int) -> Sequence[Kept]:
    error = done.exception()
    if error is None:
        return done.result()
    log.error("changes could not be kept", exc_info=error)
    return [Kept(f"the writer failed: {error}")] * size
