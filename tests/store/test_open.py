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
from automode.store.open import VERSION, migrate, open_store, reading, version
from automode.store.tables import apply, precedents, records
from tests.rows import each_row
from tests.store.examples import decided


def test_a_store_that_does_not_exist_reads_as_an_empty_one(tmp_path: Path, store: str) -> None:
    folder = StateFolder(str(tmp_path / "nowhere"))

    with reading(folder, store) as db:
        assert records(db, RecordQuery()) == []

    assert not Path(folder.path).exists()


def test_what_one_command_writes_another_reads_meanwhile_and_later(
    folder: StateFolder, store: str
) -> None:
    with closing(open_store(folder, store)) as db:
        with db.transaction():
            apply(db, decided(1, 2), Chain.of(folder))
        with reading(folder, store) as reader:
            during = records(reader, RecordQuery())

    with reading(folder, store) as reader:
        assert [one.id for one in records(reader, RecordQuery())] == ["r0002", "r0001"]
        with pytest.raises(StoreError) as caught:
            reader.execute("DELETE FROM meta")
    assert (len(during), caught.value.kind) == (2, ErrorKind.READ_ONLY)


@each_row("name", ["", "mysql://x", "sqlite3", "/some/file"])
def test_a_store_of_another_kind_is_refused_with_a_way_out(folder: StateFolder, name: str) -> None:
    with pytest.raises(StoreError, match="neither `sqlite` nor a PostgreSQL URL") as caught:
        open_store(folder, name)

    assert "postgresql://" in caught.value.hint


def test_without_its_client_postgresql_is_refused_with_a_way_out(folder: StateFolder) -> None:
    code = """
import sys
sys.modules["psycopg"] = None
from automode.store.database import StoreError
from automode.store.folder import StateFolder
from automode.store.open import open_store
try:
    open_store(StateFolder(sys.argv[1]), "postgresql://server/x")
except StoreError as trouble:
    print(trouble, trouble.hint)
"""
    command = [sys.executable, "-c", code, folder.path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "with its extra `postgres`" in done.stdout


def test_a_damaged_file_is_not_read(folder: StateFolder) -> None:
    Path(folder.database).write_bytes(b"garbage" * 1000)

    with pytest.raises(StoreError) as caught, reading(folder):
        pass

    assert caught.value.kind is ErrorKind.CORRUPT


def test_a_store_of_version_0_1_is_read_as_it_is_and_migrated_by_who_writes(
    folder: StateFolder, store: str
) -> None:
    with closing(open_store(folder, store)) as db:
        with db.transaction():
            apply(db, decided(1), Chain.of(folder))
        db.execute("UPDATE migration SET step = 2")
        db.execute("DROP INDEX session_parent")
        db.execute("DROP TABLE precedent")
        db.execute("CREATE TABLE drained (file TEXT)")

    with reading(folder, store) as db:
        assert len(records(db, RecordQuery())) == 1
    with closing(open_store(folder, store)) as db:
        assert (version(db), len(records(db, RecordQuery()))) == (VERSION, 1)


def test_a_store_from_before_precedents_gets_their_table(folder: StateFolder, store: str) -> None:
    with closing(open_store(folder, store)) as db:
        db.execute("UPDATE migration SET step = 3")
        db.execute("DROP TABLE precedent")

    with closing(open_store(folder, store)) as db:
        assert (version(db), precedents(db, "/r", 0.0, 9)) == (VERSION, [])


TABLES = (
    *("meta", "session", "event", "decision", "checkpoint", "approval", "precedent", "usage"),
    "migration",
)


def test_a_new_store_has_every_table_and_migrating_again_changes_nothing(db: Database) -> None:
    migrate(db)

    counts = {name: db.rows(f"SELECT count(*) FROM {name}")[0][0] for name in TABLES}
    assert counts == dict.fromkeys(TABLES, 0) | {"migration": 1}
    assert version(db) == VERSION


@pytest.mark.parametrize("other", [1, VERSION + 1])
def test_a_store_of_an_unknown_version_is_left_alone(
    db: Database, folder: StateFolder, store: str, other: int
) -> None:
    db.execute("UPDATE migration SET step = ?", (other,))
    db.close()

    with pytest.raises(StoreError, match=f"version `{other}`") as caught:
        open_store(folder, store)
    with pytest.raises(StoreError), reading(folder, store):
        pass

    assert "update" in caught.value.hint


@pytest.mark.parametrize("damage", ["DROP TABLE migration", "DELETE FROM migration"])
def test_a_store_that_does_not_say_its_version_is_no_empty_one(
    db: Database, folder: StateFolder, store: str, damage: str
) -> None:
    db.execute(damage)
    db.close()

    for look in (open_store, lambda *where: reading(*where).__enter__()):
        with pytest.raises(StoreError, match="`migration` is gone or empty") as caught:
            look(folder, store)
        assert "backup" in caught.value.hint


def test_two_machines_that_migrate_at_once_do_it_once(
    folder: StateFolder, postgres_store: str
) -> None:
    code = (
        "import sys; from automode.store.folder import StateFolder;"
        "from automode.store.open import open_store;"
        "open_store(StateFolder(sys.argv[1]), sys.argv[2])"
    )
    command = [sys.executable, "-c", code, folder.path, postgres_store]

    both = [subprocess.Popen(command) for _ in range(2)]

    assert [one.wait() for one in both] == [0, 0]
    with reading(folder, postgres_store) as db:
        assert version(db) == VERSION
