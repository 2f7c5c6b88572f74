"""The way to the database: opened with the chain it extends, and replaced when it is broken."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from automode.store.chain import Chain
from automode.store.database import Database, Engine, ErrorKind, StoreError
from automode.store.folder import BadFolder, StateFolder
from automode.store.links import Kind
from automode.store.open import SQLITE, opened
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
