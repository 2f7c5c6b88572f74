"""The decisions that come in while somebody watches, and what they add up to."""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal

from automode.cli.printing import count_text
from automode.core.decision import Verdict
from automode.core.recent import Recent
from automode.core.record import Record
from automode.store.changes import RecordQuery
from automode.store.database import StoreError
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import records

EARLIER = 50  # records of the time before that are shown for a start
LOOK_SECONDS = 0.5
MOST_AT_ONCE = 1000


@dataclass(slots=True)
class Newcomers:
    """The records that the store did not hold when it was last looked at, the oldest first. Every
    decision is in the store before its agent hears of it, whoever decided."""

    folder: StateFolder
    store: str
    _seen: Recent[str, None] = field(default_factory=lambda: Recent(4 * MOST_AT_ONCE))
    _newest: float | None = None

    def look(self) -> list[Record]:
        first = self._newest is None
        limit = EARLIER if first else MOST_AT_ONCE
        try:
            with reading(self.folder, self.store) as db:
                found = records(db, RecordQuery(since=self._newest, limit=limit))
        except StoreError:
            return []  # `automode status` says what ails the store
        new = [one.record for one in reversed(found) if one.record is not None]
        new = [one for one in new if one.id not in self._seen]
        for one in new:
            self._seen[one.id] = None
        self._newest = max((self._newest or 0.0, *(one.at for one in new)))
        return new


@dataclass(slots=True)
class Tally:
    """What came by since the watching began."""

    verdicts: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    unpriced: int = 0
    usd: Decimal = Decimal(0)

    def add(self, record: Record) -> None:
        if record.source.startswith("person."):
            return  # what a person did was decided by nobody
        self.verdicts[record.verdict.word] += 1
        for stage in record.stages:
            self.requests += 1
            self.unpriced += stage.usd is None
            self.usd += Decimal(stage.usd or 0)

    def __str__(self) -> str:
        counts = "  ".join(f"{one.word} {self.verdicts[one.word]:,}" for one in Verdict)
        unknown = f" + {self.unpriced} unknown" if self.unpriced else ""
        asked = count_text(self.requests, "request")
        return f"{counts}  |  model {asked}, {self.usd:.4f} USD{unknown}"
