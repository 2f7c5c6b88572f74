"""What the daemon does to the store by itself: what is too old goes, and leaves a mark."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from automode.core.record import Record, SessionKey
from automode.daemon.archive import Archive
from automode.daemon.daily import LOOK_SECONDS
from automode.daemon.tokens import Right
from automode.sessions.deeds import NO_SESSION
from automode.sessions.desk import Desk
from automode.store import tables
from automode.store.changes import Decided, RecordQuery, SessionKept
from automode.store.database import Trouble
from automode.store.folder import StateFolder
from automode.store.retention import KEEP_DAYS
from automode.store.writer import Writer
from tests.daemon.conftest import Running, Start, until
from tests.sessions.offices import Office, working
from tests.store.examples import NOON, RECORD, ROW

DAY = 86_400.0
SEEN = replace(ROW, seen=NOON)


def record(name: str, age_days: float) -> Record:
    session = SessionKey("plain", "old")
    return replace(RECORD, id=name, at=time.time() - age_days * DAY, session=session)


def kept_before(base: Path, *records: Record) -> None:
    async def write() -> None:
        async with Writer(StateFolder(str(base / "state")), patience_seconds=60) as writer:
            await writer.append([Decided(one) for one in records])

    asyncio.run(write())


def ids(daemon: Running) -> list[str]:
    return [one.id for one in daemon.records()]


def test_records_past_their_time_are_let_go(base: Path, start: Start) -> None:
    aged = {"older": KEEP_DAYS + 1, "younger": KEEP_DAYS - 1, "last": 0}
    kept_before(base, *(record(name, age) for name, age in aged.items()))

    daemon = start()

    until(lambda: ids(daemon) == ["younger", "last"], "the old record is still there")
    assert daemon.works()


@dataclass
class Machine:
    """Its clock may be wrong, and it may be off; what is counted goes on while it runs."""

    clock: float = NOON
    counted: float = 0.0

    def runs(self, seconds: float) -> None:
        self.clock += seconds
        self.counted += seconds

    def archive(self, desk: Desk, folder: StateFolder) -> Archive:
        return Archive(
            folder, desk.keeper, desk, clock=lambda: self.clock, counted=lambda: self.counted
        )


@dataclass(frozen=True)
class Left:
    records: int
    sessions: int


async def written(desk: Desk) -> None:
    """A record and a session of noon, and a record that is too old by then."""
    old = replace(RECORD, id="old", at=NOON - (KEEP_DAYS + 1) * DAY)
    await desk.keeper.append([Decided(old)])
    await desk.keeper.append([Decided(replace(RECORD, at=NOON)), SessionKept(SEEN)])


async def left(desk: Desk) -> Left:
    found = await desk.keeper.run(lambda db: tables.records(db, RecordQuery(limit=100)))
    sessions = await desk.keeper.run(lambda db: tables.sessions(db, limit=100))
    return Left(len(found), len(sessions))


@pytest.mark.parametrize("days", [31, 100, 4000])
def test_a_clock_that_is_ahead_for_a_while_removes_nothing(tmp_path: Path, days: float) -> None:
    office, machine = Office(tmp_path), Machine()

    async def work(desk: Desk) -> None:
        await written(desk)
        machine.clock += days * DAY
        wrong = machine.archive(desk, office.folder)
        said = []
        for _ in range(12):
            said.append(await wrong.daily())
            machine.runs(LOOK_SECONDS)
        machine.clock -= days * DAY
        right = [await machine.archive(desk, office.folder).daily(), await wrong.daily()]

        assert await left(desk) == Left(1, 1)
        assert all(f"the clock is {days} days past" in one for one in said)
        assert right == ["", ""]

    working(office, work)


def test_a_machine_that_was_off_for_long_removes_what_is_old_when_it_has_run_for_a_day(
    tmp_path: Path,
) -> None:
    office, machine = Office(tmp_path), Machine()

    async def work(desk: Desk) -> None:
        await written(desk)
        machine.clock += 100 * DAY
        archive = machine.archive(desk, office.folder)
        said = [await archive.daily()]
        assert await left(desk) == Left(1, 1)
        for _ in range(int(DAY / LOOK_SECONDS)):
            machine.runs(LOOK_SECONDS)
            said.append(await archive.daily())

        assert all(said[:-1])
        assert said[-1] == ""
        assert await left(desk) == Left(0, 0)

    working(office, work)


def test_what_failed_is_due_again_at_the_next_look(tmp_path: Path) -> None:
    office, machine = Office(tmp_path), Machine()

    async def work(desk: Desk) -> None:
        await written(desk)
        archive = machine.archive(desk, office.folder)
        await desk.keeper.run(lambda db: db.execute("ALTER TABLE session RENAME TO hidden"))
        with pytest.raises(Trouble):
            await archive.daily()
        async with asyncio.timeout(60):
            while not await mended(desk):
                await asyncio.sleep(0.1)

        assert (await left(desk)).records == 2
        assert await archive.daily() == ""
        assert (await left(desk)).records == 1

    working(office, work)


async def mended(desk: Desk) -> bool:
    """An ailing store is left in peace for a moment."""
    with suppress(Trouble):
        await desk.keeper.run(lambda db: db.execute("ALTER TABLE hidden RENAME TO session"))
        return True
    return False


def test_what_was_purged_is_not_written_back_from_memory(start: Start) -> None:
    daemon = start()
    daemon.by_an_agent(daemon.hook("ls", "gone"))

    purged = daemon.answer(daemon.verb("purge", Right.PERSON, session="plain/gone"))

    assert purged["emptied"] == 1
    assert daemon.works()
    assert {one.session.id for one in daemon.records()} == {"after", NO_SESSION.id}
