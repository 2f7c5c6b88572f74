"""What sessions need of a store, and reading it no longer than a decision may wait."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from automode.core.record import SessionKey
from automode.store.changes import Approval, Change, Kept
from automode.store.database import Database, ErrorKind, StoreError
from automode.store.writer import PATIENCE_SECONDS

T = TypeVar("T")


class StoreAccess(Protocol):
    """Contract: `store.writer.Writer` is one. What was handed to `append` is on its way before the
    call first waits, so that a caller who is cancelled meanwhile loses nothing, and changes of one
    caller are kept in the order of its calls."""

    async def append(self, changes: Sequence[Change]) -> Kept: ...

    async def consume(self, session: SessionKey, digest: str, now: float) -> Approval | None: ...

    async def run(self, work: Callable[[Database], T]) -> T:
        """What `work` finds in the database. Raises what it raises."""
        ...

    def late(self) -> int:
        """How often another process was found to have written. Whoever has sessions in memory
        reads them anew when this has grown."""
        ...

    def notices(self) -> tuple[str, ...]: ...


@dataclass(slots=True)
class Patient:
    """A keeper that gives up on reading as `store.writer` does on writing."""

    keeper: StoreAccess
    seconds: float = PATIENCE_SECONDS

    async def run(self, work: Callable[[Database], T]) -> T:
        """Raises StoreError as well when there is no answer in time."""
        try:
            async with asyncio.timeout(self.seconds):
                return await self.keeper.run(work)
        except TimeoutError as error:
            hint = "see `automode status`; when the store answers again, so does automode"
            raise StoreError(ErrorKind.UNREACHABLE, "the store does not answer", hint) from error

    async def append(self, changes: Sequence[Change]) -> Kept:
        return await self.keeper.append(changes)

    async def consume(self, session: SessionKey, digest: str, now: float) -> Approval | None:
        return await self.keeper.consume(session, digest, now)

    def late(self) -> int:
        return self.keeper.late()

    def notices(self) -> tuple[str, ...]:
        return self.keeper.notices()
