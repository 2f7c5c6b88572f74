"""A keeper for a process that does not write the store: it reads there and writes beside it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from automode.core.record import SessionKey
from automode.store.changes import Approval, Change
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.kept import Kept, Place
from automode.store.open import reading
from automode.store.spool import spool

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Spooling:
    """What it is given waits in the spool for whoever writes the store next."""

    folder: StateFolder
    store: str

    async def append(self, changes: Sequence[Change]) -> Kept:
        try:
            spool(self.folder, changes)
        except (OSError, ValueError) as error:
            return Kept(Place.LOST, f"the spool cannot be written ({type(error).__name__})")
        return Kept(Place.SPOOLED, "no daemon answers, so it waits in the spool")

    async def consume(self, session: SessionKey, digest: str, now: float) -> Approval | None:
        """None: what counts once can be taken only by who writes the store."""
        return None

    async def run(self, work: Callable[[Database], T]) -> T:
        with reading(self.folder, self.store) as db:
            return work(db)

    def notices(self) -> tuple[str, ...]:
        return ()
