"""SQLite's own ways of failing, each with a real file in that state, in our words."""

import os
import sqlite3
from pathlib import Path

import pytest

from automode.store.database import ErrorKind, StoreError
from automode.store.sqlite import Sqlite, set_aside


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "a ? % #.db")


def filled(path: str, rows: int = 1) -> None:
    db = Sqlite.written(path)
    db.execute("CREATE TABLE t (a TEXT)")
    db.many("INSERT INTO t (a) VALUES (?)", [("x" * 1000,)] * rows)
    db.close()


def test_the_file_is_for_its_owner_alone(path: str) -> None:
    filled(path)
    db = Sqlite.written(path)
    db.execute("INSERT INTO t (a) VALUES ('y')")

    modes = [os.stat(path + tail).st_mode & 0o777 for tail in ("", "-wal", "-shm")]

    db.close()
    assert modes == [0o600] * 3


SAFETY = {False: 1, True: 2}  # NORMAL and FULL, as SQLite numbers them


@pytest.mark.parametrize(("power_loss_safe", "level"), SAFETY.items())
def test_how_safe_a_commit_is_can_be_chosen(path: str, power_loss_safe: bool, level: int) -> None:
    db = Sqlite.written(path, power_loss_safe=power_loss_safe)

    found = [db.rows(f"PRAGMA {name}") for name in ("synchronous", "journal_mode")]

    db.close()
    assert found == [[(level,)], [("wal",)]]


def test_a_reader_sees_what_is_committed_while_somebody_writes(path: str) -> None:
    filled(path)
    writer, reader = Sqlite.written(path), Sqlite.read(path)

    with writer.transaction():
        writer.execute("INSERT INTO t (a) VALUES ('y')")
        during = reader.rows("SELECT count(*) FROM t")
    after = reader.rows("SELECT count(*) FROM t")

    writer.close()
    reader.close()
    assert (during, after) == ([(1,)], [(2,)])


def test_a_reader_cannot_write(path: str) -> None:
    filled(path)
    db = Sqlite.read(path)

    with pytest.raises(StoreError) as caught:
        db.execute("DELETE FROM t")

    db.close()
    assert caught.value.kind is ErrorKind.READ_ONLY


def test_a_reader_makes_no_file(path: str) -> None:
    with pytest.raises(StoreError) as caught:
        Sqlite.read(path)

    assert caught.value.kind is ErrorKind.UNREACHABLE
    assert not os.path.exists(path)


def test_a_locked_file_is_told_with_a_way_out(path: str) -> None:
    filled(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    db = Sqlite.written(path)

    with pytest.raises(StoreError, match="locked") as caught, db.transaction():
        pass

    other.close()
    db.close()
    assert (caught.value.kind, bool(caught.value.hint)) == (ErrorKind.LOCKED, True)


def test_garbage_in_place_of_the_file_is_told(path: str) -> None:
    Path(path).write_bytes(b"this is no database at all, but it is long enough" * 100)

    with pytest.raises(StoreError) as caught:
        Sqlite.written(path)

    assert caught.value.kind is ErrorKind.CORRUPT


def test_garbage_in_the_middle_is_told_when_it_is_read(path: str) -> None:
    filled(path, rows=200)
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(size // 2)
        file.write(os.urandom(16_384))
    db = Sqlite.written(path)

    with pytest.raises(StoreError) as caught:
        db.rows("SELECT sum(length(a)) FROM t")

    db.close()
    assert caught.value.kind is ErrorKind.CORRUPT


def test_a_folder_in_its_place_is_told(path: str) -> None:
    os.mkdir(path)

    with pytest.raises(StoreError) as caught:
        Sqlite.written(path)

    assert caught.value.kind is ErrorKind.UNREACHABLE


def test_a_link_in_its_place_is_not_followed(path: str, tmp_path: Path) -> None:
    os.symlink(tmp_path / "elsewhere", path)

    with pytest.raises(StoreError):
        Sqlite.written(path)

    assert not (tmp_path / "elsewhere").exists()


def test_what_is_set_aside_keeps_its_log_and_can_be_opened(path: str) -> None:
    writer = Sqlite.written(path)
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
    db = Sqlite.written(path)
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
