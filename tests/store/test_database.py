"""The same promises on both engines."""

import math
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from automode.store.database import Database, Engine, ErrorKind, StoreError, Value
from automode.store.sqlite import Sqlite, set_aside
from tests.rows import each_row

VALUES: tuple[Value, ...] = (
    *("text", "ü 你 🙂", "a%sb", "what?", "'; DROP TABLE meta; --", ""),
    *(0, -1, 2**63 - 1, -(2**63)),
    *(0.1, 1e300, -0.0, 1_700_000_000.123456, math.inf),
)


class Interrupted(Exception):
    pass


def names(db: Database) -> list[object]:
    return [name for (name,) in db.rows("SELECT name FROM meta ORDER BY name")]


def put(db: Database, *kept: str) -> None:
    db.many("INSERT INTO meta (name, value) VALUES (?, ?)", [(name, "") for name in kept])


@each_row("value", VALUES)
def test_a_value_comes_back_as_it_was(db: Database, value: Value) -> None:
    kind = {str: "TEXT", int: "BIGINT", float: "DOUBLE PRECISION"}[type(value)]
    table = f"sample_{kind[:4]}"
    db.execute(f"CREATE TABLE IF NOT EXISTS {table} (kept {kind})")
    db.execute(f"DELETE FROM {table}")

    db.execute(f"INSERT INTO {table} (kept) VALUES (?)", (value,))

    [(found,)] = db.rows(f"SELECT kept FROM {table}")
    assert (found, type(found)) == (value, type(value))


def test_execute_says_how_many_rows_it_changed(db: Database, store: str) -> None:
    put(db, "a", "b", "c")

    assert [db.execute("DELETE FROM meta WHERE name > ?", ("a",)) for _ in range(2)] == [2, 0]
    db.checkpoint()
    db.checkpoint(truncate=True)
    assert names(db) == ["a"]
    assert db.engine is (Engine.SQLITE if store == "sqlite" else Engine.POSTGRESQL)


def test_what_a_transaction_did_stays_unless_it_was_left_by_an_error(db: Database) -> None:
    with db.transaction():
        put(db, "a")
    with suppress(Interrupted), db.transaction():
        put(db, "b")
        raise Interrupted

    assert names(db) == ["a"]


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


def test_a_closed_database_is_trouble_and_so_is_what_is_no_statement(db: Database) -> None:
    with pytest.raises(StoreError) as caught:
        db.execute("SELEC")
    db.close()
    db.close()

    with pytest.raises(StoreError):
        db.rows("SELECT 1")
    assert caught.value.kind is ErrorKind.OTHER


def test_the_standard_library_is_what_we_think_it_is() -> None:
    assert sqlite3.threadsafety >= 1
    assert sqlite3.sqlite_version_info >= (3, 35)  # RETURNING


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "a ? % #.db")


def filled(path: str, rows: int = 1) -> None:
    db = Sqlite.open(path)
    db.execute("CREATE TABLE t (a TEXT)")
    db.many("INSERT INTO t (a) VALUES (?)", [("x" * 1000,)] * rows)
    db.close()


def test_the_file_is_for_its_owner_alone(path: str) -> None:
    filled(path)
    db = Sqlite.open(path)
    db.execute("INSERT INTO t (a) VALUES ('y')")

    modes = [os.stat(path + tail).st_mode & 0o777 for tail in ("", "-wal", "-shm")]

    db.close()
    assert modes == [0o600] * 3


SAFETY = {False: 1, True: 2}  # NORMAL and FULL, as SQLite numbers them


@pytest.mark.parametrize(("power_loss_safe", "level"), SAFETY.items())
def test_how_safe_a_commit_is_can_be_chosen(path: str, power_loss_safe: bool, level: int) -> None:
    db = Sqlite.open(path, power_loss_safe=power_loss_safe)

    found = [db.rows(f"PRAGMA {name}") for name in ("synchronous", "journal_mode")]

    db.close()
    assert found == [[(level,)], [("wal",)]]


