"""What waits in the spool is written once, whatever is in it and whatever happens meanwhile."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from automode.store import keeper as keeper_module
from automode.store.changes import Change, SessionKept
from automode.store.folder import StateFolder
from automode.store.keeper import Keeper
from automode.store.spool import UNREADABLE, spool, spool_files
from automode.store.tables import session, usage_rows
from tests.store.conftest import seen
from tests.store.examples import KEY, ONE_OF_EACH, ROW, USED, decided

ROOT = Path(__file__).parents[2]
NEVER = 1e9


def test_what_others_spooled_is_written_and_their_files_go(
    keeper: Keeper, folder: StateFolder
) -> None:
    spool(folder, decided(1, 2))
    spool(folder, ONE_OF_EACH)

    while keeper.tend():
        pass

    assert {"r0001", "r0002", "r0000", "r0009"} == set(keeper.work(seen))
    assert os.listdir(folder.spool) == []
    assert keeper.work(lambda db: db.rows("SELECT count(*) FROM drained")) == [(0,)]


def test_a_long_spool_is_written_in_portions(keeper: Keeper, folder: StateFolder) -> None:
    spool(folder, decided(*range(1200)))

    goes = 1
    while keeper.tend():
        goes += 1

    count = keeper.work(lambda db: db.rows("SELECT count(*) FROM decision"))
    assert (count, goes >= 3) == ([(1200,)], True)


def test_a_file_that_was_drained_but_not_removed_counts_once(
    keeper: Keeper, folder: StateFolder
) -> None:
    changes: list[Change] = [*decided(1), SessionKept(ROW), USED]
    spool(folder, changes)
    [path] = spool_files(folder)
    copy = Path(path).read_bytes()
    keeper.tend()
    # As after a crash between the commit and the removal.
    Path(path).write_bytes(copy)

    keeper.tend()

    assert keeper.work(seen) == ["r0001"]
    assert keeper.work(usage_rows) == [USED]
    assert keeper.work(lambda db: session(db, KEY)) == ROW


def test_half_a_line_at_the_end_is_kept_aside_and_told(keeper: Keeper, folder: StateFolder) -> None:
    spool(folder, decided(1, 2))
    [path] = spool_files(folder)
    with open(path, "a") as file:
        file.write('{"change": "decided", "rec')

    keeper.tend()

    assert keeper.work(seen) == ["r0001", "r0002"]
    assert os.listdir(folder.spool) == [os.path.basename(path) + UNREADABLE]
    assert any("could be read" in notice for notice in keeper.notices())


def test_lines_nobody_can_read_are_kept_aside_and_the_others_written(
    keeper: Keeper, folder: StateFolder
) -> None:
    spool(folder, decided(1, 2))
    [path] = spool_files(folder)
    first, second = Path(path).read_bytes().splitlines(keepends=True)
    Path(path).write_bytes(b"\xff\x00\n\n" + first + b'{"change": "new"}\n' + second)

    keeper.tend()

    assert keeper.work(seen) == ["r0001", "r0002"]
    assert Path(path + UNREADABLE).read_bytes().startswith(b"\xff\x00\n")


def test_lines_no_database_takes_are_kept_aside_and_the_others_written(
    keeper: Keeper, folder: StateFolder
) -> None:
    spool(folder, [*decided(1), replace(USED, input=2**80), *decided(2)])

    while keeper.tend():
        pass

    assert keeper.work(seen) == ["r0001", "r0002"]
    assert [name.endswith(UNREADABLE) for name in os.listdir(folder.spool)] == [True]


def test_notices_do_not_pile_up(on_sqlite: Keeper, folder: StateFolder) -> None:
    for _ in range(30):
        spool(folder, decided(1))
        for path in spool_files(folder):
            with open(path, "a") as file:
                file.write("half")
    while on_sqlite.tend():
        pass

    assert len(on_sqlite.notices()) <= keeper_module.MOST_NOTICES


def test_a_spool_file_that_cannot_be_removed_is_written_once(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    """The folder lets nothing be removed, as on a disk that turned read-only."""
    spool(folder, decided(1))
    if subprocess.run(["chattr", "+a", folder.spool], capture_output=True).returncode != 0:
        pytest.skip("NO CHATTR: a folder that only grows cannot be made here")

    try:
        for _ in range(3):
            on_sqlite.tend()
        listed = spool_files(folder)
    finally:
        subprocess.run(["chattr", "-a", folder.spool], check=True)

    assert (on_sqlite.work(seen), len(listed)) == (["r0001"], 1)
    assert any("cannot be drained" in notice for notice in on_sqlite.notices())
    again = Keeper(folder, retry_seconds=0)
    on_sqlite.close()
    again.tend()
    assert (again.work(seen), spool_files(folder)) == (["r0001"], [])
    again.close()
