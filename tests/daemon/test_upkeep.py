"""Beside deciding: what is too old goes, unused memory goes back, a person gets a note."""

import asyncio
import sys
import time
import weakref
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from automode.core.decision import Verdict
from automode.core.errors import AutomodeError
from automode.core.record import Record, SessionKey
from automode.daemon.frames import Right
from automode.daemon.upkeep import (
    DAY_SECONDS,
    LONGEST_NOTE,
    QUIET_SECONDS,
    RETRY_SECONDS,
    Archive,
    Note,
    Notifier,
    UnusedMemory,
    note_on,
)
from automode.sessions.person import NO_SESSION
from automode.store.changes import Decided
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.retention import KEEP_DAYS
from automode.store.writer import Writer
from tests.daemon.conftest import Running, Start, until
from tests.rows import each_row
from tests.store.examples import RECORD

T = TypeVar("T")


def kept_before(base: Path, *records: Record) -> None:
    async def write() -> None:
        async with Writer(StateFolder(str(base / "state")), patience_seconds=60) as writer:
            await writer.append([Decided(one) for one in records])

    asyncio.run(write())


def ids(daemon: Running) -> list[str]:
    return [one.id for one in daemon.records()]


def test_records_past_their_time_are_removed(base: Path, start: Start) -> None:
    aged = {"older": KEEP_DAYS + 1, "younger": KEEP_DAYS - 1, "last": 0}
    old = replace(RECORD, session=SessionKey("plain", "old"))
    now = time.time()
    kept_before(
        base, *(replace(old, id=name, at=now - age * DAY_SECONDS) for name, age in aged.items())
    )

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


class Failing(Writer):
    """A writer that fails as often as it is told to, and notes when it was asked."""

    def __init__(self, failures: int) -> None:
        self.failures, self.asked = failures, list[float]()

    async def run(self, work: Callable[[Database], T]) -> T:
        self.asked.append(NOW[0])
        self.failures -= 1
        if self.failures >= 0:
            raise AutomodeError("the disk is full")
        return None  # type: ignore[return-value] # nobody looks at it


NOW = [0.0]


def test_trouble_is_told_tried_again_soon_and_forgotten_when_it_worked(base: Path) -> None:
    writer, found = Failing(1), list[str]()
    archive = Archive(StateFolder(str(base)), writer, None, ticks=lambda: NOW[0])  # type: ignore[arg-type]

    for step in (0.0, RETRY_SECONDS / 2, RETRY_SECONDS / 2, RETRY_SECONDS, DAY_SECONDS):
        NOW[0] += step
        asyncio.run(archive.look())
        found.append(archive.notice)

    assert writer.asked == [0.0, RETRY_SECONDS, 2 * RETRY_SECONDS + DAY_SECONDS]
    assert all("could not be removed: the disk is full" in one for one in found[:2])
    assert found[2:] == ["", "", ""]


def test_memory_is_given_back_once_after_each_use_and_searched_once_in_each_quiet_while() -> None:
    class Circle:
        """Nobody else's."""

    trimmed, gone, circles = list[int](), list[bool](), list[object]()
    memory, now = UnusedMemory(trim=trimmed.append), time.monotonic()
    quiet = now - 2 * QUIET_SECONDS
    for last_used in (now, now, quiet, quiet):
        circle = Circle()
        circle.own = circle  # type: ignore[attr-defined]
        there = weakref.ref(circle)
        del circle
        memory.give_back(last_used)
        gone.append(there() is None)
        circles.append(there())  # the next search is not to find it

    assert trimmed == [0, 0]
    assert gone == [False, False, True, False]
    UnusedMemory().give_back(now)  # whatever this C library has


ASKED = replace(
    RECORD,
    id="r1",
    session=SessionKey("plain", "s"),
    root="/srv/shop",
    cwd="/srv/shop",
    tool="bash",
    action="git push --force",
    verdict=Verdict.ASK,
    source="rules.ask",
    reason="you said so",
    clearable=True,
)
WHERE = "bash in shop (rules.ask)"  # and not what the call does
# What was decided → the note, if there is one.
NOTES = {
    "an ask": (ASKED, Note("automode asks", WHERE)),
    "a halt": (
        replace(ASKED, verdict=Verdict.HALT, attended=False),
        Note("automode stopped an agent", WHERE),
    ),
    "an ask with nobody there": (replace(ASKED, attended=False), None),
    "a denial": (replace(ASKED, verdict=Verdict.DENY), None),
    "an allowed call": (replace(ASKED, verdict=Verdict.ALLOW), None),
    "an ask that is not enforced": (replace(ASKED, enforced=False), None),
}


@each_row("record, note", NOTES.values())
def test_what_is_noted(record: Record, note: Note | None) -> None:
    assert note_on(record) == note


def test_a_note_is_short_and_plain() -> None:
    note = note_on(replace(ASKED, tool="a\n\x1b[2J" + "x" * 1000))

    assert note is not None
    assert note.text.isprintable()
    assert len(note.text) == LONGEST_NOTE


async def records(*made: Record) -> AsyncIterator[Record]:
    for record in made:
        yield record


WRITES = "import sys; open(sys.argv[1], 'a').write('|'.join(sys.argv[2:]) + '\\n')"


def test_a_real_program_is_given_the_note(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    words = (sys.executable, "-c", WRITES, str(shown))
    tricky = replace(ASKED, tool="--urgency=<b>critical</b>")

    asyncio.run(
        Notifier(words, escapes=True, pause_seconds=0).follow(
            records(ASKED, replace(ASKED, verdict=Verdict.ALLOW), tricky)
        )
    )

    assert shown.read_text().splitlines() == [
        f"automode asks|{WHERE}",
        "automode asks|--urgency=&lt;b&gt;critical&lt;/b&gt; in shop (rules.ask)",
    ]


BROKEN = {
    "it hangs": (sys.executable, "-c", "import time; time.sleep(600)"),
    "it is not there": ("/nowhere/notify-send",),
    "it fails": (sys.executable, "-c", "raise SystemExit(3)"),
}


@pytest.mark.parametrize("words", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_notifier_is_got_over(words: tuple[str, ...]) -> None:
    ended = list[bool]()

    async def follow() -> None:
        await Notifier(words, seconds=0.2, pause_seconds=0).follow(records(ASKED, ASKED))
        ended.append(True)

    asyncio.run(asyncio.wait_for(follow(), 60))

    assert ended
