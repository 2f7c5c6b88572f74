"""Appending to the chain: once each, in order, sealed, and never over somebody else's traces."""

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from automode.core.record import Record
from automode.store.chain import GONE, Chain, HeadFile, HeadFileState, read_head_file
from automode.store.database import Database
from automode.store.folder import StateFolder, known_secret
from automode.store.links import Head, Kind, link, record_of
from automode.store.open import open_store, reading
from automode.store.retention import purge_all
from automode.store.verify import (
    Findings,
    Wrong,
    chain_rows,
    chains,
    compare_with_head_file,
    from_database,
    verify,
)
from automode.store.writer import StoreWriter
from tests.store.conftest import insert_row
from tests.store.examples import NOON, decided, record

KEY = b"k" * 32


@pytest.fixture
def chain() -> Chain:
    return Chain("c1", KEY)


def append(db: Database, chain: Chain, *records: Record) -> int:
    with db.transaction():
        count = chain.append(db, records)
    chain.note_commit()
    return count


def findings(db: Database, key: bytes = KEY) -> Findings:
    return verify(from_database(db, "c1"), key)


def wrongs(db: Database) -> set[tuple[Wrong, str]]:
    fault = findings(db).fault
    return set() if fault is None else {(fault.wrong, fault.place)}


def column(db: Database, name: str) -> list[object]:
    return [value for (value,) in db.rows(f"SELECT {name} FROM decision ORDER BY seq")]


def test_records_follow_each_other_over_any_number_of_commits(db: Database, chain: Chain) -> None:
    append(db, chain, record(1), record(2))
    append(db, Chain("c2", KEY), record(7))
    append(db, chain, record(3))

    rows = list(chain_rows(db, "c1"))
    assert [row.seq for row in rows] == [1, 2, 3]
    assert [row.previous for row in rows] == ["", *(row.hash for row in rows[:-1])]
    assert [record_of(row.body) for row in rows] == [record(number) for number in (1, 2, 3)]
    assert (findings(db).sound, findings(db).records) == (True, 3)
    [mark] = findings(db).marks
    assert (mark.kind, mark.at, mark.first) == (Kind.BEGAN, NOON + 1, 1)


def test_a_record_is_kept_once_however_often_it_is_handed_in(db: Database, chain: Chain) -> None:
    several: Sequence[Record] = [record(number) for number in range(1, 1202)]
    counts = [
        append(db, chain, record(1), record(1)),
        append(db, chain, record(1)),
        append(db, chain, *several),
        append(db, chain, *several),
        append(db, chain),
    ]

    assert counts == [1, 0, 1200, 0, 0]
    assert column(db, "id") == [one.id for one in several]
    assert findings(db).sound


@pytest.mark.parametrize("text", [None, "{}", "no JSON"])
def test_an_end_that_is_gone_is_not_mended_in_silence(
    db: Database, chain: Chain, text: str | None
) -> None:
    append(db, chain, record(1), record(2))
    if text is None:
        db.execute("DELETE FROM meta")
    else:
        db.execute("UPDATE meta SET value = ?", (text,))

    append(db, Chain("c1", KEY), record(3))

    assert wrongs(db) == {(Wrong.RESUMED, "mark 2")}
    assert column(db, "seq") == [1, 2, 3]


def test_another_key_goes_on_and_says_so(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))

    append(db, Chain("c1", b"other"), record(2))

    assert wrongs(db) == {(Wrong.ALTERED, "mark 2")}
    assert [mark.kind for mark in findings(db, b"other").marks] == [Kind.RESUMED]


def test_a_chain_that_is_cut_while_it_is_written_shows_the_cut(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))
    [(head,)] = db.rows("SELECT value FROM meta")
    append(db, chain, record(2), record(3))
    db.execute("DELETE FROM decision WHERE seq > 1")
    db.execute("UPDATE meta SET value = ?", (str(head),))

    append(db, chain, record(4))

    assert wrongs(db) == {(Wrong.REMOVED, "records 2 to 3")}


