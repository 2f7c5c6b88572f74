"""Changes are written by any number of processes; while they cannot be, denials are kept aside."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.decision import Verdict
from automode.store.changes import WRITTEN, Change, Decided, RecordQuery, canonical, record_fields
from automode.store.database import Database, ErrorKind, StoreError
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import records, usage_rows
from automode.store.writer import StoreWriter
from tests.rows import each_row
from tests.store.conftest import ids, seen, sound
from tests.store.examples import USED, decided, record

ROOT = Path(__file__).parents[2]
NEVER = 1e9


@contextmanager
def locked(folder: StateFolder) -> Iterator[None]:
    """Somebody else holds the database."""
    other = sqlite3.connect(folder.database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield
    other.close()


def denied(*numbers: int) -> list[Change]:
    return [Decided(record(number, Verdict.DENY)) for number in numbers]


def test_a_group_that_no_database_takes_does_not_harm_the_others(writer: StoreWriter) -> None:
    bad = replace(USED, input=2**80)

    kept = writer.keep([decided(1), [*decided(2), bad], decided(3, 4), []])

    assert [one.lost for one in kept] == [False, True, False, False]
    assert "cannot be kept at all" in kept[1].reason
    assert writer.work(seen) == ["r0001", "r0003", "r0004"]
    assert writer.notices() == ()


def test_the_chain_holds_after_something_was_rolled_back(writer: StoreWriter) -> None:
    def half(db: Database) -> None:
        db.execute("INSERT INTO meta (name, value) VALUES ('a', '')")
        raise InterruptedError

    writer.keep([decided(1)])
    writer.keep([[*decided(2), replace(USED, input=2**80)]])
    with pytest.raises(InterruptedError):
        writer.work(half)
    writer.keep([decided(3)])

    found = writer.work(lambda db: records(db, RecordQuery()))

    assert [(one.id, one.seq) for one in found] == [("r0003", 2), ("r0001", 1)]
    assert writer.work(lambda db: db.rows("SELECT count(*) FROM checkpoint")) == [(1,)]
    assert writer.work(lambda db: db.rows("SELECT 1 FROM meta WHERE name = 'a'")) == []


def spoil_all(path: str) -> None:
    Path(path).write_bytes(b"garbage in place of the header" * 300)


def spoil_the_middle(path: str) -> None:
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 4096))


@pytest.mark.parametrize("spoil", [spoil_all, spoil_the_middle])
def test_a_damaged_file_is_kept_aside_and_a_new_one_begun(
    on_sqlite: StoreWriter, folder: StateFolder, spoil: Callable[[str], None]
) -> None:
    on_sqlite.keep([decided(*range(500))])
    on_sqlite.close()
    spoil(folder.database)
    spoiled = Path(folder.database).read_bytes()[:4200]

    kept = on_sqlite.keep([decided(501)])

    [aside] = [path for path in Path(folder.path).glob("*.corrupt-*") if path.suffix[-1] == "Z"]
    assert kept == [WRITTEN]
    assert aside.read_bytes()[:4200] == spoiled
    assert any(aside.name in one and "a new one begun" in one for one in on_sqlite.notices())
    assert ids(folder) == ["r0501"]


@pytest.mark.parametrize("at_first", ["nothing", "a folder"])
def test_the_chain_says_that_it_was_begun_anew(
    on_sqlite: StoreWriter, folder: StateFolder, at_first: str
) -> None:
    """Also where the new file could not be made at first. The log of the old one is kept aside."""
    on_sqlite.keep([decided(1)])
    os.unlink(folder.database)
    if at_first == "a folder":
        os.mkdir(folder.database)
        assert on_sqlite.keep([decided(2)])[0].lost
        os.rmdir(folder.database)

    kept = on_sqlite.keep([decided(2)])

    marks = on_sqlite.work(lambda db: db.rows("SELECT kind, body FROM checkpoint ORDER BY seq"))
    assert kept == [WRITTEN]
    assert [kind for kind, _ in marks] == ["began", "resumed"]
    assert any("moved or deleted" in str(body) for _, body in marks)
    assert any("moved or deleted" in notice for notice in on_sqlite.notices())
    assert any(".gone-" in name for name in os.listdir(folder.path))
    assert ids(folder) == ["r0002"]


def test_who_finds_a_damaged_file_second_does_not_move_the_new_one(folder: StateFolder) -> None:
    both = [StoreWriter(folder), StoreWriter(folder)]
    found = [writer._ready() for writer in both]
    damaged = StoreError(ErrorKind.CORRUPT, "it is damaged")

    replaced = [writer._replace(one, damaged) for writer, one in zip(both, found, strict=True)]

    stale = [one.stale for one in replaced]
    for writer in both:
        writer.close()
    aside = [name for name in os.listdir(folder.path) if ".corrupt-" in name]
    assert len({name.removesuffix("-wal").removesuffix("-shm") for name in aside}) == 1
    assert stale == [False, False]


def test_with_a_folder_or_a_key_that_cannot_be_used_nothing_counts_as_kept(
    on_sqlite: StoreWriter, folder: StateFolder, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    Path(folder.signing_key).write_text("short")
    os.chmod(folder.signing_key, 0o600)

    [nowhere] = StoreWriter(StateFolder(str(tmp_path / "file"))).keep([decided(1)])
    [unsealed] = on_sqlite.keep([decided(1)])

    assert "cannot be made" in nowhere.reason
    assert "does not hold 32 bytes" in unsealed.reason


def test_quiet_moments_are_used_to_empty_the_log(
    on_sqlite: StoreWriter, folder: StateFolder
) -> None:
    on_sqlite.keep([decided(*range(100))])
    before = os.path.getsize(folder.database)

    on_sqlite.tend()
    without = os.path.getsize(folder.database)
    on_sqlite.checkpoints = True
    on_sqlite.tend()

    assert without == before  # one process moves the log: the daemon
    assert os.path.getsize(folder.database) > before


def test_what_is_denied_while_the_database_is_locked_is_written_later(
    on_sqlite: StoreWriter, folder: StateFolder
) -> None:
    on_sqlite.keep([denied(1)])

    with locked(folder):
        during = on_sqlite.keep([denied(2), decided(3)])
        notices = on_sqlite.notices()
    on_sqlite.tend()

    assert all("locked" in one.reason for one in during)
    assert "locked" in notices[0]
    assert ids(folder) == ["r0001", "r0002"]  # what was allowed was never answered so
    assert (on_sqlite.notices(), os.path.exists(folder.outage)) == ((), False)
    assert sound(folder, "sqlite")


def test_an_ailing_database_is_left_in_peace_for_a_while(folder: StateFolder) -> None:
    os.mkdir(folder.database)
    writer = StoreWriter(folder, retry_seconds=NEVER)
    writer.keep([denied(1)])
    os.rmdir(folder.database)

    assert writer.keep([denied(2)])[0].lost
    with pytest.raises(StoreError):
        writer.work(seen)
    writer.close()


def test_what_can_be_kept_nowhere_is_told(on_sqlite: StoreWriter, folder: StateFolder) -> None:
    on_sqlite.open()
    os.mkdir(folder.outage)
    with locked(folder):
        on_sqlite.keep([denied(1, 2)])

    assert any(notice.startswith("2 changes are lost") for notice in on_sqlite.notices())


def test_an_import_that_was_cut_short_is_done_again_and_counts_once(folder: StateFolder) -> None:
    lines = [canonical(record_fields(record(number, Verdict.ASK))) for number in (1, 2)]
    Path(folder.outage + ".importing").write_text("\n".join(lines))
    Path(folder.outage).write_text(canonical(record_fields(record(3, Verdict.DENY))) + "\n")

    for _ in range(2):
        writer = StoreWriter(folder)
        writer.keep([[Decided(record(1, Verdict.ASK))]])
        writer.tend()
        writer.close()

    assert sorted(ids(folder)) == ["r0001", "r0002", "r0003"]
    with reading(folder) as db:
        assert len(usage_rows(db)) == 3


FORGED = {
    "an allow": canonical(record_fields(record(7))),
    "a reset": canonical(record_fields(record(7, Verdict.DENY, source="person.reset"))),
    "half a line": canonical(record_fields(record(7, Verdict.DENY)))[:-9],
    "no record": "{}",
    "garbage": "\x00\x00",
    "too deep": "[" * 100_000,
}


@each_row("line", FORGED.values())
def test_what_somebody_put_into_the_outage_file_loosens_nothing(
    folder: StateFolder, line: str
) -> None:
    good = canonical(record_fields(record(1, Verdict.DENY)))
    Path(folder.outage).write_text(f"{line}\n{good}\n")
    writer = StoreWriter(folder)

    writer.open()

    assert writer.work(seen) == ["r0001"]
    assert any(notice.startswith("1 lines of") for notice in writer.notices())
    writer.close()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_an_outage_file_that_is_none_holds_nobody_up(folder: StateFolder, make: object) -> None:
    make(folder.outage)  # type: ignore[operator]
    writer = StoreWriter(folder)

    assert writer.keep([decided(1)]) == [WRITTEN]
    writer.close()


def test_writers_write_in_turn_and_notice_each_other(
    writer: StoreWriter, folder: StateFolder
) -> None:
    second = StoreWriter(folder, writer.store, retry_seconds=0)
    for number in range(6):
        assert (writer, second)[number % 2].keep([decided(number)]) == [WRITTEN]

    assert len(writer.work(seen)) == 6
    assert (writer.others, second.others) == (3, 2)
    second.close()
    assert sound(folder, writer.store)


WRITE_TEN = """
import sys
from automode.store.folder import StateFolder
from automode.store.writer import StoreWriter
from tests.store.examples import decided
writer = StoreWriter(StateFolder(sys.argv[1]), sys.argv[2], retry_seconds=0)
for number in range(10):
    while writer.keep([decided(10 * int(sys.argv[3]) + number)])[0].lost:
        pass
