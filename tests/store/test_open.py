"""Reading works with and without a writer."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from automode.store.chain import Chain
from automode.store.changes import RecordQuery
from automode.store.database import Database, ErrorKind, StoreError
from automode.store.folder import StateFolder
from automode.store.open import VERSION, migrate, opened, reading, version
from automode.store.tables import apply, records
from tests.store.examples import decided


def test_a_store_that_does_not_exist_reads_as_an_empty_one(tmp_path: Path, store: str) -> None:
    folder = StateFolder(str(tmp_path / "nowhere"))

    with reading(folder, store) as db:
        assert records(db, RecordQuery()) == []

    assert not Path(folder.path).exists()


def test_what_one_command_writes_another_reads(folder: StateFolder, store: str) -> None:
    with closing(opened(folder, store)) as db, db.transaction():
        apply(db, decided(1, 2), Chain.of(folder))

    with reading(folder, store) as db:
        assert [one.id for one in records(db, RecordQuery())] == ["r0002", "r0001"]


def test_reading_works_while_somebody_writes(folder: StateFolder, store: str) -> None:
    with closing(opened(folder, store)) as writer:
        with writer.transaction():
            apply(writer, decided(1), Chain.of(folder))
        with reading(folder, store) as db:
            assert len(records(db, RecordQuery())) == 1


def test_who_reads_cannot_write(folder: StateFolder, store: str) -> None:
    with closing(opened(folder, store)):
        pass

    with reading(folder, store) as db, pytest.raises(StoreError) as caught:
        db.execute("DELETE FROM meta")

    assert caught.value.kind is ErrorKind.READ_ONLY


def test_reading_works_after_the_writer_was_killed(folder: StateFolder) -> None:
    code = """
import os, sys
from contextlib import closing
from automode.store.tables import apply
from automode.store.chain import Chain
from automode.store.folder import StateFolder
from automode.store.open import opened
from tests.store.examples import decided
folder = StateFolder(sys.argv[1])
with closing(opened(folder)) as db:
    with db.transaction():
        apply(db, decided(1, 2, 3), Chain.of(folder))
    os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", code, folder.path], cwd=Path(__file__).parents[2])

    with reading(folder) as db:
        found = records(db, RecordQuery())
    assert (done.returncode, len(found)) == (-9, 3)


@pytest.mark.parametrize("store", ["", "mysql://x", "sqlite3", "/some/file"])
def test_a_store_of_another_kind_is_refused_with_a_way_out(folder: StateFolder, store: str) -> None:
    with pytest.raises(StoreError, match="neither `sqlite` nor a PostgreSQL URL") as caught:
        opened(folder, store)

    assert "postgresql://" in caught.value.hint


def test_without_its_client_postgresql_is_refused_with_a_way_out(folder: StateFolder) -> None:
    code = """
import sys
sys.modules["psycopg"] = None
from automode.store.database import StoreError
from automode.store.folder import StateFolder
from automode.store.open import opened
try:
    opened(StateFolder(sys.argv[1]), "postgresql://server/x")
except StoreError as trouble:
    print(trouble, trouble.hint)
"""
    command = [sys.executable, "-c", code, folder.path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "automode[postgres]" in done.stdout


def test_an_older_store_says_who_brings_it_up_to_date(folder: StateFolder, store: str) -> None:
    with closing(opened(folder, store)) as db:
        db.execute("DELETE FROM migration WHERE step > 1")

    with pytest.raises(StoreError, match="version `1`") as caught, reading(folder, store):
        pass

    assert "daemon restart" in caught.value.hint


def test_a_damaged_file_is_not_read(folder: StateFolder) -> None:
    Path(folder.database).write_bytes(b"garbage" * 1000)

    with pytest.raises(StoreError) as caught, reading(folder):
        pass

    assert caught.value.kind is ErrorKind.CORRUPT


def test_a_store_of_version_0_1_is_read_as_it_is_and_migrated_by_who_writes(
    folder: StateFolder, store: str
) -> None:
    with closing(opened(folder, store)) as db:
        with db.transaction():
            apply(db, decided(1), Chain.of(folder))
        db.execute("DELETE FROM migration WHERE step > 2")
        db.execute("DROP INDEX session_parent")
        db.execute("CREATE TABLE drained (file TEXT)")

    with reading(folder, store) as db:
        assert len(records(db, RecordQuery())) == 1
    with closing(opened(folder, store)) as db:
        assert (version(db), len(records(db, RecordQuery()))) == (VERSION, 1)


TABLES = (
    *("meta", "session", "event", "decision", "checkpoint", "approval", "usage"),
    "migration",
)


@pytest.mark.parametrize("table", TABLES)
def test_a_new_store_has_every_table(db: Database, table: str) -> None:
    expected = [(VERSION,)] if table == "migration" else [(0,)]

    assert db.rows(f"SELECT count(*) FROM {table}") == expected


def test_migrating_again_changes_nothing(db: Database) -> None:
    migrate(db)

    assert version(db) == VERSION
    assert db.rows("SELECT step FROM migration ORDER BY step") == [
        (step,) for step in range(1, VERSION + 1)
    ]


def test_a_store_from_the_future_is_left_alone(
    db: Database, folder: StateFolder, store: str
) -> None:
    db.execute("INSERT INTO migration (step) VALUES (?)", (VERSION + 1,))
    db.close()

    with pytest.raises(StoreError, match=f"version `{VERSION + 1}`") as caught:
        opened(folder, store)
    with pytest.raises(StoreError), reading(folder, store):
        pass

    assert "update" in caught.value.hint


@pytest.mark.parametrize("damage", ["DROP TABLE migration", "DELETE FROM migration"])
def test_a_store_that_does_not_say_its_version_is_no_empty_one(
    db: Database, folder: StateFolder, store: str, damage: str
) -> None:
    db.execute(damage)
    db.close()

    with pytest.raises(StoreError, match="`migration` is gone or empty") as written:
        opened(folder, store)
    with (
        pytest.raises(StoreError, match="`migration` is gone or empty") as read,
        reading(folder, store),
    ):
        pass

    assert "backup" in written.value.hint
    assert "backup" in read.value.hint


def test_two_machines_that_migrate_at_once_do_it_once(
    folder: StateFolder, postgres_store: str
) -> None:
    code = (
        "import sys; from automode.store.folder import StateFolder;"
        "from automode.store.open import opened; opened(StateFolder(sys.argv[1]), sys.argv[2])"
    )
    command = [sys.executable, "-c", code, folder.path, postgres_store]

    both = [subprocess.Popen(command) for _ in range(2)]

    assert [one.wait() for one in both] == [0, 0]
    with reading(folder, postgres_store) as db:
        assert version(db) == VERSION