def test_a_row_behind_the_end_is_never_taken_over(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))
    forged = link(record(2), "c1", 2, str(column(db, "hash")[0]))
    insert_row(db, "c1", forged)
    assert wrongs(db) == {(Wrong.ADDED, "record 2")}

    append(db, chain, record(3))

    assert column(db, "seq") == [1, 2, 3]
    assert wrongs(db) == {(Wrong.RESUMED, "mark 2")}
    assert findings(db).marks[1].count == 1


def test_a_mark_behind_the_end_is_never_taken_over(db: Database, chain: Chain) -> None:
    append(db, chain, record(1))
    append(db, chain, record(2))
    db.execute(
        "INSERT INTO checkpoint (chain, seq, kind, body, signature)"
        " VALUES ('c1', 2, 'pruned', '{}', '')"
    )

    append(db, chain, record(3))

    assert wrongs(db) == {(Wrong.ALTERED, "mark 2")}
    assert column(db, "seq") == [1, 2, 3]


GAP = "the database ends with record {}, but record {} was written"


def found(folder: StateFolder, store: str = "sqlite") -> Findings:
    """As `automode audit verify` finds it: looking makes no file."""
    sighting = read_head_file(folder)
    with reading(folder, store) as db:
        name = Path(folder.chain).read_text().strip() if os.path.exists(folder.chain) else ""
        if not name and store == "sqlite":
            name = next(iter(chains(db)), "")
        own = verify(from_database(db, name), known_secret(folder.signing_key))
    return compare_with_head_file(own, sighting)


def places(findings: Findings) -> set[tuple[Wrong, str]]:
    fault = findings.fault
    return set() if fault is None else {(fault.wrong, fault.place)}


def write(folder: StateFolder, store: str, *numbers: int) -> tuple[str, ...]:
    """In a life of a writer of its own; says what it has to tell."""
    writer = StoreWriter(folder, store, retry_seconds=0)
    for number in numbers:
        writer.keep([decided(number)])
    writer.open()
    notices = writer.notices()
    writer.close()
    return notices


def take_back(folder: StateFolder, store: str, kept: dict[str, list[tuple[object, ...]]]) -> None:
    """The tables of the chain as they were, as from a dump."""
    with closing(open_store(folder, store)) as db, db.transaction():
        for table, rows in kept.items():
            db.execute(f"DELETE FROM {table}")
            for row in rows:
                values = [one if isinstance(one, int | float) else str(one) for one in row]
                db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", values)


def dumped(folder: StateFolder, store: str) -> dict[str, list[tuple[object, ...]]]:
    tables = ("decision", "checkpoint", "meta")
    with reading(folder, store) as db:
        return {table: db.rows(f"SELECT * FROM {table}") for table in tables}


def test_what_nobody_touched_is_sound_over_many_lives(folder: StateFolder, store: str) -> None:
    assert read_head_file(folder) == HeadFileState()
    assert found(folder, store).sound

    notices = [write(folder, store, *some) for some in ([], [1], [2], [3, 4])]

    assert notices == [()] * 4
    assert found(folder, store).sound
    assert read_head_file(folder).head is not None
    chain = Chain.of(folder)
    assert (chain.id, chain.key) == (Chain.of(folder).id, Chain.of(folder).key)
    assert chain.key.hex() not in repr(chain)


@pytest.mark.parametrize("goes_on", [False, True])
def test_an_older_copy_is_named(folder: StateFolder, store: str, goes_on: bool) -> None:
    write(folder, store, 1, 2)
    older = dumped(folder, store)
    write(folder, store, 3, 4, 5)
    take_back(folder, store, older)

    notices = write(folder, store, 6) if goes_on else ()

    findings = found(folder, store)
    assert places(findings) == {(Wrong.REMOVED, "records 3 to 5")}
    assert (Kind.RESUMED in [mark.kind for mark in findings.marks]) is goes_on
    assert [GAP.format(2, 5) in notice for notice in notices] == [True] * goes_on


