"""The same promises on both engines."""

import math
import sqlite3
from contextlib import suppress

import pytest

from automode.store.database import Database, Engine, ErrorKind, StoreError, Value

VALUES: tuple[Value, ...] = (
    *("text", "ü 你 🙂", "a%sb", "what?", "'; DROP TABLE meta; --", ""),
    *(0, -1, 2**63 - 1, -(2**63)),
    *(0.1, 1e300, -0.0, 1_700_000_000.123456),
)


class Interrupted(Exception):
    pass


def names(db: Database) -> list[object]:
    return [name for (name,) in db.rows("SELECT name FROM meta ORDER BY name")]


def put(db: Database, *kept: str) -> None:
    db.many("INSERT INTO meta (name, value) VALUES (?, ?)", [(name, "") for name in kept])


@pytest.mark.parametrize("value", VALUES)
def test_a_value_comes_back_as_it_was(db: Database, value: Value) -> None:
    kind = {str: "TEXT", int: "BIGINT", float: "DOUBLE PRECISION"}[type(value)]
    db.execute(f"CREATE TABLE sample (kept {kind})")

    db.execute("INSERT INTO sample (kept) VALUES (?)", (value,))

    [(found,)] = db.rows("SELECT kept FROM sample")
    assert (found, type(found)) == (value, type(value))


def test_execute_says_how_many_rows_it_changed(db: Database) -> None:
    put(db, "a", "b", "c")

    assert db.execute("DELETE FROM meta WHERE name > ?", ("a",)) == 2
    assert db.execute("DELETE FROM meta WHERE name > ?", ("a",)) == 0


def test_what_a_transaction_did_stays(db: Database) -> None:
    with db.transaction():
        put(db, "a")

    assert names(db) == ["a"]


def test_a_transaction_that_is_left_by_an_error_did_nothing(db: Database) -> None:
    with suppress(Interrupted), db.transaction():
        put(db, "a")
        raise Interrupted

    assert names(db) == []


def test_a_transaction_with_a_refused_statement_did_nothing_and_the_next_one_works(
    db: Database,
) -> None:
    with pytest.raises(StoreError) as caught, db.transaction():
        put(db, "a", "a")
    with db.transaction():
        put(db, "b")

    assert caught.value.kind is ErrorKind.REFUSED
    assert names(db) == ["b"]


def test_a_statement_that_was_swallowed_inside_does_not_make_half_a_transaction(
    db: Database,
) -> None:
    with suppress(StoreError), db.transaction():
        with suppress(StoreError):
            put(db, "a", "a")
        put(db, "b")

    # PostgreSQL gives the whole transaction up, SQLite the one row: never the row alone.
    assert names(db) in ([], ["a", "b"], ["b"])


REFUSED: dict[str, tuple[str, Value]] = {
    "a NUL": ("model", "a\x00b"),
    "half a surrogate pair": ("model", "\ud800"),
    "a number that is too large": ("input", 2**80),
}


@pytest.mark.parametrize(("column", "value"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_kept_is_refused_or_kept_as_it_is(
    db: Database, column: str, value: Value
) -> None:
    kept: dict[str, Value] = dict.fromkeys(_USAGE_TEXTS, "") | dict.fromkeys(_USAGE_NUMBERS, 0)
    kept[column] = value
    sql = f"INSERT INTO usage ({', '.join(kept)}) VALUES ({', '.join('?' * len(kept))})"

    kind = None
    try:
        db.execute(sql, tuple(kept.values()))
    except StoreError as trouble:
        kind = trouble.kind

    # SQLite takes a NUL, PostgreSQL does not.
    kept_rows = db.rows(f"SELECT {column} FROM usage")
    assert (kind, kept_rows) in ((ErrorKind.REFUSED, []), (None, [(value,)]))


_USAGE_TEXTS = ("id", "host", "session", "stage", "model")
_USAGE_NUMBERS = ("at", "input", "output", "cache_read", "cache_write", "millis")


def test_a_statement_that_is_none_is_trouble(db: Database) -> None:
    with pytest.raises(StoreError) as caught:
        db.execute("SELEC")

    assert caught.value.kind is ErrorKind.OTHER


def test_a_closed_database_is_trouble_and_can_be_closed_again(db: Database) -> None:
    db.close()
    db.close()

    with pytest.raises(StoreError):
        db.rows("SELECT 1")


def test_a_checkpoint_changes_nothing(db: Database) -> None:
    put(db, "a")

    db.checkpoint()
    db.checkpoint(truncate=True)

    assert names(db) == ["a"]


def test_the_engine_is_told(db: Database, store: str) -> None:
    assert db.engine is (Engine.SQLITE if store == "sqlite" else Engine.POSTGRESQL)


def test_infinity_survives_or_is_refused(db: Database) -> None:
    db.execute("CREATE TABLE sample (kept DOUBLE PRECISION)")

    db.execute("INSERT INTO sample (kept) VALUES (?)", (math.inf,))

    assert db.rows("SELECT kept FROM sample") == [(math.inf,)]


def test_the_standard_library_is_what_we_think_it_is() -> None:
    assert sqlite3.threadsafety >= 1
    assert sqlite3.sqlite_version_info >= (3, 35)  # RETURNING
