"""The thin layer under everything that is kept: the same SQL on SQLite and PostgreSQL."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Protocol, TypeAlias

from automode.core.errors import AutomodeError

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[object, ...]


class ErrorKind(StrEnum):
    """What is wrong with a database, as far as it decides what to do about it."""

    FULL = "full"
    LOCKED = "locked"
    CORRUPT = "corrupt"
    READ_ONLY = "read-only"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"  # these values cannot be kept; the database itself is well
    OTHER = "other"


class StoreError(AutomodeError):
    """The database could not do what was asked. Nothing of the transaction has happened."""

    def __init__(self, kind: ErrorKind, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.kind = kind


class Engine(StrEnum):
    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"


class Database(Protocol):
    """One connection, used by one thread at a time. Placeholders are `?` on both engines, so no
    statement may hold a question mark or a percent sign. Truth values are 0 and 1; text is
    `store.changes.storable`. Everything raises StoreError and nothing else."""

    signing_key: bytes
    """What seals rows that could loosen the gate: see `store.links`. Random unless it is
    set, so that no earlier seal is valid."""

    @property
    def engine(self) -> Engine: ...

    def execute(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Returns how many rows it changed."""
        ...

    def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """The same statement for every row."""
        ...

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]: ...

    def transaction(self) -> AbstractContextManager[None]:
        """Commits at the end; rolls back when something is raised. Not nested. SQLite takes the
        write lock at its beginning; on PostgreSQL others may write meanwhile, except to the chain
        of this writer."""
        ...

    def checkpoint(self, *, truncate: bool = False) -> None:
        """Moves the log into the database. `truncate`: nothing deleted stays in the log."""
        ...

    def close(self) -> None: ...
