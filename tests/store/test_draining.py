"""What waits in the spool is written once, whatever is in it and whatever happens meanwhile."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from automode.store import keeper as keeper_module
from automode.store.changes import Change, SessionKept
from automode.store.database import Database
from automode.store.encoding import encoded
from automode.store.folder import StateFolder, secret
from automode.store.keeper import Keeper
from automode.store.seals import sealed_line
from automode.store.spool import UNREADABLE, spool, spool_files
from automode.store.tables import approvals, events, session, usage_rows
from tests.store.conftest import seen
from tests.store.examples import (
    APPROVED,
    FORGOTTEN,
    HEARD,
    KEY,
    NOON,
    ROW,
    SPOOLABLE,
    USED,
    decided,
)

ROOT = Path(__file__).parents[2]
NEVER = 1e9


def test_what_others_spooled_is_written_and_their_files_go(
    keeper: Keeper, folder: StateFolder
) -> None:
    spool(folder, decided(1, 2))
    spool(folder, SPOOLABLE)

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
    assert keeper.work(lambda db: session(db, KEY)) == replace(ROW, mode="")


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


def put_into_the_spool(folder: StateFolder, lines: bytes, name: str = "2-abc.jsonl") -> str:
    path = os.path.join(folder.spool, name)
    Path(path).write_bytes(lines)
    return path


ATTACKS: dict[str, Change] = {
    "auto mode off": SessionKept(replace(ROW, mode="off", seen=NOON + 9999)),
    "a yes": APPROVED,
    "words of the person": HEARD,
    "a reset": FORGOTTEN,
    "a record": decided(7)[0],
}


def stored(db: Database) -> Sequence[object]:
    return session(db, KEY), events(db, KEY), approvals(db), seen(db)


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("how", ["bare", "another key"])
def test_a_line_that_this_key_did_not_seal_is_never_applied(
    keeper: Keeper, folder: StateFolder, attack: Change, how: str
) -> None:
    keeper.keep([[*decided(1), SessionKept(replace(ROW, mode="on"))]])
    before = keeper.work(stored)
    line = f"{encoded(attack)}\n".encode()
    if how == "another key":
        line = sealed_line(b"x" * 32, "2-abc.jsonl", 1, encoded(attack))
    path = put_into_the_spool(folder, line)

    keeper.tend()

    assert keeper.work(stored) == before
    assert Path(path + UNREADABLE).read_bytes() == line
    assert any(path in notice and "sealed" in notice for notice in keeper.notices())


@pytest.mark.parametrize("attack", [APPROVED, FORGOTTEN], ids=["a yes", "a reset"])
def test_what_a_person_decides_is_not_taken_from_a_spool_even_when_it_is_sealed(
    keeper: Keeper, folder: StateFolder, attack: Change
) -> None:
    keeper.keep([[SessionKept(ROW), replace(APPROVED, id="a9", digest="e" * 64)]])
    before = keeper.work(stored)
    line = sealed_line(secret(folder.signing_key), "2-abc.jsonl", 1, encoded(attack))
    path = put_into_the_spool(folder, line)

    keeper.tend()

    assert keeper.work(stored) == before
    assert os.path.exists(path + UNREADABLE)


@pytest.mark.parametrize("mode", ["", "on", "off"])
def test_a_spooled_session_leaves_the_switch_as_it_is(
    keeper: Keeper, folder: StateFolder, mode: str
) -> None:
    keeper.keep([[SessionKept(replace(ROW, mode=mode))]])
    newer = replace(ROW, mode="off" if mode == "on" else "on", seen=ROW.seen + 1, cwd="/new")
    spool(folder, [SessionKept(newer)])

    keeper.tend()

    assert keeper.work(lambda db: session(db, KEY)) == replace(newer, mode=mode)


def test_a_line_counts_in_its_own_file_alone_and_once(keeper: Keeper, folder: StateFolder) -> None:
    spool(folder, decided(1, 2))
    [path] = spool_files(folder)
    first, second = Path(path).read_bytes().splitlines(keepends=True)
    Path(path).write_bytes(second + first + second)
    moved = put_into_the_spool(folder, first)

    while keeper.tend():
        pass

    assert keeper.work(seen) == ["r0002"]
    assert os.path.exists(moved + UNREADABLE)
    assert os.path.exists(path + UNREADABLE)


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
