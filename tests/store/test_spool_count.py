"""Spooled lines that are taken away before they were written are missed."""

import os
from pathlib import Path

import pytest

from automode.store.chain import Chain
from automode.store.changes import Change
from automode.store.evidence import from_database
from automode.store.faults import Wrong
from automode.store.folder import StateFolder
from automode.store.keeper import Keeper
from automode.store.spool import spool, spool_files
from automode.store.spool_count import SpoolCount
from automode.store.verify import verify
from tests.store.conftest import seen
from tests.store.examples import SPOOLABLE, decided

KEY = b"k" * 32


def drained(keeper: Keeper) -> list[Wrong]:
    """Everything is written that waits; what verification says then."""
    keeper.open()
    while keeper.tend():
        pass
    keeper.tend()
    chain = Chain.of(keeper.folder)
    found = keeper.work(lambda db: verify(from_database(db, chain.id), chain.key))
    return [fault.wrong for fault in found.faults]


@pytest.mark.parametrize("changes", [decided(1), list(SPOOLABLE)], ids=["one", "each kind"])
def test_what_is_drained_is_not_missed(
    keeper: Keeper, folder: StateFolder, changes: list[Change]
) -> None:
    for _ in range(3):
        spool(folder, changes)

        assert drained(keeper) == []
    assert keeper.notices() == ()


@pytest.mark.parametrize("begun", [False, True])
def test_files_that_were_deleted_are_missed(
    keeper: Keeper, folder: StateFolder, begun: bool
) -> None:
    if begun:
        keeper.keep([decided(1)])
        assert drained(keeper) == []
    spool(folder, decided(2, 3))
    for path in spool_files(folder):
        os.unlink(path)

    assert drained(keeper) == [Wrong.RESUMED]
    assert any("2 spooled lines were taken away" in notice for notice in keeper.notices())
    assert drained(keeper) == [Wrong.RESUMED]


def test_a_line_cut_out_of_a_file_is_missed(keeper: Keeper, folder: StateFolder) -> None:
    spool(folder, decided(1, 2, 3))
    [path] = spool_files(folder)
    first, _, third = Path(path).read_bytes().splitlines(keepends=True)
    Path(path).write_bytes(first + third)

    assert drained(keeper) == [Wrong.RESUMED]
    assert keeper.work(seen) == ["r0001", "r0003"]


@pytest.mark.parametrize("content", [None, b"", b'{"lines": 0, "seal": ""}'])
def test_a_count_that_is_gone_or_forged_is_said_once(
    keeper: Keeper, folder: StateFolder, content: bytes | None
) -> None:
    keeper.keep([decided(1)])
    spool(folder, decided(2))
    assert drained(keeper) == []
    os.unlink(folder.spool_count)
    if content is not None:
        Path(folder.spool_count).write_bytes(content)
    spool(folder, decided(3))

    assert drained(keeper) == [Wrong.RESUMED]
    spool(folder, decided(4))
    assert drained(keeper) == [Wrong.RESUMED]


def test_a_count_is_believed_from_its_own_key_alone(tmp_path: Path) -> None:
    count = SpoolCount(str(tmp_path / "count"), KEY)
    count.begin()
    count.add(3)
    count.begin()

    assert (count.lines(), SpoolCount(count.path, b"o" * 32).lines()) == (3, None)
    assert os.stat(count.path).st_mode & 0o777 == 0o600


def test_no_count_is_none(tmp_path: Path) -> None:
    assert SpoolCount(str(tmp_path / "count"), KEY).lines() is None
