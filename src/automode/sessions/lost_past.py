"""Whether the store may have lost what it knew of a session: it was broken, deleted or put back.

A chain that could not go on where it was left says so in a mark. What a session did before that may
be missing, so one that may have lived then is not taken for a new one, nor its row for the last
word: nobody can know whether it was stopped.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from automode.core.errors import AutomodeError
from automode.core.record import SessionKey
from automode.store import tables
from automode.store.changes import RecordQuery, SessionRow
from automode.store.database import Database
from automode.store.effects import RESET
from automode.store.links import Kind, Mark, mark_from, mark_seal, same

DOUBTED_SECONDS = 86_400.0
"""Whatever was running when the store was lost has ended by then, has begun anew, or was told."""

EVERY_SESSION = SessionKey("automode", "every session")
"""Stands in the record of a reset that is for those as well that nobody has seen yet."""

_MARKS = "SELECT chain, seq, body, signature FROM checkpoint WHERE kind = ? ORDER BY seq DESC"
_LAST_BEFORE = "SELECT max(seq) FROM decision WHERE chain = ? AND seq < ?"


class PastUnknown(AutomodeError):
    """Nobody can know whether the session was stopped."""


@dataclass(frozen=True, slots=True)
class _Resumed:
    chain: str
    mark: Mark


def lately_resumed(db: Database, now: float) -> bool:
    return next(_resumed(db, now), None) is not None


def be_sure(db: Database, key: SessionKey, row: SessionRow | None, now: float) -> None:
    """Raises PastUnknown for a session of which the store may have lost something. `row` is all
    that it has; a person's reset since then makes up for the rest."""
    for found in _resumed(db, now):
        if row is not None and (row.seen >= found.mark.at or not _gap(db, found)):
            continue
        if not _reset_since(db, key, found.mark.at):
            raise PastUnknown(
                "the store was damaged or put back, so nobody can know whether this session was"
                " stopped before",
                "Ask the person to start the agent anew, or to run `automode reset` for this"
                " session (`--all` for every one).",
            )


def _resumed(db: Database, now: float) -> Iterator[_Resumed]:
    """The last ones first. Only marks of this installation: what became of another machine's chain
    in the same database says nothing of the sessions here."""
    for chain, number, body, seal in db.rows(_MARKS, (Kind.RESUMED.value,)):
        mark = mark_from(int(str(number)), Kind.RESUMED.value, str(body))
        if mark is None or now - mark.at > DOUBTED_SECONDS:
            continue
        made = mark_seal(db.signing_key, str(chain), mark.number, Kind.RESUMED.value, str(body))
        if same(str(seal), made):
            yield _Resumed(str(chain), mark)


def _gap(db: Database, found: _Resumed) -> bool:
    """Whether records before the mark are missing: then rows are as old as what is left."""
    [(last,)] = db.rows(_LAST_BEFORE, (found.chain, found.mark.first))
    return (last if isinstance(last, int) else 0) < found.mark.first - 1


def _reset_since(db: Database, key: SessionKey, at: float) -> bool:
    return any(
        tables.records(db, RecordQuery(session=one, source=RESET, since=at, limit=1))
        for one in (key, EVERY_SESSION)
    )
