"""Reads the store as it will be when what waits in the spool is written.

Who decides without a daemon would otherwise not know what was decided so just before. A database on
a server cannot be read so: there, what waits counts when it is written.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from automode.store.changes import Change, Decided, Heard, SessionKept
from automode.store.database import Ailment, Database, Engine, Trouble
from automode.store.encoding import storable
from automode.store.folder import BadFolder, StateFolder, known_secret
from automode.store.joining import join
from automode.store.open import SQLITE, reading
from automode.store.seals import NO_MODE
from automode.store.spool import said, spool_files
from automode.store.tally import is_uncounted

MOST_FILES = 5000

# In memory, in front of the tables of the file, which stays as it is.
_IN_FRONT = (
    "PRAGMA temp_store = MEMORY",
    "PRAGMA query_only = OFF",
    "BEGIN",
    "CREATE TEMP TABLE session AS SELECT * FROM main.session",
    "CREATE UNIQUE INDEX temp.session_whose ON session (host, id)",
    "CREATE TEMP TABLE heard AS SELECT * FROM main.event LIMIT 0",
    "CREATE UNIQUE INDEX temp.heard_where ON heard (host, session, place)",
)
_BEHIND = (
    "CREATE TEMP VIEW event AS SELECT * FROM main.event UNION ALL SELECT * FROM temp.heard",
    "COMMIT",
    "PRAGMA query_only = ON",
)
_HEARD = """INSERT INTO heard (host, session, place, body) SELECT ?, ?, ?, ? WHERE NOT EXISTS
    (SELECT 1 FROM main.event WHERE host = ? AND session = ? AND place = ?)
    ON CONFLICT (host, session, place) DO NOTHING"""


@dataclass(frozen=True, slots=True)
class Foresight:
    folder: StateFolder
    store: str = SQLITE
    _files: dict[str, tuple[int, list[Change]]] = field(default_factory=dict)  # by how long it was

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """As `open.reading`. Raises Trouble, also where more waits than anybody could look at."""
        # Before the store: what is written meanwhile is found there.
        batches = self._waiting()
        with reading(self.folder, self.store) as db:
            if batches and db.engine is Engine.SQLITE:
                _put_in_front(db, batches)
            yield db

    def _waiting(self) -> list[list[Change]]:
        try:
            key, paths = known_secret(self.folder.signing_key), spool_files(self.folder)
        except (BadFolder, OSError):
            return []  # nor can anything be spooled, so nothing is allowed
        if len(paths) > MOST_FILES:
            raise Trouble(
                Ailment.OTHER,
                f"{len(paths)} files wait in the spool, too many to know what they decide",
                "start the daemon with `automode daemon start`: it writes them",
            )
        return [] if key is None else [self._said(path, key) for path in paths]

    def _said(self, path: str, key: bytes) -> list[Change]:
        try:
            length = os.stat(path).st_size
            if self._files.get(path, (-1, []))[0] != length:
                self._files[path] = (length, said(path, key))
        except FileNotFoundError:  # it was written just now
            return []
        except OSError as error:
            what = f"`{path}` cannot be read: {error.strerror}"
            raise Trouble(Ailment.READ_ONLY, what, "make it readable for this account") from error
        return self._files[path][1]


def _put_in_front(db: Database, batches: Sequence[Sequence[Change]]) -> None:
    for statement in _IN_FRONT:
        db.rows(statement)
    seen: set[str] = set()
    for batch in _together(batches):
        try:
            _foresee(db, batch, seen)
        except Trouble as trouble:
            if trouble.ailment is not Ailment.REFUSED:  # what no database takes is never written
                raise
    for statement in _BEHIND:
        db.rows(statement)


def _together(batches: Sequence[Sequence[Change]]) -> Iterator[list[Change]]:
    """As few as come to the same: decisions one after the other are counted at once."""
    together: list[Change] = []
    for batch in batches:
        rows = [one.row for one in batch if isinstance(one, SessionKept)]
        decided = any(isinstance(one, Decided) for one in batch)
        if decided and all(is_uncounted(row.history) for row in rows):
            together.extend(batch)
            continue
        yield from (together, [*batch])
        together = []
    yield together


def _foresee(db: Database, batch: Sequence[Change], seen: set[str]) -> None:
    records = [one.record for one in batch if isinstance(one, Decided)]
    new = [one for one in records if one.id not in seen]
    seen.update(one.id for one in new)
    rows = [replace(one.row, mode=NO_MODE) for one in batch if isinstance(one, SessionKept)]
    join(db, rows, new, late=True)
    for one in batch:
        if isinstance(one, Heard):
            where = (storable(one.session.host), storable(one.session.id), one.position)
            db.execute(_HEARD, (*where, storable(one.event), *where))
