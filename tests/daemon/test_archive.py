"""What the daemon does to the store by itself: what is too old goes, and leaves a mark."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from automode.core.record import Record, SessionKey
from automode.daemon.tokens import Right
from automode.sessions.person import NO_SESSION
from automode.store.changes import Decided
from automode.store.folder import StateFolder
from automode.store.retention import KEEP_DAYS
from automode.store.writer import Writer
from tests.daemon.conftest import Running, Start, until
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


def test_what_was_purged_is_not_written_back_from_memory(start: Start) -> None:
    daemon = start()
    daemon.by_an_agent(daemon.hook("ls", "gone"))

    purged = daemon.answer(daemon.verb("purge", Right.PERSON, session="plain/gone"))

    assert purged["emptied"] == 1
    assert daemon.works()
    assert {one.session.id for one in daemon.records()} == {"after", NO_SESSION.id}
