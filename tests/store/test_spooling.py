"""A keeper beside the store: what it keeps waits in the spool, and it takes nothing that counts."""

import asyncio
from pathlib import Path

from automode.core.record import SessionKey
from automode.store.changes import Heard
from automode.store.folder import StateFolder
from automode.store.kept import Place
from automode.store.spool import spool_files
from automode.store.spooling import Spooling

KEY = SessionKey("python", "s")


def test_changes_wait_in_the_spool(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "state")).prepared()

    kept = asyncio.run(Spooling(folder, "sqlite").append([Heard(KEY, 0, "{}")]))

    assert (kept.place, len(spool_files(folder))) == (Place.SPOOLED, 1)


def test_a_spool_that_cannot_be_written_loses_loudly(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    folder = StateFolder(str(tmp_path / "state"))

    kept = asyncio.run(Spooling(folder, "sqlite").append([Heard(KEY, 0, "{}")]))

    assert kept.place is Place.LOST


def test_no_approval_is_taken_by_who_does_not_write(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "state")).prepared()

    assert asyncio.run(Spooling(folder, "sqlite").consume(KEY, "digest", 0.0)) is None
