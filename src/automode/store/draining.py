"""Writes what waits in the spool into the database, exactly once, however often it is begun.

How far a file was written is kept in the same transaction as what was written of it, so neither a
crash nor a file that cannot be removed makes anything count twice.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from automode.store.applying import apply
from automode.store.chain import KEEP, Chain
from automode.store.changes import Change
from automode.store.database import Ailment, Database, Trouble
from automode.store.encoding import UnreadableLine, decoded, storable
from automode.store.folder import BadFolder, StateFolder, known_secret
from automode.store.links import Kind, same, sealed
from automode.store.seals import opened_line
from automode.store.spool import UNREADABLE, finished, person_decides, spool_files, whole_lines
from automode.store.spool_count import spool_count

T = TypeVar("T")

MOST_LINES = 500  # in one transaction: whoever waits to append is served in between
MOST_FILES = 50  # in one go
_ACCOUNTED = "spooled "  # what the name of the number in `meta` begins with

_NOTE = """INSERT INTO drained (file, upto, unreadable, line) VALUES (?, ?, ?, ?)
    ON CONFLICT (file) DO UPDATE SET upto = excluded.upto, unreadable = excluded.unreadable,
    line = excluded.line"""


class Attempt(Protocol):
    """Does a step in a transaction. Raises Trouble."""

    def __call__(self, step: Callable[[Database, Chain], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Drained:
    """How far a file is written, and how many of its lines could not be read, believed or kept."""

    upto: int = 0
    unreadable: int = 0
    line: int = 0  # the number of the last one that was believed
    more: bool = False


@dataclass(slots=True)
class Drainer:
    folder: StateFolder
    note: Callable[[str], None]
    portions: int = 0  # that were written
    _stuck: set[str] = field(default_factory=set)  # files that can be neither read nor removed
    _settled: int | None = -1  # how many lines were spooled when nothing was missing

    def waiting(self) -> list[str]:
        return [path for path in spool_files(self.folder) if path not in self._stuck]

    def some(self, attempt: Attempt) -> bool:
        """Writes some of what waits. True when more can be written at once. Raises Trouble."""
        waiting = self.waiting()
        more = [self._file(attempt, path) for path in waiting[:MOST_FILES]]
        # Files that somebody holds stay: only where some went is there anything to do at once.
        return any(more) or MOST_FILES < len(waiting) > len(self.waiting())

    def settle(self, attempt: Attempt, now: float) -> None:
        """When nothing waits: whether all that was ever spooled came here. What did not is said in
        the chain for good. Raises Trouble."""
        key: bytes | None = None
        with suppress(BadFolder):
            key = known_secret(self.folder.signing_key)
        if key is None or not os.path.lexists(self.folder.chain):
            return
        count = spool_count(self.folder, key)
        lines = count.lines()  # before the files: who spools counts afterwards
        if lines == self._settled or spool_files(self.folder):
            return
        accounted, missed = attempt(lambda db, chain: _missed(db, chain, lines, now))
        self.note(missed)
        if lines is None:
            count.put(accounted)
        self._settled = accounted if lines is None else lines

    def _file(self, attempt: Attempt, path: str) -> bool:
        try:
            drained = self._portion(attempt, path)
            self.portions += 1
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
            self.note(
                f"not every line of `{path}{UNREADABLE}` could be read, or was sealed by this"
                " automode; those were not applied, and the file is kept"
            )
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
    changes: list[Change] = []
    last = before.line
    came = 0
    for line in lines:
        number, change = _believed(chain.key, path, line)
        came += number > last
        # One that comes again, in whatever place, is a copy.
        if change is not None and number > last:
            changes.append(change)
            last = number
    apply(db, changes, chain, late=True)
    _account(db, chain, came)
    bad = before.unreadable + sum(1 for line in lines if line.strip()) - len(changes)
    return _noted(db, chain, path, Drained(upto, bad, last, more=len(lines) == most))


def _skip(db: Database, chain: Chain, path: str) -> Drained:
    before = _before(db, chain, path)
    lines, upto = whole_lines(path, before.upto, 1)
    _account(db, chain, sum(_believed(chain.key, path, line)[0] > before.line for line in lines))
    return _noted(db, chain, path, Drained(upto, before.unreadable + len(lines), before.line, True))


def _missed(db: Database, chain: Chain, lines: int | None, now: float) -> tuple[int, str]:
    """How many lines came here, and what is to be said about the others."""
    accounted = _accounted_in_all(db, chain)
    why = ""
    if lines is None:
        why = "the count of spooled lines was gone"
    elif lines > accounted:
        why = f"{lines - accounted} spooled lines did not come into this database"
        _account(db, chain, lines - accounted)
    if why:
        chain.marked(db, chain.head(db, now), Kind.RESUMED, now, why=why)
    return accounted, why


def _accounted_in_all(db: Database, chain: Chain) -> int:
    """The lines are counted for the folder. One that lost `chain.id` has had another chain."""
    sql = "SELECT name, value FROM meta WHERE name LIKE ?"
    found = db.rows(sql, (f"{_ACCOUNTED}%",))
    names = ((str(name).removeprefix(_ACCOUNTED), str(text)) for name, text in found)
    return sum(_genuine(chain.key, name, text) for name, text in names)


def _accounted(db: Database, chain: Chain) -> int:
    match db.rows("SELECT value FROM meta WHERE name = ?", (_ACCOUNTED + chain.id,)):
        case [(str(text),)]:
            return _genuine(chain.key, chain.id, text)
        case _:
            return 0


def _genuine(key: bytes, chain: str, text: str) -> int:
    number, _, seal = text.partition(" ")
    return int(number) if same(seal, sealed(key, "accounted", chain, number)) else 0


def _account(db: Database, chain: Chain, more: int) -> None:
    if more:
        number = str(_accounted(db, chain) + more)
        seal = sealed(chain.key, "accounted", chain.id, number)
        db.execute(KEEP, (_ACCOUNTED + chain.id, f"{number} {seal}"))


def _before(db: Database, chain: Chain, path: str) -> Drained:
    sql = "SELECT upto, unreadable, line FROM drained WHERE file = ?"
    match db.rows(sql, (_name(chain, path),)):
        case [(int(upto), int(unreadable), int(line))]:
            return Drained(upto, unreadable, line)
        case _:
            return Drained()


def _noted(db: Database, chain: Chain, path: str, now: Drained) -> Drained:
    db.execute(_NOTE, (_name(chain, path), now.upto, now.unreadable, now.line))
    return now


def _forget(db: Database, chain: Chain, path: str) -> None:
    db.execute("DELETE FROM drained WHERE file = ?", (_name(chain, path),))


def _name(chain: Chain, path: str) -> str:
    """Machines that share a database do not share their files."""
    return f"{chain.id}/{storable(os.path.basename(path))}"


def _believed(key: bytes, path: str, line: bytes) -> tuple[int, Change | None]:
    """The number of a line and what it says: nothing where no key, or another one, sealed it, or
    where a person would have to have said it."""
    found = opened_line(key, os.path.basename(path), line)
    if found is None:
        return 0, None
    number, text = found
    try:
        change = decoded(text)
    except UnreadableLine:
        return number, None
    return number, None if person_decides(change) else change
