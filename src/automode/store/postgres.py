"""PostgreSQL behind the thin layer: a server that several machines share, errors in our words.

Needs the extra `automode[postgres]`; `store.open` loads this module when a PostgreSQL URL is used.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache

import psycopg
from psycopg.conninfo import conninfo_to_dict

from automode.store.database import Engine, ErrorKind, Row, StoreError, Value
from automode.store.folder import SECRET_BYTES

CONNECT_SECONDS = 3
LOCK_MILLIS = 1000
STATEMENT_MILLIS = 5000

# By the first two characters of the state that the server names, or all five.
_KINDS = {
    "08": ErrorKind.UNREACHABLE,
    "22": ErrorKind.REFUSED,
    "23": ErrorKind.REFUSED,
    "25006": ErrorKind.READ_ONLY,
    "28": ErrorKind.UNREACHABLE,
    "3D": ErrorKind.UNREACHABLE,
    "40": ErrorKind.LOCKED,
    "42501": ErrorKind.READ_ONLY,
    "53": ErrorKind.FULL,
    "53300": ErrorKind.UNREACHABLE,
    "55P03": ErrorKind.LOCKED,
    "57": ErrorKind.UNREACHABLE,
    "57014": ErrorKind.LOCKED,  # it took longer than it may
}
_HINTS = {
    ErrorKind.FULL: "make room on the server's disk",
    ErrorKind.LOCKED: "another program holds a lock; end it or wait",
    ErrorKind.READ_ONLY: "the account in `store` has to be allowed to write",
    ErrorKind.UNREACHABLE: "check `store` in the settings, and that the server runs",
}


class Postgres:
    """A Database on a server. Its URL may hold a password, so no message holds the URL."""

    def __init__(self, connection: "psycopg.Connection[tuple[object, ...]]", secret: str) -> None:
        self._connection = connection
        self._secret = secret
        self.signing_key = secrets.token_bytes(SECRET_BYTES)

    @classmethod
    def connect(
        cls, url: str, *, read_only: bool = False, power_loss_safe: bool = False
    ) -> "Postgres":
        with _store_errors(secret := _password(url)):
            connection: psycopg.Connection[tuple[object, ...]] = psycopg.connect(
                url,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                application_name="automode",
                # A server that is gone without a word must not hold a decision for minutes.
                tcp_user_timeout=STATEMENT_MILLIS,
            )
        db = cls(connection, secret)
        try:
            db._set("lock_timeout", str(LOCK_MILLIS))
            db._set("statement_timeout", str(STATEMENT_MILLIS))
            if read_only:
                db._set("default_transaction_read_only", "on")
            if power_loss_safe:
                db._set("synchronous_commit", "on")
        except StoreError:
            db.close()
            raise
        return db

    @property
    def engine(self) -> Engine:
        return Engine.POSTGRESQL

    def execute(self, sql: str, values: Sequence[Value] = ()) -> int:
        with _store_errors(self._secret):
            return self._connection.execute(_native(sql), values or None).rowcount

    def many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        with _store_errors(self._secret), self._connection.cursor() as cursor:
            cursor.executemany(_native(sql), rows)

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        with _store_errors(self._secret):
            return self._connection.execute(_native(sql), values or None).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self.execute("BEGIN")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            with suppress(psycopg.Error):
                self._connection.execute(b"ROLLBACK")
            raise

    def checkpoint(self, *, truncate: bool = False) -> None:
        """The server looks after itself; what was deleted goes when it next vacuums."""

    def close(self) -> None:
        with suppress(psycopg.Error):
            self._connection.close()

    def _set(self, name: str, value: str) -> None:
        self.rows("SELECT set_config(?, ?, false)", (name, value))


@lru_cache(maxsize=256)
def _native(sql: str) -> bytes:
    return sql.replace("?", "%s").encode()


def _password(url: str) -> str:
    """Raises StoreError for what is no URL; what is wrong with it may quote the password."""
    try:
        found = conninfo_to_dict(url).get("password")
    except psycopg.Error:
        raise StoreError(
            ErrorKind.UNREACHABLE,
            "`store` is a PostgreSQL URL that cannot be read",
            "write `postgresql://account@server/database`; in names and passwords write"
            " `%40` for `@`, `%2F` for `/`, `%3A` for `:`, `%5B` for `[` and `%25` for `%`",
        ) from None
    return str(found) if found else ""


@contextmanager
def _store_errors(secret: str) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        kind = _kind(error)
        what = " ".join(str(error).split())
        what = what.replace(secret, "***") if secret else what
        raise StoreError(kind, f"PostgreSQL failed: {what}", _HINTS.get(kind, "")) from (
            None if secret else error
        )
    except (UnicodeEncodeError, OverflowError) as error:
        raise StoreError(ErrorKind.REFUSED, "PostgreSQL failed: a value does not fit") from error


def _kind(error: psycopg.Error) -> ErrorKind:
    state = error.sqlstate or ""
    found = _KINDS.get(state) or _KINDS.get(state[:2])
    if found is not None:
        return found
    if isinstance(error, psycopg.DataError):
        return ErrorKind.REFUSED
    lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return ErrorKind.UNREACHABLE if lost and not state else ErrorKind.OTHER