writer.close()
"""


def test_twenty_processes_write_at_once_and_the_chain_is_sound(
    folder: StateFolder, store: str
) -> None:
    command = [sys.executable, "-c", WRITE_TEN, folder.path, store]
    started = [subprocess.Popen([*command, str(number)], cwd=ROOT) for number in range(20)]

    assert [one.wait(120) for one in started] == [0] * 20
    assert sorted(ids(folder, store)) == [f"r{number:04}" for number in range(200)]
    assert sound(folder, store)
    after = StoreWriter(folder, store, retry_seconds=0)
    after.open()
    assert after.notices() == ()  # the head file knows of them all
    after.close()


def test_a_server_that_does_not_answer_is_an_outage(folder: StateFolder) -> None:
    writer = StoreWriter(folder, f"postgresql://nobody@/x?host={folder.path}", retry_seconds=0)

    [kept] = writer.keep([denied(1)])

    assert kept.lost
    assert json.loads(Path(folder.outage).read_text())["id"] == "r0001"
    with pytest.raises(StoreError) as caught:
        writer.work(seen)
    assert caught.value.kind is ErrorKind.UNREACHABLE
    writer.close()


def test_a_copied_folder_extends_the_same_chain(
    folder: StateFolder, tmp_path: Path, postgres_store: str
) -> None:
    first = StoreWriter(folder, postgres_store, retry_seconds=0)
    first.keep([decided(1)])
    copied = StateFolder(str(tmp_path / "copy")).prepared()
    for name in ("chain.id", "signing.key", "chain.witness"):
        target = Path(copied.path, name)
        target.touch(0o600)
        target.write_bytes(Path(folder.path, name).read_bytes())
    second = StoreWriter(copied, postgres_store, retry_seconds=0)

    kept = [one.keep([decided(number)])[0] for number, one in ((2, second), (3, first))]

    assert kept == [WRITTEN] * 2
    assert sound(folder, postgres_store)
    first.close()
    second.close()