def test_a_reader_sees_what_is_committed_and_cannot_write(path: str) -> None:
    filled(path)
    writer, reader = Sqlite.open(path), Sqlite.read(path)

    with writer.transaction():
        writer.execute("INSERT INTO t (a) VALUES ('y')")
        during = reader.rows("SELECT count(*) FROM t")
    after = reader.rows("SELECT count(*) FROM t")
    with pytest.raises(StoreError) as caught:
        reader.execute("DELETE FROM t")

    writer.close()
    reader.close()
    assert (during, after, caught.value.kind) == ([(1,)], [(2,)], ErrorKind.READ_ONLY)


def test_what_is_no_file_of_ours_is_told(path: str) -> None:
    def told(opened: Callable[[str], Sqlite]) -> ErrorKind:
        with pytest.raises(StoreError) as caught:
            opened(path)
        return caught.value.kind

    assert told(Sqlite.read) is ErrorKind.UNREACHABLE
    assert not os.path.exists(path)
    os.mkdir(path)
    assert told(Sqlite.open) is ErrorKind.UNREACHABLE
    os.rmdir(path)
    Path(path).write_bytes(b"this is no database at all, but it is long enough" * 100)
    assert told(Sqlite.open) is ErrorKind.CORRUPT


def test_a_locked_file_is_told_with_a_way_out(path: str) -> None:
    filled(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    db = Sqlite.open(path)

    with pytest.raises(StoreError, match="locked") as caught, db.transaction():
        pass

    other.close()
    db.close()
    assert (caught.value.kind, bool(caught.value.hint)) == (ErrorKind.LOCKED, True)


def test_garbage_in_the_middle_is_told_when_it_is_read(path: str) -> None:
    filled(path, rows=200)
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(size // 2)
        file.write(os.urandom(16_384))
    db = Sqlite.open(path)

    with pytest.raises(StoreError) as caught:
        db.rows("SELECT sum(length(a)) FROM t")

    db.close()
    assert caught.value.kind is ErrorKind.CORRUPT


def test_a_link_in_its_place_is_not_followed(path: str, tmp_path: Path) -> None:
    os.symlink(tmp_path / "elsewhere", path)

    with pytest.raises(StoreError):
        Sqlite.open(path)

    assert not (tmp_path / "elsewhere").exists()


def test_what_is_set_aside_keeps_its_log_and_can_be_opened(path: str) -> None:
    writer = Sqlite.open(path)
    writer.execute("CREATE TABLE t (a TEXT)")

    names = [set_aside(path, "corrupt-1")]
    filled(path)
    names.append(set_aside(path, "corrupt-1"))

    writer.close()
    assert names == [f"{path}.corrupt-1", f"{path}.corrupt-1-again"]
    assert not os.path.exists(path)
    db = Sqlite.read(names[1])
    assert db.rows("SELECT count(*) FROM t") == [(1,)]
    db.close()


def test_what_was_deleted_is_not_in_the_file_any_more(path: str) -> None:
    db = Sqlite.open(path)
    db.execute("CREATE TABLE t (a TEXT)")
    db.execute("INSERT INTO t (a) VALUES ('a-very-secret-sentence')")
    db.execute("DELETE FROM t")

    db.checkpoint(truncate=True)

    files = [path + tail for tail in ("", "-wal") if os.path.exists(path + tail)]
    kept = b"".join(Path(file).read_bytes() for file in files)
    db.close()
    assert b"a-very-secret-sentence" not in kept


def test_a_folder_that_cannot_be_written_can_be_read(path: str, tmp_path: Path) -> None:
    filled(path)
    os.chmod(tmp_path, 0o500)

    db = Sqlite.read(path)
    found = db.rows("SELECT count(*) FROM t")

    db.close()
    os.chmod(tmp_path, 0o700)
    assert found == [(1,)]
