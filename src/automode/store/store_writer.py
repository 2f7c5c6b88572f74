"""Writes changes into the database; while it cannot, keeps the decisions in the outage file.

Used by one thread at a time; `store.writer` is what a running process has around it.
"""

import fcntl
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from automode.store.applying import apply
from automode.store.chain import Chain
from automode.store.changes import WRITTEN, Change, Kept
from automode.store.database import Database, Engine, ErrorKind, StoreError
from automode.store.folder import BadFolder, StateFolder
from automode.store.links import Kind
from automode.store.open import SQLITE, opened
from automode.store.outage import import_outage, import_spool, keep_in_outage
from automode.store.sqlite import set_aside

LOCK_SECONDS = 3.0
_STEP_SECONDS = 0.02
_LOCK_CHAIN = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))"


@dataclass(frozen=True, slots=True)
class Connection:
    db: Database
    chain: Chain
    path: str = ""
    file: os.stat_result | None = None  # as it was when it was opened; None on a server

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
        """Whoever extends the chain does it alone. SQLite has one writer at a time anyway."""
        with self.db.transaction():
            if self.db.engine is Engine.POSTGRESQL:
                self.db.rows(_LOCK_CHAIN, (f"automode.chain.{self.chain.id}",))
            yield


@dataclass(slots=True)
class Connector:
    folder: StateFolder
    store: str
    power_loss_safe: bool
    clock: Callable[[], float]

    def connected(self, why: str = "") -> tuple[Connection, str]:
        """Opens the store. A broken file is moved aside and a new one begun. With `why` the chain
        says that this is not the database that was left. The second value is a sentence about
        what happened, or empty. Raises StoreError."""
        with _folder_trouble():
            self.folder.prepared()
        with self._alone():
            try:
                if why:
                    return self._resumed(why), f"{why}; a new one was begun"
                connection = self._opened()
                return connection, self._compared(connection)
            except StoreError as error:
                if error.kind is not ErrorKind.CORRUPT or self.store != SQLITE:
                    raise
                return self._begun_anew(str(error))

    def replaced(self, broken: Connection, why: str) -> tuple[Connection, str]:
        """Another database in the place of one that turned out to be broken."""
        with self._alone():
            if broken.stale:  # another process was quicker
                connection = self._opened()
                return connection, self._compared(connection)
            return self._begun_anew(why)

    def _begun_anew(self, why: str) -> tuple[Connection, str]:
        name = set_aside(self.folder.database, f"corrupt-{self._stamp()}")
        notice = f"{why}; it was kept as `{name}`, and a new one begun"
        return self._resumed(notice), notice

    def _resumed(self, why: str) -> Connection:
        connection = self._opened()
        chain, now = connection.chain, self.clock()
        try:
            with connection.transaction():
                head = chain.head(connection.db, now)
                chain.marked(connection.db, head, Kind.RESUMED, now, why=why)
        except StoreError:
            connection.db.close()
            raise
        chain.kept()
        return connection

    def _compared(self, connection: Connection) -> str:
        """Whether it is the database that was left; what differs is said in the chain for good."""
        db, chain = connection.db, connection.chain
        try:
            why = chain.doubt(db)
            if why:
                with connection.transaction():
                    chain.resumed(db, self.clock(), why)
        except StoreError:
            db.close()
            raise
        chain.kept()
        chain.look(db)
        return f"{why}: `automode audit verify` says what is missing" if why else ""

    def _opened(self) -> Connection:
        with _folder_trouble():
            chain = Chain.of(self.folder)
        path = self.folder.database
        if self.store == SQLITE and not os.path.lexists(path):
            # The log of a file that is gone would be read as a part of the new one.
            set_aside(path, f"gone-{self._stamp()}")
        db = opened(self.folder, self.store, power_loss_safe=self.power_loss_safe)
        if self.store != SQLITE:
            return Connection(db, chain)
        try:
            return Connection(db, chain, path, os.stat(path))
        except OSError as error:
            db.close()
            raise StoreError(
                ErrorKind.UNREACHABLE, f"`{path}` is gone: {error.strerror}"
            ) from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Opening may make, migrate or replace the database: one process at a time. Version 0.1
        holds this lock for as long as its daemon runs."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            descriptor = os.open(self.folder.writer_lock, flags, 0o600)
        except OSError as error:
            what = f"the lock `{self.folder.writer_lock}` cannot be opened: {error.strerror}"
            hint = "make the state folder writable for this account"
            raise StoreError(ErrorKind.READ_ONLY, what, hint) from error
        try:
            until = time.monotonic() + LOCK_SECONDS
            while not _locked(descriptor):
                if time.monotonic() >= until:
                    hint = "it opens the store, or is a daemon of an older version: stop it"
                    raise StoreError(ErrorKind.LOCKED, "another process holds the store", hint)
                time.sleep(_STEP_SECONDS)
            yield
        finally:
            os.close(descriptor)

    def _stamp(self) -> str:
        return f"{datetime.fromtimestamp(self.clock(), UTC):%Y%m%dT%H%M%SZ}"


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def _folder_trouble() -> Iterator[None]:
    try:
        yield
    except BadFolder as error:
        raise StoreError(ErrorKind.READ_ONLY, str(error), error.hint) from error


