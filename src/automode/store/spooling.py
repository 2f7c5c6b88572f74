"""A keeper for a process that does not write the store: it reads there and writes beside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from automode.core.record import SessionKey
from automode.store.changes import Approval, Change, Decided, SessionKept
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.foreseen import Foresight
from automode.store.kept import Kept, Place
from automode.store.spool import spool
from automode.store.tally import uncounted

T = TypeVar("T")


@dataclass(slots=True)
class Spooling:
    """What it is given waits in the spool for whoever writes the store next. Others may decide in
    the same session meanwhile, so its sessions wait there without their counts: see `tally`."""

    folder: StateFolder
    store: str
    _foresight: Foresight = field(init=False)
    _histories: dict[SessionKey, str] = field(default_factory=dict)  # as they were last given

    def __post_init__(self) -> None:
        self._foresight = Foresight(self.folder, self.store)

    async def append(self, changes: Sequence[Change]) -> Kept:
        try:
            spool(self.folder, self._uncounted(changes))
        except (OSError, ValueError) as error:
            return Kept(Place.LOST, f"the spool cannot be written ({type(error).__name__})")
        return Kept(Place.SPOOLED, "no daemon answers, so it waits in the spool")

    async def consume(self, session: SessionKey, digest: str, now: float) -> Approval | None:
        """None: what counts once can be taken only by who writes the store."""
        return None

    async def run(self, work: Callable[[Database], T]) -> T:
        with self._foresight.reading() as db:
            return work(db)

    def late(self) -> int:
        """Never: it keeps no session in memory for longer than a call."""
        return 0

    def notices(self) -> tuple[str, ...]:
        return ()

    def _uncounted(self, changes: Sequence[Change]) -> list[Change]:
        """The rows come first: a record is counted in the row that is there."""
        decided = any(isinstance(one, Decided) for one in changes)
        rows = [one.row for one in changes if isinstance(one, SessionKept)]
        told: list[Change] = []
        for row in rows:
            before = None if decided else self._histories.get(row.key)
            told.append(SessionKept(uncounted(row, before)))
            self._histories[row.key] = row.history
        return [*told, *(one for one in changes if not isinstance(one, SessionKept))]
