"""The store as it will be when the spool is written, for who cannot write it."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.history import NOTHING_YET
from automode.sessions.history_text import remembered
from automode.store.changes import Decided, Heard, SessionKept
from automode.store.database import Trouble
from automode.store.folder import StateFolder
from automode.store.foreseen import Foresight
from automode.store.keeper import Keeper
from automode.store.spool import spool, spool_files
from automode.store.tables import events, session, sessions
from tests.store.examples import KEY, OTHER_KEY
from tests.store.lone import PLAIN, alone, made, text


def in_a_row(folder: StateFolder, store: str = "sqlite") -> int | None:
    with Foresight(folder, store).reading() as db:
        row = session(db, KEY)
    return None if row is None else remembered(row.history).history.row


def test_what_waits_is_there_whether_or_not_there_is_a_store(
    folder: StateFolder, on_sqlite: Keeper
) -> None:
    for number in (1, 2):
        spool(folder, alone(made(number, "d")))
    before = in_a_row(folder)
    while on_sqlite.tend():
        pass
    spool(folder, alone(made(3, "d")))

    assert (before, in_a_row(folder)) == (2, 3)


def test_writing_it_makes_no_difference(folder: StateFolder, on_sqlite: Keeper) -> None:
    on_sqlite.keep([[SessionKept(replace(PLAIN, key=OTHER_KEY, history=text(NOTHING_YET)))]])
    for number, word in enumerate("ddaqd"):
        spool(folder, [*alone(made(number, word)), Heard(KEY, number, word)])
    with Foresight(folder).reading() as db:
        foreseen = sessions(db), events(db, KEY)

    while on_sqlite.tend():
        pass

    assert spool_files(folder) == []
    with Foresight(folder).reading() as db:
        assert (sessions(db), events(db, KEY)) == foreseen


def test_a_file_that_is_written_and_still_there_counts_once(
    folder: StateFolder, on_sqlite: Keeper
) -> None:
    spool(folder, alone(made(1, "d")))
    (path,) = spool_files(folder)
    copy = Path(path).read_bytes()
    while on_sqlite.tend():
        pass

    Path(path).write_bytes(copy)

    assert in_a_row(folder) == 1


def test_what_nobody_sealed_says_nothing(folder: StateFolder) -> None:
    spool(folder, alone(made(1, "d")))
    (path,) = spool_files(folder)
    os.rename(path, path.replace(".jsonl", "-moved.jsonl"))

    assert in_a_row(folder) is None


def test_a_row_in_the_spool_switches_nothing_off(folder: StateFolder) -> None:
    spool(folder, [SessionKept(replace(PLAIN, mode="off"))])

    with Foresight(folder).reading() as db:
        row = session(db, KEY)

    assert row is not None
    assert row.mode == ""


def test_looking_ahead_changes_nothing(folder: StateFolder, on_sqlite: Keeper) -> None:
    on_sqlite.keep([[SessionKept(PLAIN), Decided(made(1, "d"))]])
    spool(folder, alone(made(2, "d")))

    with Foresight(folder).reading() as db, pytest.raises(Trouble):
        db.execute("DELETE FROM decision")

    assert len(spool_files(folder)) == 1


def test_a_server_is_read_as_it_is(folder: StateFolder, postgres_store: str) -> None:
    keeper = Keeper(folder, postgres_store, retry_seconds=0)
    keeper.keep([[SessionKept(replace(PLAIN, history=text(NOTHING_YET)))]])
    spool(folder, alone(made(1, "d")))
    before = in_a_row(folder, postgres_store)
    while keeper.tend():
        pass
    keeper.close()

    assert (before, in_a_row(folder, postgres_store)) == (0, 1)
