"""The records that come in while somebody watches."""

from dataclasses import dataclass, field

from automode.core.recent import Recent
from automode.core.record import Record
from automode.store.changes import RecordQuery
from automode.store.database import StoreError
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import Stored, records

EARLIER = 50  # records of the time before that the first look has
LATE = EARLIER  # or fewer: what a look reads again has to be known
"""Rows of other machines may come in with lower numbers than what is there already."""
MOST_AT_ONCE = 1000


@dataclass(slots=True)
class Newcomers:
    """The records that the store did not hold when it was last looked at, the oldest first. Every
    decision is in the store before its agent hears of it, whoever decided. A look reads what is
    new, however many records there are."""

    folder: StateFolder
    store: str
    _seen: Recent[str, None] = field(default_factory=lambda: Recent(4 * MOST_AT_ONCE))
    _newest: int | None = None

    def look(self) -> list[Record]:
        return [one.record for one in self.rows() if one.record is not None]

    def rows(self) -> list[Stored]:
        """The same with their numbers; those with content."""
        query = RecordQuery(limit=EARLIER)
        if self._newest is not None:
            query = RecordQuery(after=max(self._newest - LATE, 0), limit=MOST_AT_ONCE)
        try:
            with reading(self.folder, self.store) as db:
                found = records(db, query)
        except StoreError:
            return []  # `automode status` says what ails the store
        self._newest = max((self._newest or 0, *(one.number for one in found)))
        new = [one for one in reversed(found) if one.id not in self._seen]
        for one in new:
            self._seen[one.id] = None
        return [one for one in new if one.record is not None]