log = logging.getLogger(__name__)

T = TypeVar("T")

RETRY_SECONDS = 2.0  # how long an ailing database is left in peace
MOST_NOTICES = 20
_PASSING = frozenset({ErrorKind.FULL, ErrorKind.LOCKED})  # the connection lives through these


@dataclass(slots=True)
class StoreWriter:
    folder: StateFolder
    store: str = SQLITE
    power_loss_safe: bool = False
    retry_seconds: float = RETRY_SECONDS
    clock: Callable[[], float] = time.time
    others: int = 0  # how often another process was found to have written
    _connector: Connector = field(init=False)
    _connection: Connection | None = None
    _trouble: StoreError | None = None
    _retry_at: float = 0.0
    _why: str = ""  # the next connection is not to the database that was left
    _lost: int = 0
    _past: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._connector = Connector(self.folder, self.store, self.power_loss_safe, self.clock)

    def open(self) -> None:
        """Makes the store ready, or finds out why it cannot be."""
        with suppress(StoreError):
            self._attempt(_nothing)

    def keep(self, groups: Sequence[Sequence[Change]]) -> list[Kept]:
        """Says of every group whether it is written. They share one commit; of a group everything
        is kept or nothing."""
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
        """For quiet moments: brings in what an outage left, and looks whether others wrote."""
        with suppress(StoreError):
            self._attempt(lambda db, chain: chain.look(db))
            self._import()
            if self._connection is not None:
                self._connection.db.rest()

    def notices(self) -> tuple[str, ...]:
        """What a person should know, one sentence each."""
        now = [] if self._trouble is None else [_told(self._trouble)]
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
        if self._trouble is not None and time.monotonic() < self._retry_at:
            raise _copy(self._trouble)
        try:
            connection = self._ready()
            try:
                result = self._committed(connection, step)
            except StoreError as error:
                if error.kind is not ErrorKind.CORRUPT or self.store != SQLITE:
                    raise
                result = self._committed(self._replaced(connection, error), step)
        except StoreError as error:
            self._ail(error)
            raise
        self._trouble = None
        return result

    def _committed(self, connection: Connection, step: Callable[[Database, Chain], T]) -> T:
        db, chain = connection.db, connection.chain
        others = chain.others
        try:
            with connection.transaction():
                result = step(db, chain)
        except BaseException:
            chain.written = chain.remembered  # what it had in hand was rolled back
            raise
        chain.kept()
        self.others += chain.others - others
        return result

    def _ready(self) -> Connection:
        if self._connection is not None and self._connection.stale:
            self.close()
            self._why = "the database was moved or deleted while it was in use"
        if self._connection is None:
            self._connection, notice = self._connector.connected(self._why)
            self._why = ""
            self._note(notice)
            self._import()
        return self._connection

    def _replaced(self, broken: Connection, error: StoreError) -> Connection:
        self.close()
        self._connection, notice = self._connector.replaced(broken, str(error))
        self._note(notice)
        return self._connection

    def _import(self) -> None:
        for bring_in in (import_outage, import_spool):
            try:
                self._note(bring_in(self.folder, self._apply))
            except OSError as error:
                self._note(f"what an outage left cannot be read: {error}")
            except StoreError:
                return  # it is tried again with the next look

    def _ail(self, error: StoreError) -> None:
        if error.kind is ErrorKind.REFUSED:
            return
        if self._trouble is None:
            log.warning("%s", error)
        self._trouble = _copy(error)
        # Whoever finds it locked has waited already, and the next one may be luckier.
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


def _nothing(_db: Database, _chain: Chain) -> None:
    """Only whether it could be written."""


def _told(error: StoreError) -> str:
    return f"{error} ({error.hint})" if error.hint else str(error)


def _copy(error: StoreError) -> StoreError:
    """One that is raised again and again would keep every stack that it went through."""
    return StoreError(error.kind, str(error), error.hint)
