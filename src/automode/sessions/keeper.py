"""What the desk needs of a store: hands that keep changes and say whether they are written."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from automode.core.record import SessionKey
from automode.store.changes import Approval, Change, Kept
from automode.store.database import Database

T = TypeVar("T")


class Keeper(Protocol):
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
