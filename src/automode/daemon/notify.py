"""A note on the person's desktop when a call waits for them, or an agent was stopped.

It only looks at records that were made already, one at a time, so that no decision waits for it.
"""

import asyncio
import html
import os
import sys
from collections.abc import AsyncIterable
from contextlib import suppress
from dataclasses import dataclass

from automode.core.decision import Verdict
from automode.core.record import Record

SECONDS = 5.0
PAUSE_SECONDS = 2.0
"""Between two notes; what comes meanwhile is not shown."""

LONGEST = 300
_NOTIFY_SEND = "/usr/bin/notify-send"
_OSASCRIPT = "/usr/bin/osascript"
_SCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"


@dataclass(frozen=True, slots=True)
class Note:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Notifier:
    """`words` start the program; title and text follow."""

    words: tuple[str, ...]
    escapes: bool = False  # the desktop reads the text as markup
    seconds: float = SECONDS
    pause_seconds: float = PAUSE_SECONDS

    async def follow(self, records: AsyncIterable[Record]) -> None:
        async for record in records:
            note = note_on(record)
            if note is not None:
                await self.show(note)
                await asyncio.sleep(self.pause_seconds)

    async def show(self, note: Note) -> None:
        text = html.escape(note.text, quote=False) if self.escapes else note.text
        nothing = asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *self.words, note.title, text, stdin=nothing, stdout=nothing, stderr=nothing
            )
        except (OSError, ValueError):
            return
        try:
            await asyncio.wait_for(process.wait(), self.seconds)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def note_on(record: Record) -> Note | None:
    """None for what the person need not look at."""
    if not record.enforced:
        return None
    if record.verdict is Verdict.HALT:
        return Note("automode stopped an agent", _text(record))
    if record.verdict is Verdict.ASK and record.attended:
        return Note("automode asks", _text(record))
    return None


def _text(record: Record) -> str:
    """Not what the call does: a note may be seen by whoever walks past."""
    plain = f"{record.tool} in {os.path.basename(record.root) or '/'} ({record.source})"
    shown = "".join(letter if letter.isprintable() else " " for letter in plain)
    return shown[:LONGEST]


def desktop() -> Notifier | None:
    """The notifier of this machine; None without one, or without a desktop to show a note on."""
    if sys.platform == "darwin":
        known = os.access(_OSASCRIPT, os.X_OK)
        return Notifier((_OSASCRIPT, "-e", _SCRIPT)) if known else None
    bus = f"/run/user/{os.getuid()}/bus"
    if os.access(_NOTIFY_SEND, os.X_OK) and os.path.exists(bus):
        return Notifier((_NOTIFY_SEND, "--app-name=automode", "--"), escapes=True)
    return None
