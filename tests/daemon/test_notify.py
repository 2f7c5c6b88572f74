"""A note on the desktop: for what a person should see, by a real program, bounded in time."""

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.decision import Verdict
from automode.core.record import Record, SessionKey
from automode.daemon.notify import LONGEST, Note, Notifier, desktop, note_on
from tests.store.examples import RECORD

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
# What was decided → the title of the note, if there is one.
NOTES = {
    "an ask": (ASKED, "automode asks"),
    "a halt": (replace(ASKED, verdict=Verdict.HALT, attended=False), "automode stopped an agent"),
    "an ask with nobody there": (replace(ASKED, attended=False), None),
    "a denial": (replace(ASKED, verdict=Verdict.DENY), None),
    "an allowed call": (replace(ASKED, verdict=Verdict.ALLOW), None),
    "an ask that is not enforced": (replace(ASKED, enforced=False), None),
}
WRITES = "import sys; open(sys.argv[1], 'a').write('|'.join(sys.argv[2:]) + '\\n')"


@pytest.mark.parametrize(("record", "title"), NOTES.values(), ids=NOTES.keys())
def test_what_is_noted(record: Record, title: str | None) -> None:
    note = note_on(record)

    assert (note.title if note else None) == title


def test_a_note_says_where_and_who_but_not_what_the_call_does() -> None:
    note = note_on(ASKED)

    assert note == Note("automode asks", "bash in shop (rules.ask)")


def test_a_note_is_short_and_plain() -> None:
    note = note_on(replace(ASKED, tool="a\n\x1b[2J" + "x" * 1000))

    assert note is not None
    assert note.text.isprintable()
    assert len(note.text) == LONGEST


async def records(*made: Record) -> AsyncIterator[Record]:
    for record in made:
        yield record


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
        "automode asks|bash in shop (rules.ask)",
        "automode asks|--urgency=&lt;b&gt;critical&lt;/b&gt; in shop (rules.ask)",
    ]


BROKEN = {
    "it hangs": (sys.executable, "-c", "import time; time.sleep(600)"),
    "it is not there": ("/nowhere/notify-send",),
    "it fails": (sys.executable, "-c", "raise SystemExit(3)"),
}


@pytest.mark.parametrize("words", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_notifier_is_got_over(words: tuple[str, ...], tmp_path: Path) -> None:
    ended = tmp_path / "ended"

    async def follow() -> None:
        await Notifier(words, seconds=0.2, pause_seconds=0).follow(records(ASKED, ASKED))
        ended.touch()

    asyncio.run(asyncio.wait_for(follow(), 60))

    assert ended.exists()


def test_without_a_desktop_there_is_no_notifier() -> None:
    found = desktop()

    assert found is None or found.words[0].startswith("/usr/bin/")
