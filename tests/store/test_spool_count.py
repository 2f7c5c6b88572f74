"""Spooled lines that are taken away before they were written are missed."""

import os
from collections.abc import Callable
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
    assert any("2 spooled lines did not come" in notice for notice in keeper.notices())
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


DEEDS: dict[str, Callable[[StateFolder], None]] = {
    "a line cut out": lambda folder: cut_the_last_line_out(folder),
    "a file deleted": lambda folder: os.unlink(spool_files(folder)[0]),
    "the count deleted": lambda folder: os.unlink(folder.spool_count),
}


def cut_the_last_line_out(folder: StateFolder) -> None:
    path = Path(spool_files(folder)[0])
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_the_writer_that_drains_is_the_one_that_tells(
    folder: StateFolder, store: str, deed: Callable[[StateFolder], None]
) -> None:
    """A command writes for a moment: there may be no second look for days."""
    first = Keeper(folder, store, retry_seconds=0)
    first.keep([decided(1)])
    first.close()
    for number in (2, 4):
        spool(folder, decided(number, number + 1))
    deed(folder)

    brief = Keeper(folder, store, retry_seconds=0)
    brief.open()
    more = brief.tend()
    chain = Chain.of(folder)
    found = brief.work(lambda db: verify(from_database(db, chain.id), chain.key))
    brief.close()

    assert (more, [fault.wrong for fault in found.faults]) == (False, [Wrong.RESUMED])


def test_what_a_chain_that_was_given_up_had_drained_is_not_missed(
    keeper: Keeper, folder: StateFolder, store: str
) -> None:
    spool(folder, decided(1, 2))
    assert drained(keeper) == []
    keeper.close()
    os.unlink(folder.chain)

    again = Keeper(folder, store, retry_seconds=0)
    said = drained(again)
    again.close()

    assert said == [Wrong.RESUMED]


def test_a_count_is_believed_from_its_own_key_alone(tmp_path: Path) -> None:
    count = SpoolCount(str(tmp_path / "count"), KEY)
    count.begin()
    count.add(3)
    count.begin()

    assert (count.lines(), SpoolCount(count.path, b"o" * 32).lines()) == (3, None)
    assert os.stat(count.path).st_mode & 0o777 == 0o600


def test_no_count_is_none(tmp_path: Path) -> None:
    assert SpoolCount(str(tmp_path / "count"), KEY).lines() is None