LOST, HEADLESS = (Wrong.REMOVED, "records 1 to 3"), (Wrong.REMOVED, "head file")
RESUMED = (Wrong.RESUMED, "mark 2")
# What is deleted, what stands in the place of the head file, what is found, and after one more.
TAMPERED = {
    "the database": ("audit.db*", None, LOST, LOST),
    "the database and the chain's id": ("audit.db* chain.id", None, LOST, LOST),
    "the head file": ("chain.witness", None, HEADLESS, RESUMED),
    "the database and its head file": ("audit.db* chain.witness", None, HEADLESS, RESUMED),
    "an empty head file": ("chain.witness", b"", HEADLESS, RESUMED),
    "garbage as the head file": ("chain.witness", b"x" * 1024, HEADLESS, RESUMED),
    "half a head": ("chain.witness", b'{"seq": 1}', HEADLESS, RESUMED),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_deleted_or_forged_is_named_now_and_after_the_chain_went_on(
    folder: StateFolder, name: str
) -> None:
    files, forged, now, later = TAMPERED[name]
    write(folder, "sqlite", 1, 2, 3)
    for path in [path for one in files.split() for path in Path(folder.path).glob(one)]:
        path.unlink()
    if forged is not None:
        Path(folder.head_file).write_bytes(forged)

    assert places(found(folder)) == {now}
    [notice] = write(folder, "sqlite", 4)
    assert (GAP.format(0, 3) if now is LOST else "head file") in notice
    assert places(found(folder)) == {later}
    assert Kind.RESUMED in [mark.kind for mark in found(folder).marks]
    assert write(folder, "sqlite", 5) == ()  # it is said once


def test_a_beginning_that_was_cut_short_is_no_loss(folder: StateFolder, store: str) -> None:
    Chain.of(folder)
    os.unlink(folder.chain)

    assert found(folder, store).sound
    Chain.of(folder)
    assert found(folder, store).sound
    assert (write(folder, store, 1), found(folder, store).fault) == ((), None)


def test_a_folder_that_was_copied_whole_is_sound(folder: StateFolder, tmp_path: Path) -> None:
    write(folder, "sqlite", 1, 2)
    copy = StateFolder(str(tmp_path / "copy"))
    shutil.copytree(folder.path, copy.path)

    assert (write(copy, "sqlite", 3), found(copy).fault) == ((), None)


def test_purging_everything_begins_anew_after_it(folder: StateFolder) -> None:
    write(folder, "sqlite", 1, 2)
    os.unlink(folder.database)
    writer = StoreWriter(folder, retry_seconds=0)

    writer.work(lambda db: purge_all(db, Chain.of(folder), NOON))
    writer.keep([decided(3)])
    writer.close()

    assert found(folder).fault is None
    assert write(folder, "sqlite", 4) == ()


def heads(*numbers: int) -> list[Head]:
    return [Head(number, f"{number:064}", 1, "m" * 64) for number in numbers]


def test_a_head_file_of_version_0_1_counts_for_its_chain(tmp_path: Path) -> None:
    """It had two places, which were used in turn, and was sealed for one chain."""
    path = tmp_path / "w"
    old = "".join(head.text("c1", KEY).ljust(511) + "\n" for head in heads(10, 9))
    path.write_text(old)

    states = [HeadFile(str(path), KEY, chain).state() for chain in ("c1", "c2")]
    HeadFile(str(path), KEY, "c1").note(heads(1)[0])

    assert states == [HeadFileState(heads(10)[0]), HeadFileState(doubt=GONE)]
    assert HeadFile(str(path), KEY, "c1").state() == HeadFileState(heads(1)[0])
    assert HeadFile(str(path), b"o" * 32, "c1").state() == HeadFileState(doubt=GONE)


def test_only_the_owner_can_read_it_and_no_link_is_followed(
    folder: StateFolder, tmp_path: Path
) -> None:
    write(folder, "sqlite", 1)
    assert os.stat(folder.head_file).st_mode & 0o777 == 0o600

    os.rename(folder.head_file, tmp_path / "moved")
    os.symlink(tmp_path / "moved", folder.head_file)

    assert read_head_file(folder) == HeadFileState(doubt=GONE)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["a folder", "a pipe"])
def test_a_head_file_that_cannot_be_noted_keeps_no_record_from_being_written(
    folder: StateFolder, make: Callable[[str], None]
) -> None:
    write(folder, "sqlite", 1)
    os.unlink(folder.head_file)
    make(folder.head_file)
    writer = StoreWriter(folder, retry_seconds=0)

    [kept] = writer.keep([decided(2)])
    writer.close()

    assert not kept.lost
    assert not found(folder).sound
