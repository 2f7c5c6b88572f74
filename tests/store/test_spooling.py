"""A keeper beside the store: what it keeps waits in the spool, and it takes nothing that counts."""

import asyncio
from dataclasses import replace
from pathlib import Path

from automode.core.history import NOTHING_YET, History
from automode.core.record import SessionKey
from automode.gate.breaker import tripped
from automode.sessions.history_text import remembered
from automode.store.changes import Decided, Heard, SessionKept, SessionRow
from automode.store.folder import StateFolder, secret
from automode.store.kept import Place
from automode.store.spool import said, spool_files
from automode.store.spooling import Spooling
from automode.store.tables import session
from automode.store.tally import is_uncounted
from tests.store.lone import LIMITS, PLAIN, made, text

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


def test_a_session_waits_without_its_counts_and_before_its_records(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "state")).prepared()
    denied = made(1, "d")
    row = replace(PLAIN, history=text(History(checked=9, row=9, total=9)))

    asyncio.run(Spooling(folder, "sqlite").append([Decided(denied), SessionKept(row)]))

    (path,) = spool_files(folder)
    first, second = said(path, secret(folder.signing_key))
    assert second == Decided(denied)
    assert isinstance(first, SessionKept)
    assert is_uncounted(first.row.history)
    assert remembered(first.row.history).history == NOTHING_YET


def test_who_decides_beside_the_store_knows_what_others_decided_so(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "state")).prepared()

    async def told() -> SessionRow | None:
        for number in (1, 2, 3):
            kept = SessionKept(replace(PLAIN, history=text(History(checked=1, row=1, total=1))))
            await Spooling(folder, "sqlite").append([Decided(made(number, "d")), kept])
        return await Spooling(folder, "sqlite").run(lambda db: session(db, PLAIN.key))

    row = asyncio.run(told())

    assert row is not None
    assert tripped(remembered(row.history).history, LIMITS) == "consecutive"


def test_a_person_s_yes_in_the_same_process_ends_the_row(tmp_path: Path) -> None:
    folder = StateFolder(str(tmp_path / "state")).prepared()
    spooling = Spooling(folder, "sqlite")
    denied = SessionKept(replace(PLAIN, history=text(History(checked=1, row=1, total=1))))
    resumed = SessionKept(replace(PLAIN, history=text(History(checked=1, total=1))))

    async def told() -> SessionRow | None:
        await spooling.append([Decided(made(1, "d")), denied])
        await spooling.append([resumed])
        return await spooling.run(lambda db: session(db, PLAIN.key))

    row = asyncio.run(told())

    assert row is not None
    found = remembered(row.history).history
    assert (found.checked, found.row, found.total) == (1, 0, 1)
