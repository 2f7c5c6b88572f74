"""Writes what waits in the spool into the database, exactly once, however often it is begun.

How far a file was written is kept in the same transaction as what was written of it, so neither a
crash nor a file that cannot be removed makes anything count twice.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from automode.store.applying import apply
from automode.store.chain import Chain
from automode.store.changes import Change
from automode.store.database import Ailment, Database, Trouble
from automode.store.encoding import UnreadableLine, decoded, storable
from automode.store.folder import StateFolder
from automode.store.spool import UNREADABLE, finished, spool_files, whole_lines

T = TypeVar("T")

MOST_LINES = 500  # in one transaction: whoever waits to append is served in between
MOST_FILES = 50  # in one go

_NOTE = """INSERT INTO drained (file, upto, unreadable) VALUES (?, ?, ?)
    ON CONFLICT (file) DO UPDATE SET upto = excluded.upto, unreadable = excluded.unreadable"""


class Attempt(Protocol):
    """Does a step in a transaction. Raises Trouble."""

    def __call__(self, step: Callable[[Database, Chain], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Drained:
    """How far a file is written, and how many of its lines nobody could read or keep."""

    upto: int = 0
    unreadable: int = 0
    more: bool = False


@dataclass(slots=True)
class Drainer:
    folder: StateFolder
    note: Callable[[str], None]
    _stuck: set[str] = field(default_factory=set)  # files that can be neither read nor removed

    def waiting(self) -> list[str]:
        return [path for path in spool_files(self.folder) if path not in self._stuck]

    def some(self, attempt: Attempt) -> bool:
        """Writes some of what waits. True when more can be written at once. Raises Trouble."""
        waiting = self.waiting()
        more = [self._file(attempt, path) for path in waiting[:MOST_FILES]]
        return any(more) or len(waiting) > MOST_FILES

    def _file(self, attempt: Attempt, path: str) -> bool:
        try:
            drained = self._portion(attempt, path)
            if drained.more:
                return True
            if not finished(path, drained.upto, unreadable=drained.unreadable > 0):
                return False
        except FileNotFoundError:
            return False
        except OSError as error:
            self._stuck.add(path)
            self.note(f"`{path}` cannot be drained: {error.strerror}")
            return False
        if os.path.lexists(path + UNREADABLE):
            self.note(f"not every line of `{path}{UNREADABLE}` could be read; it is kept")
        attempt(lambda db, chain: _forget(db, chain, path))
        return False

    def _portion(self, attempt: Attempt, path: str) -> Drained:
        try:
            return attempt(lambda db, chain: _drain(db, chain, path, MOST_LINES))
        except Trouble as trouble:
            if trouble.ailment is not Ailment.REFUSED:
                raise
        # One line holds what no database takes: the others go one by one.
        try:
            return attempt(lambda db, chain: _drain(db, chain, path, 1))
        except Trouble as trouble:
            if trouble.ailment is not Ailment.REFUSED:
                raise
            return attempt(lambda db, chain: _skip(db, chain, path))


def _drain(db: Database, chain: Chain, path: str, most: int) -> Drained:
    before = _before(db, chain, path)
    lines, upto = whole_lines(path, before.upto, most)
    changes = [change for line in lines if (change := _readable(line)) is not None]
    apply(db, changes, chain, late=True)
    bad = before.unreadable + sum(1 for line in lines if line.strip()) - len(changes)
    return _noted(db, chain, path, Drained(upto, bad, more=len(lines) == most))


def _skip(db: Database, chain: Chain, path: str) -> Drained:
    before = _before(db, chain, path)
    lines, upto = whole_lines(path, before.upto, 1)
    return _noted(db, chain, path, Drained(upto, before.unreadable + len(lines), more=True))


def _before(db: Database, chain: Chain, path: str) -> Drained:
    sql = "SELECT upto, unreadable FROM drained WHERE file = ?"
    match db.rows(sql, (_name(chain, path),)):
        case [(int(upto), int(unreadable))]:
            return Drained(upto, unreadable)
        case _:
            return Drained()


def _noted(db: Database, chain: Chain, path: str, now: Drained) -> Drained:
    db.execute(_NOTE, (_name(chain, path), now.upto, now.unreadable))
    return now


def _forget(db: Database, chain: Chain, path: str) -> None:
    db.execute("DELETE FROM drained WHERE file = ?", (_name(chain, path),))


def _name(chain: Chain, path: str) -> str:
    """Machines that share a database do not share their files."""
    return f"{chain.id}/{storable(os.path.basename(path))}"


def _readable(line: bytes) -> Change | None:
    try:
        return decoded(line)
    except UnreadableLine:
        return None
