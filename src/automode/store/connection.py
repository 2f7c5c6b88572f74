"""The writer's way to its database: opened, with the chain it extends, and replaced when broken."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from automode.store.chain import Chain
from automode.store.database import Ailment, Database, Trouble
from automode.store.folder import BadFolder, StateFolder
from automode.store.links import Kind
from automode.store.open import SQLITE, opened
from automode.store.sqlite import set_aside


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


@dataclass(slots=True)
class Connector:
    folder: StateFolder
    store: str
    power_loss_safe: bool
    clock: Callable[[], float]

    def prepare(self) -> None:
        """Makes the state folder where there is none. Raises Trouble."""
        with _folder_trouble():
            self.folder.prepared()

    def connected(self, why: str = "") -> tuple[Connection, str]:
        """Opens the store. A broken file is moved aside and a new one begun. With `why` the chain
        says that this is not the database that was left. The second value is a sentence about
        what happened, or empty. Raises Trouble. Only for who holds the writer's lock."""
        try:
            if why:
                return self._resumed(why), f"{why}; a new one was begun"
            connection = self._opened()
            return connection, self._compared(connection)
        except Trouble as trouble:
            if trouble.ailment is not Ailment.CORRUPT or self.store != SQLITE:
                raise
            return self.begun_anew(str(trouble))

    def begun_anew(self, why: str) -> tuple[Connection, str]:
        """Moves the file aside, whatever is there, and begins a new one."""
        name = set_aside(self.folder.database, f"corrupt-{self._stamp()}")
        notice = f"{why}; it was kept as `{name}`, and a new one begun"
        return self._resumed(notice), notice

    def _resumed(self, why: str) -> Connection:
        connection = self._opened()
        db, chain, now = connection.db, connection.chain, self.clock()
        try:
            with db.transaction():
                chain.marked(db, chain.head(db, now), Kind.RESUMED, now, why=why)
        except Trouble:
            db.close()
            raise
        chain.kept()
        return connection

    def _compared(self, connection: Connection) -> str:
        """Whether it is the database that was left; what differs is said in the chain for good."""
        db, chain = connection.db, connection.chain
        try:
            why = chain.doubt(db)
            if why:
                with db.transaction():
                    chain.resumed(db, self.clock(), why)
        except Trouble:
            db.close()
            raise
        chain.kept()
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
            return Connection(_alone(db, chain), chain)
        try:
            return Connection(db, chain, path, os.stat(path))
        except OSError as error:
            db.close()
            raise Trouble(Ailment.UNREACHABLE, f"`{path}` is gone: {error.strerror}") from error

    def _stamp(self) -> str:
        return f"{datetime.fromtimestamp(self.clock(), UTC):%Y%m%dT%H%M%SZ}"


@contextmanager
def _folder_trouble() -> Iterator[None]:
    try:
        yield
    except BadFolder as error:
        raise Trouble(Ailment.READ_ONLY, str(error), error.hint) from error


def _alone(db: Database, chain: Chain) -> Database:
    """On a server the lock on this machine is not enough: the folder may have been copied."""
    name = f"automode.chain.{chain.id}"
    if db.rows("SELECT 1 WHERE pg_try_advisory_lock(hashtextextended(?, 0))", (name,)):
        return db
    db.close()
    raise Trouble(
        Ailment.LOCKED,
        f"another machine or process extends the chain `{chain.id}`",
        "end it; if this state folder is a copy, begin with an empty one",
    )
