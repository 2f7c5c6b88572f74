"""Keeps changes wherever they can be kept: in the database, else in the spool, else in memory.

Used by one thread at a time; `store.writer` is what a running daemon has around it.
"""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from automode.store.applying import apply
from automode.store.chain import Chain
from automode.store.changes import Change
from automode.store.connection import Connection, Connector
from automode.store.database import Ailment, Database, Trouble
from automode.store.draining import Drainer
from automode.store.folder import StateFolder
from automode.store.kept import WRITTEN, Kept, Place
from automode.store.lock import WriterLock
from automode.store.open import SQLITE
from automode.store.spool import Spool, person_decides

log = logging.getLogger(__name__)

T = TypeVar("T")

RETRY_SECONDS = 2.0  # how long an ailing database is left in peace
MOST_IN_MEMORY = 10_000  # changes
MOST_NOTICES = 20
_PASSING = frozenset({Ailment.FULL, Ailment.LOCKED})  # the connection lives through these


@dataclass(slots=True)
class Keeper:
    folder: StateFolder
    store: str = SQLITE
    power_loss_safe: bool = False
    retry_seconds: float = RETRY_SECONDS
    clock: Callable[[], float] = time.time
    _lock: WriterLock = field(init=False)
    _spool: Spool = field(init=False)
    _drainer: Drainer = field(init=False)
    _connector: Connector = field(init=False)
    _connection: Connection | None = None
    _trouble: Trouble | None = None
    _retry_at: float = 0.0
    _why: str = ""  # the next connection is not to the database that was left
    _memory: list[Change] = field(default_factory=list)
    _dropped: int = 0
    _past: list[str] = field(default_factory=list)

    @property
    def late(self) -> int:
        """How often something was written that had waited in the spool."""
        return self._drainer.portions

    def __post_init__(self) -> None:
        self._lock = WriterLock(self.folder)
        self._spool = Spool(self.folder)
        self._drainer = Drainer(self.folder, self._note)
        self._connector = Connector(self.folder, self.store, self.power_loss_safe, self.clock)

    def open(self) -> None:
        """Makes the store ready, or finds out why it cannot be."""
        with suppress(Trouble):
            self._attempt(lambda _db, _chain: None)

    def keep(self, groups: Sequence[Sequence[Change]]) -> list[Kept]:
        """Says of every group where it is now. They share one commit; of a group everything is
        kept or nothing."""
        changes = [change for group in groups for change in group]
        try:
            self._attempt(lambda db, chain: apply(db, changes, chain))
        except Trouble as trouble:
            if trouble.ailment is not Ailment.REFUSED:
                return [self._elsewhere(group, trouble) for group in groups]
            if len(groups) == 1:
                return [Kept(Place.LOST, f"{trouble}; it cannot be kept at all")]
            # One of them holds what no database takes; the others must not suffer for it.
            return [kept for group in groups for kept in self.keep([group])]
        return [WRITTEN] * len(groups)

    def work(self, task: Callable[[Database], T]) -> T:
        """Does `task` in a transaction, after all that waits to be written: who reads a session
        without it would go on from there, and be newer than what comes late. Raises Trouble, or
        what `task` raises."""
        if self._memory:
            self._write_memory()
        try:
            while self._drainer.waiting() and self._drainer.some(self._attempt):
                pass
        except OSError as error:
            raise Trouble(Ailment.OTHER, f"the spool cannot be read: {error.strerror}") from error
        return self._attempt(lambda db, _: task(db))

    def tend(self) -> bool:
        """Does some of what could not be done before. True when more can be done at once."""
        try:
            if not (self._memory or self._trouble or self._drainer.waiting()):
                self._rest()
            else:
                self._write_memory()
                if self._drainer.some(self._attempt):
                    return True
            # At once: who writes for a moment does not come here again.
            self._drainer.settle(self._attempt, self.clock())
        except Trouble:
            self._spool_memory()
        except OSError as error:
            self._note(f"the spool cannot be read: {error.strerror}")
        return False

    def notices(self) -> tuple[str, ...]:
        """What a person should know, one sentence each."""
        now = [] if self._trouble is None else [_told(self._trouble)]
        if files := self._waiting():
            now.append(f"{files} files in `{self.folder.spool}` wait to be written")
        if self._memory:
            now.append(f"{len(self._memory)} changes are in memory alone")
        if self._dropped:
            now.append(f"{self._dropped} changes are lost: they could be kept nowhere")
        return (*now, *self._past)

    def close(self) -> None:
        """Keeps what is in memory if that is possible now, and lets go of everything."""
        self._retry_at = 0.0
        if self._memory:
            self.tend()
        self._disconnect()
        self._lock.release()

    def _attempt(self, step: Callable[[Database, Chain], T]) -> T:
        if self._trouble is not None and time.monotonic() < self._retry_at:
            raise _copy(self._trouble)
        try:
            connection = self._ready()
            try:
                result = _committed(connection, step)
            except Trouble as trouble:
                if not self._broken(trouble):
                    raise
                result = _committed(self._anew(trouble), step)
        except Trouble as trouble:
            self._ail(trouble)
            raise
        self._trouble = None
        return result

    def _ready(self) -> Connection:
        if self._connection is not None and self._connection.stale:
            self._disconnect()
            self._why = "the database was moved or deleted while it was in use"
        if self._connection is None:
            self._connector.prepare()
            self._lock.acquire()
            self._connection, notice = self._connector.connected(self._why)
            self._why = ""
            self._note(notice)
        return self._connection

    def _broken(self, trouble: Trouble) -> bool:
        return trouble.ailment is Ailment.CORRUPT and self.store == SQLITE

    def _anew(self, trouble: Trouble) -> Connection:
        self._disconnect()
        self._connection, notice = self._connector.begun_anew(str(trouble))
        self._note(notice)
        return self._connection

    def _ail(self, trouble: Trouble) -> None:
        if trouble.ailment is Ailment.REFUSED:
            return
        if self._trouble is None:
            log.warning("%s", trouble)
        self._trouble = _copy(trouble)
        self._retry_at = time.monotonic() + self.retry_seconds
        if trouble.ailment not in _PASSING:
            self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.db.close()
            self._connection = None

    def _elsewhere(self, group: Sequence[Change], trouble: Trouble) -> Kept:
        if any(person_decides(change) for change in group):
            return Kept(Place.LOST, f"{trouble}; what a person decides holds only when written")
        try:
            self._spool.keep(group)
        except (OSError, ValueError) as error:
            room = MOST_IN_MEMORY - len(self._memory)
            self._memory += group[:room]
            self._dropped += len(group[room:])
            return Kept(Place.LOST, f"{trouble}, and neither can it be spooled: {error}")
        return Kept(Place.SPOOLED, f"{trouble}; it waits in the spool")

    def _write_memory(self) -> None:
        """Also without anything in memory: whether the database is well is found by using it."""
        changes = self._memory
        try:
            self._attempt(lambda db, chain: apply(db, changes, chain, late=True))
            self._memory = []
        except Trouble as trouble:
            if trouble.ailment is not Ailment.REFUSED:
                raise
            # The first one is the culprit, or is written now; the rest has its turn next time.
            kept = self.keep([changes[:1]])
            self._dropped += sum(one.lost for one in kept)
            self._memory = changes[1:]

    def _spool_memory(self) -> None:
        if not self._memory:
            return
        try:
            self._spool.keep(self._memory)
        except (OSError, ValueError):
            return
        self._memory = []

    def _rest(self) -> None:
        if self._connection is not None:
            try:
                self._connection.db.rest()
            except Trouble as trouble:
                self._ail(trouble)

    def _waiting(self) -> int:
        try:
            return len(self._drainer.waiting())
        except OSError:
            return 0

    def _note(self, notice: str) -> None:
        if notice and notice not in self._past:
            log.warning("%s", notice)
            self._past = [*self._past, notice][-MOST_NOTICES:]


def _committed(connection: Connection, step: Callable[[Database, Chain], T]) -> T:
    db, chain = connection.db, connection.chain
    try:
        with db.transaction():
            result = step(db, chain)
    except BaseException:
        chain.written = chain.remembered  # what it had in hand was rolled back
        raise
    chain.kept()
    return result


def _told(trouble: Trouble) -> str:
    return f"{trouble} ({trouble.hint})" if trouble.hint else str(trouble)


def _copy(trouble: Trouble) -> Trouble:
    """One that is raised again and again would keep every stack that it went through."""
    return Trouble(trouble.ailment, str(trouble), trouble.hint)
