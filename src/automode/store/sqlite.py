"""SQLite behind the thin layer: one file, write-ahead log, errors in our words."""

import errno
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from urllib.parse import quote

from automode.store.database import Engine, ErrorKind, Row, StoreError, Value
from automode.store.folder import SECRET_BYTES

BUSY_SECONDS = 2.0  # a decision waits behind this
_LOG_BYTES = 64 * 1024 * 1024  # a log that a slow reader let grow is cut back to this
# The writer that fills the log waits until it is on the disk. It is emptied earlier, in idle time.
_LOG_PAGES = 4000
COMPANIONS = ("-wal", "-shm")

_KINDS = {
    sqlite3.SQLITE_FULL: ErrorKind.FULL,
    sqlite3.SQLITE_IOERR: ErrorKind.FULL,  # past a quota or a size limit it is an I/O error
    sqlite3.SQLITE_BUSY: ErrorKind.LOCKED,
    sqlite3.SQLITE_LOCKED: ErrorKind.LOCKED,
    sqlite3.SQLITE_CORRUPT: ErrorKind.CORRUPT,
    sqlite3.SQLITE_NOTADB: ErrorKind.CORRUPT,
    sqlite3.SQLITE_READONLY: ErrorKind.READ_ONLY,
    sqlite3.SQLITE_PERM: ErrorKind.READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: ErrorKind.UNREACHABLE,
    sqlite3.SQLITE_CONSTRAINT: ErrorKind.REFUSED,
    sqlite3.SQLITE_TOOBIG: ErrorKind.REFUSED,
    sqlite3.SQLITE_MISMATCH: ErrorKind.REFUSED,
}
_ERRORS = (sqlite3.Error, OverflowError, UnicodeEncodeError)
_REFUSALS = {
    errno.EACCES: ErrorKind.READ_ONLY,
    errno.EPERM: ErrorKind.READ_ONLY,
    errno.EROFS: ErrorKind.READ_ONLY,
    errno.ENOSPC: ErrorKind.FULL,
    errno.EDQUOT: ErrorKind.FULL,
    errno.EFBIG: ErrorKind.FULL,
}
_HINTS = {
    ErrorKind.FULL: "make room on the disk",
    ErrorKind.LOCKED: "another program holds the file; end it or wait",
    ErrorKind.CORRUPT: "stop the daemon and move the file away, or restore a copy of it",
    ErrorKind.READ_ONLY: "make the state folder writable for this account",
    ErrorKind.UNREACHABLE: "make the state folder readable and writable for this account",
    ErrorKind.OTHER: "stop the daemon and move the file away, or restore a copy of it",
}


class Sqlite:
    """A Database in a file."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self._path = path
        self.signing_key = secrets.token_bytes(SECRET_BYTES)

    @classmethod
    def open(
        cls, path: str, *, power_loss_safe: bool = False, checkpoints: bool = False
    ) -> "Sqlite":
        """Opens or makes the file to write. `checkpoints`: whether a full log is emptied."""
        _make_private(path)
        db = cls(_connect(path, "rw"), path)
        try:
            db._set(
                "journal_mode = WAL",
                f"synchronous = {'FULL' if power_loss_safe else 'NORMAL'}",
                f"journal_size_limit = {_LOG_BYTES}",
                f"wal_autocheckpoint = {_LOG_PAGES if checkpoints else 0}",
                "secure_delete = ON",  # what a person purges must not stay in free pages
                "trusted_schema = OFF",
            )
        except StoreError:
            db.close()
            raise
        return db

    @classmethod
    def read(cls, path: str) -> "Sqlite":
        """Opens the file to look at it, while another process may write."""
        db = cls(_connect(path, "ro&immutable=1" if _frozen(path) else "ro"), path)
        try:
            db._set("query_only = ON", "trusted_schema = OFF")
        except StoreError:
            db.close()
            raise
        return db

    @classmethod
    def empty(cls) -> "Sqlite":
        """A database in memory: what a store looks like that does not exist yet."""
        return cls(sqlite3.connect(":memory:", isolation_level=None), ":memory:")

    @property
    def engine(self) -> Engine:
        return Engine.SQLITE

    def execute(self, sql: str, values: Sequence[Value] = ()) -> int:
        try:
            return self._connection.execute(sql, values).rowcount
        except _ERRORS as error:
            raise _translate(error, self._path) from error

    def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        try:
            self._connection.executemany(sql, rows)
        except _ERRORS as error:
            raise _translate(error, self._path) from error

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except _ERRORS as error:
            raise _translate(error, self._path) from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def checkpoint(self, *, truncate: bool = False) -> None:
        self.rows(f"PRAGMA wal_checkpoint({'TRUNCATE' if truncate else 'PASSIVE'})")

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()

    def _roll_back(self) -> None:
        # A full disk makes SQLite roll back by itself.
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _set(self, *pragmas: str) -> None:
        for pragma in pragmas:
            self.rows(f"PRAGMA {pragma}")


def _connect(path: str, mode: str) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            f"file:{quote(path)}?mode={mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,  # they take turns; `Writer` and `reading` see to that
        )
    except _ERRORS as error:
        raise _translate(error, path) from error


def _frozen(path: str) -> bool:
    """Whether the file cannot be written. SQLite must be told, or it would try to make a log."""
    log = path + COMPANIONS[0]
    return not os.path.exists(log) and not os.access(os.path.dirname(path), os.W_OK)


def set_aside(path: str, mark: str) -> str:
    """Moves the file away with its log; nothing is deleted. Returns the new name. Raises
    StoreError."""
    name = f"{path}.{mark}"
    while os.path.lexists(name):
        name += "-again"
    try:
        for companion in ("", *COMPANIONS):
            with suppress(FileNotFoundError):
                os.rename(path + companion, name + companion)
    except OSError as error:
        raise _store_error(
            ErrorKind.READ_ONLY, path, f"cannot be moved, {error.strerror}"
        ) from error
    return name


def _make_private(path: str) -> None:
    """SQLite would make the file readable for all. An existing one is not opened: closing it would
    drop the locks of this process."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError as error:
        if os.path.islink(path):
            raise _store_error(ErrorKind.UNREACHABLE, path, "it is a link") from error
    except OSError as error:
        kind = _REFUSALS.get(error.errno or 0, ErrorKind.UNREACHABLE)
        raise _store_error(kind, path, str(error.strerror)) from error


def _translate(error: Exception, path: str) -> StoreError:
    match error:
        case sqlite3.InterfaceError() | sqlite3.DataError():
            return _store_error(ErrorKind.REFUSED, path, str(error))
        case sqlite3.Error():
            code: object = getattr(error, "sqlite_errorcode", None)  # not where it was never asked
            known = _KINDS.get(code & 0xFF) if isinstance(code, int) else None
            return _store_error(known or ErrorKind.OTHER, path, str(error))
        case _:
            return _store_error(ErrorKind.REFUSED, path, "a value does not fit")


def _store_error(kind: ErrorKind, path: str, what: str) -> StoreError:
    return StoreError(kind, f"the database `{path}` failed: {what}", _HINTS.get(kind, ""))
