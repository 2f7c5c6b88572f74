"""Opens the store, to read or to write; others may do the same at the same time."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from automode.store.database import Database, ErrorKind, StoreError
from automode.store.folder import BadFolder, StateFolder, known_secret, secret
from automode.store.migrations import READABLE, VERSION, check, migrate, version
from automode.store.sqlite import Sqlite

SQLITE = "sqlite"
_URL = re.compile(r"postgres(?:ql)?://")


@contextmanager
def reading(folder: StateFolder, store: str = SQLITE) -> Iterator[Database]:
    """A connection that cannot write; works while a daemon runs, and without one. A store that
    does not exist yet reads as an empty one. Raises StoreError."""
    db = _to_read(folder, store)
    try:
        yield db
    finally:
        db.close()


def opened(folder: StateFolder, store: str = SQLITE, *, power_loss_safe: bool = False) -> Database:
    """The store as writers have it, with all tables. Only for who holds the lock: see
    `store.connection`."""
    db: Database
    if store == SQLITE:
        db = Sqlite.written(folder.database, power_loss_safe=power_loss_safe)
    else:
        db = _postgres(store, read_only=False, power_loss_safe=power_loss_safe)
    try:
        db.signing_key = secret(folder.signing_key)
        migrate(db)
    except BadFolder as error:
        db.close()
        raise StoreError(ErrorKind.READ_ONLY, str(error), error.hint) from error
    except StoreError:
        db.close()
        raise
    return db


def _to_read(folder: StateFolder, store: str) -> Database:
    if store == SQLITE and not os.path.lexists(folder.database):
        return _empty()
    db: Database
    if store == SQLITE:
        db = Sqlite.read(folder.database)
    else:
        db = _postgres(store, read_only=True, power_loss_safe=False)
    try:
        found = check(version(db))
    except StoreError:
        db.close()
        raise
    if found >= READABLE:
        # Looking makes no key. Without one nothing that was sealed is believed.
        with suppress(BadFolder):
            db.signing_key = known_secret(folder.signing_key) or db.signing_key
        return db
    db.close()
    if found == 0:
        return _empty()
    raise StoreError(
        ErrorKind.OTHER,
        f"the store has version `{found}`, this automode reads version `{VERSION}`",
        "`automode daemon restart` brings it up to date",
    )


def _empty() -> Database:
    db = Sqlite.empty()
    migrate(db)
    return db


def _postgres(url: str, *, read_only: bool, power_loss_safe: bool) -> Database:
    if not _URL.match(url):
        raise StoreError(
            ErrorKind.UNREACHABLE,
            "`store` is neither `sqlite` nor a PostgreSQL URL",
            "write `sqlite`, or `postgresql://account@server/database`",
        )
    try:
        # Optional, and it takes longer to load than everything else here.
        from automode.store.postgres import Postgres
    except ImportError as error:
        raise StoreError(
            ErrorKind.UNREACHABLE,
            f"`store` is a PostgreSQL URL, but its client cannot be loaded: {error}",
            "install it with: pip install 'automode[postgres]'",
        ) from error
    return Postgres.connected(url, read_only=read_only, power_loss_safe=power_loss_safe)
