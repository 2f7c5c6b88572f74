"""From nothing to now, once; and never backwards."""

import subprocess
import sys

import pytest

from automode.store.database import Database, StoreError
from automode.store.folder import StateFolder
from automode.store.open import VERSION, migrate, opened, reading, version

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
