"""Changes are kept in the database, else in the spool, else in memory; and nothing counts twice."""

import fcntl
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from automode.store import keeper as keeper_module
from automode.store.changes import Change, RecordQuery, SessionKept
from automode.store.database import Ailment, Database, Trouble
from automode.store.draining import MOST_FILES
from automode.store.folder import StateFolder
from automode.store.keeper import Keeper
from automode.store.kept import WRITTEN, Place
from automode.store.lock import WriterLock
from automode.store.open import reading
from automode.store.spool import Spool, spool_files
from automode.store.tables import approvals, records
from tests.store.conftest import ids, seen
from tests.store.examples import APPROVED, FORGOTTEN, ROW, USED, decided

ROOT = Path(__file__).parents[2]
NEVER = 1e9


@contextmanager
def locked(folder: StateFolder) -> Iterator[None]:
    """Somebody else holds the database."""
    other = sqlite3.connect(folder.database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield
    other.close()


@contextmanager
def no_spool(folder: StateFolder) -> Iterator[None]:
    """There is a file where the spool should be."""
    os.rmdir(folder.spool)
    Path(folder.spool).write_text("")
    yield
    os.unlink(folder.spool)
    os.mkdir(folder.spool)


def test_groups_that_come_together_are_all_written(keeper: Keeper) -> None:
    kept = keeper.keep([decided(1), decided(2, 3), []])

    assert kept == [WRITTEN] * 3
    assert keeper.work(seen) == ["r0001", "r0002", "r0003"]
    assert keeper.notices() == ()


def test_a_group_that_no_database_takes_does_not_harm_the_others(keeper: Keeper) -> None:
    bad = replace(USED, input=2**80)

    kept = keeper.keep([decided(1), [*decided(2), bad], decided(3)])

    assert [one.place for one in kept] == [Place.WRITTEN, Place.LOST, Place.WRITTEN]
    assert "cannot be kept at all" in kept[1].reason
    assert keeper.work(seen) == ["r0001", "r0003"]


def test_work_that_fails_did_nothing_and_the_next_one_works(keeper: Keeper) -> None:
    def half(db: Database) -> None:
        db.execute("INSERT INTO meta (name, value) VALUES ('a', '')")
        raise InterruptedError

    with pytest.raises(InterruptedError):
        keeper.work(half)

    found = keeper.work(lambda db: db.rows("SELECT count(*) FROM meta WHERE name = 'a'"))
    assert found == [(0,)]


def test_the_chain_holds_after_something_was_rolled_back(keeper: Keeper) -> None:
    keeper.keep([decided(1)])
    keeper.keep([[*decided(2), replace(USED, input=2**80)]])
    keeper.work(lambda db: db.rows("SELECT 1"))
    keeper.keep([decided(3)])

    found = keeper.work(lambda db: records(db, RecordQuery()))

    assert [(one.id, one.seq) for one in found] == [("r0003", 2), ("r0001", 1)]
    assert keeper.work(lambda db: db.rows("SELECT count(*) FROM checkpoint")) == [(1,)]


def test_a_locked_database_sends_changes_to_the_spool_and_they_are_written_later(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    on_sqlite.keep([decided(1)])

    with locked(folder):
        during = on_sqlite.keep([decided(2), decided(3)])
        notices = on_sqlite.notices()
    on_sqlite.tend()

    assert [one.place for one in during] == [Place.SPOOLED] * 2
    assert "locked" in during[0].reason
    assert "locked" in notices[0]
    assert ids(folder) == ["r0001", "r0002", "r0003"]
    assert (on_sqlite.notices(), os.listdir(folder.spool)) == ((), [])


@pytest.mark.parametrize("groups", [1, 3, 700])
def test_who_reads_misses_nothing_that_waits(
    on_sqlite: Keeper, folder: StateFolder, groups: int
) -> None:
    spool = Spool(folder)
    for number in range(1, groups + 1):
        spool.keep(decided(number))

    assert len(on_sqlite.work(seen)) == groups
    assert os.listdir(folder.spool) == []


@pytest.mark.parametrize("files", [1, MOST_FILES + 1])
def test_who_reads_does_not_wait_for_who_still_writes_beside_the_store(
    on_sqlite: Keeper, folder: StateFolder, files: int
) -> None:
    on_sqlite.keep([decided(1)])
    for number in range(files):
        Spool(folder).keep(decided(number + 2))
    held = [open(path, "rb") for path in spool_files(folder)]  # noqa: SIM115 - many at once
    for file in held:
        fcntl.flock(file, fcntl.LOCK_SH)

    found = on_sqlite.work(seen)
    for file in held:
        file.close()

    assert found[0] == "r0001"
    assert len(on_sqlite.work(seen)) == files + 1
    assert os.listdir(folder.spool) == []


def test_who_reads_is_told_when_nobody_can_say_what_waits(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    on_sqlite.keep([decided(1)])
    with no_spool(folder), pytest.raises(Trouble, match="spool"):
        on_sqlite.work(seen)

    assert on_sqlite.work(seen) == ["r0001"]


def test_an_ailing_database_is_left_in_peace_for_a_while(folder: StateFolder) -> None:
    keeper = Keeper(folder, retry_seconds=NEVER)
    keeper.open()
    with locked(folder):
        keeper.keep([decided(1)])

    after = keeper.keep([decided(2)])

    assert after[0].place is Place.SPOOLED
    with pytest.raises(Trouble):
        keeper.work(seen)
    keeper.close()


def test_without_a_spool_changes_stay_in_memory_and_are_written_later(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    on_sqlite.open()
    with locked(folder), no_spool(folder):
        [kept] = on_sqlite.keep([decided(1)])
        notices = on_sqlite.notices()
    on_sqlite.tend()

    assert kept.lost
    assert "neither can it be spooled" in kept.reason
    assert "1 changes are in memory alone" in notices
    assert (ids(folder), on_sqlite.notices()) == (["r0001"], ())


def test_what_is_in_memory_goes_to_the_spool_when_that_works_again(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    on_sqlite.open()
    with locked(folder):
        with no_spool(folder):
            on_sqlite.keep([decided(1)])
        on_sqlite.tend()

        assert len(spool_files(folder)) == 1


def test_memory_is_bounded_and_what_does_not_fit_is_told(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    on_sqlite.open()
    many = [USED] * (keeper_module.MOST_IN_MEMORY + 5)
    with locked(folder), no_spool(folder):
        [kept] = on_sqlite.keep([many])
        notices = on_sqlite.notices()

    assert kept.lost
    assert any(notice.startswith("5 changes are lost") for notice in notices)


def test_something_in_memory_that_no_database_takes_does_not_stop_the_rest(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    on_sqlite.open()
    with locked(folder), no_spool(folder):
        on_sqlite.keep([[replace(USED, input=2**80)], decided(1)])
    while any("in memory" in notice for notice in on_sqlite.notices()):
        on_sqlite.tend()

    assert ids(folder) == ["r0001"]


def test_closing_keeps_what_is_in_memory(folder: StateFolder) -> None:
    keeper = Keeper(folder, retry_seconds=NEVER)
    keeper.open()
    with locked(folder), no_spool(folder):
        keeper.keep([decided(1)])

    keeper.close()

    assert ids(folder) == ["r0001"]


def test_of_two_keepers_one_writes_and_the_other_spools(
    keeper: Keeper, folder: StateFolder
) -> None:
    second = Keeper(folder, keeper.store, retry_seconds=0)
    keeper.open()

    [kept] = second.keep([decided(1)])
    while keeper.tend():
        pass

    assert kept.place is Place.SPOOLED
    assert f"another process (pid {os.getpid()})" in kept.reason
    assert keeper.work(seen) == ["r0001"]
    keeper.close()
    assert second.keep([decided(2)]) == [WRITTEN]
    second.close()


def test_a_damaged_file_is_kept_aside_and_a_new_one_begun(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    Path(folder.database).write_bytes(b"garbage in place of the header" * 300)

    kept = on_sqlite.keep([decided(1)])

    aside = [name for name in os.listdir(folder.path) if ".corrupt-" in name]
    assert kept == [WRITTEN]
    assert [Path(folder.path, name).read_bytes()[:7] for name in aside] == [b"garbage"]
    assert any(aside[0] in notice for notice in on_sqlite.notices())
    assert ids(folder) == ["r0001"]


def test_damage_in_the_middle_is_noticed_when_it_is_met(folder: StateFolder) -> None:
    first = Keeper(folder)
    first.keep([decided(*range(500))])
    first.close()
    size = os.path.getsize(folder.database)
    with open(folder.database, "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))
    second = Keeper(folder)

    kept = second.keep([decided(501)])

    assert kept == [WRITTEN]
    assert any("a new one begun" in notice for notice in second.notices())
    second.close()
    assert ids(folder) == ["r0501"]


def test_the_chain_says_that_it_was_begun_anew(on_sqlite: Keeper, folder: StateFolder) -> None:
    on_sqlite.keep([decided(1)])
    os.unlink(folder.database)

    kept = on_sqlite.keep([decided(2)])

    marks = on_sqlite.work(lambda db: db.rows("SELECT kind, body FROM checkpoint ORDER BY seq"))
    assert kept == [WRITTEN]
    assert any("moved or deleted" in str(body) for _, body in marks)
    assert any("moved or deleted" in notice for notice in on_sqlite.notices())
    assert ids(folder) == ["r0002"]


def test_the_chain_says_so_also_when_the_new_file_could_not_be_made_at_first(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    on_sqlite.keep([decided(1)])
    os.unlink(folder.database)
    os.mkdir(folder.database)

    [during] = on_sqlite.keep([decided(2)])
    os.rmdir(folder.database)
    on_sqlite.tend()

    marks = on_sqlite.work(lambda db: db.rows("SELECT kind FROM checkpoint ORDER BY seq"))
    assert during.place is Place.SPOOLED
    assert marks == [("began",), ("resumed",)]


def test_a_log_without_its_file_is_kept_aside(folder: StateFolder) -> None:
    Path(folder.database + "-wal").write_bytes(b"x" * 100)
    keeper = Keeper(folder)

    kept = keeper.keep([decided(1)])

    keeper.close()
    assert kept == [WRITTEN]
    assert any(".gone-" in name for name in os.listdir(folder.path))


@pytest.mark.parametrize("word", [APPROVED, FORGOTTEN], ids=["a yes", "a reset"])
def test_what_a_person_decides_is_written_or_does_not_hold(
    keeper: Keeper, folder: StateFolder, word: Change
) -> None:
    keeper.keep([[SessionKept(ROW), replace(APPROVED, id="a9")]])
    before = keeper.work(approvals)
    keeper.close()
    somebody = WriterLock(folder)
    somebody.acquire()

    yes, record = keeper.keep([[word], decided(1)])
    somebody.release()
    while keeper.tend():
        pass

    assert (yes.place, record.place) == (Place.LOST, Place.SPOOLED)
    assert "person" in yes.reason
    assert (keeper.work(approvals), keeper.work(seen)) == (before, ["r0001"])


def test_with_a_key_that_cannot_be_used_nothing_counts_as_kept(
    on_sqlite: Keeper, folder: StateFolder
) -> None:
    Path(folder.signing_key).write_text("short")
    os.chmod(folder.signing_key, 0o600)

    [kept] = on_sqlite.keep([decided(1)])

    assert kept.place is Place.LOST
    assert "does not hold 32 bytes" in kept.reason


def test_quiet_moments_are_used_to_empty_the_log(on_sqlite: Keeper, folder: StateFolder) -> None:
    on_sqlite.keep([decided(*range(100))])
    before = os.path.getsize(folder.database)

    assert on_sqlite.tend() is False
    assert os.path.getsize(folder.database) > before


def test_a_lock_that_somebody_holds_is_no_trouble_for_reading(folder: StateFolder) -> None:
    keeper = Keeper(folder)
    keeper.keep([decided(1)])

    found = ids(folder)

    keeper.close()
    assert found == ["r0001"]


def test_closing_lets_go_of_the_lock(folder: StateFolder) -> None:
    keeper = Keeper(folder)
    keeper.open()
    keeper.close()
    lock = WriterLock(folder)

    lock.acquire()

    assert lock.held
    lock.release()


def test_no_answer_of_a_server_sends_changes_to_the_spool(folder: StateFolder) -> None:
    keeper = Keeper(folder, f"postgresql://nobody@/x?host={folder.path}", retry_seconds=0)

    [kept] = keeper.keep([decided(1)])

    assert kept.place is Place.SPOOLED
    with pytest.raises(Trouble) as caught:
        keeper.work(seen)
    assert caught.value.ailment is Ailment.UNREACHABLE
    keeper.close()


def test_a_copied_folder_does_not_extend_the_same_chain(
    folder: StateFolder, tmp_path: Path, postgres_store: str
) -> None:
    first = Keeper(folder, postgres_store, retry_seconds=0)
    first.keep([decided(1)])
    copied = StateFolder(str(tmp_path / "copy")).prepared()
    for name in ("chain.id", "signing.key"):
        source = Path(folder.path, name)
        target = Path(copied.path, name)
        target.touch(0o600)
        target.write_text(source.read_text())
    second = Keeper(copied, postgres_store, retry_seconds=0)

    [kept] = second.keep([decided(2)])
    first.close()
    written = second.tend()

    assert kept.place is Place.SPOOLED
    assert "extends the chain" in kept.reason
    assert (written, ids(folder, postgres_store)) == (False, ["r0001", "r0002"])
    second.close()


def test_two_machines_share_a_server_with_a_chain_each(
    folder: StateFolder, tmp_path: Path, postgres_store: str
) -> None:
    other = StateFolder(str(tmp_path / "other"))
    keepers = [Keeper(place, postgres_store) for place in (folder, other)]

    for number in range(6):
        assert keepers[number % 2].keep([decided(number)]) == [WRITTEN]

    with reading(folder, postgres_store) as db:
        found = records(db, RecordQuery())
    assert sorted(one.seq for one in found) == [1, 1, 2, 2, 3, 3]
    assert len({one.chain for one in found}) == 2
    for keeper in keepers:
        keeper.close()


APPEND_AND_SAY = """
import sys
from automode.store.folder import StateFolder
from automode.store.keeper import Keeper
from tests.store.examples import decided
keeper = Keeper(StateFolder(sys.argv[1]), sys.argv[2])
for number in range(1_000_000):
    [kept] = keeper.keep([decided(number)])
    print(f"r{number:04}", kept.place, flush=True)
"""


def test_what_was_acknowledged_before_a_kill_is_there_after_it(
    folder: StateFolder, store: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", APPEND_AND_SAY, folder.path, store],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as child:
        assert child.stdout is not None
        said = [child.stdout.readline().split() for _ in range(300)]
        child.kill()
        said += [
            line.split()
            for line in child.stdout.read().splitlines(keepends=True)
            if line.endswith("\n")
        ]

    found = set(ids(folder, store))

    assert {place for _, place in said} == {"written"}
    assert {own for own, _ in said} - found == set()
    assert len(found) <= len(said) + 1
