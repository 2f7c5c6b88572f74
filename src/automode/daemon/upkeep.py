"""What the daemon does beside deciding: old records go, unused memory is given back, and the person
gets a note on the desktop when a call waits for them or an agent was stopped."""

import asyncio
import gc
import html
import logging
import os
import sys
import time
from collections.abc import AsyncIterable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from automode.core.decision import Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.record import Record
from automode.daemon.json_requests import Asked
from automode.sessions.decision_service import DecisionService
from automode.sessions.registry import FORGOTTEN_AFTER_DAYS
from automode.store import retention
from automode.store.chain import Chain
from automode.store.database import Database
from automode.store.folder import StateFolder
from automode.store.retention import Purged, purge_all, purge_before, purge_session
from automode.store.tables import find_session
from automode.store.writer import Writer

RETRY_SECONDS = 600.0
DAY_SECONDS = 86_400
QUIET_SECONDS = 60.0
NOTE_SECONDS = 5.0
PAUSE_SECONDS = 2.0
"""Between two notes; what comes meanwhile is not shown."""

LONGEST_NOTE = 300
_NOTIFY_SEND = "/usr/bin/notify-send"
_OSASCRIPT = "/usr/bin/osascript"
_SCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Archive:
    """Retention and purges of the records."""

    folder: StateFolder
    writer: Writer
    decisions: DecisionService
    keep_days: int = retention.KEEP_DAYS
    clock: Callable[[], float] = time.time
    ticks: Callable[[], float] = time.monotonic
    notice: str = ""  # for `status`
    _due: float = 0.0

    async def look(self) -> None:
        """Once a day removes what is too old. What failed is tried again ten minutes later."""
        if self.ticks() < self._due:
            return
        self._due = self.ticks() + RETRY_SECONDS
        try:
            await self.writer.run(partial(self._remove_old, self.clock()))
        except AutomodeError as error:
            what = f"old records could not be removed: {error}"
            self.notice = f"{what}; it is tried every ten minutes"
            log.warning("the daily work failed: %s", type(error).__name__)
            return
        self.notice, self._due = "", self.ticks() + DAY_SECONDS

    def _remove_old(self, now: float, db: Database) -> None:
        retention.apply(db, Chain.of(self.folder), now, self.keep_days)
        retention.forget_sessions(db, now - FORGOTTEN_AFTER_DAYS * DAY_SECONDS)

    async def purge(self, asked: Asked) -> Mapping[str, object]:
        """`session`, or `before` (seconds since the epoch), or `all`: exactly one of them."""
        named, before = asked.optional("session"), asked.fields.get("before")
        if [bool(named), before is not None, asked.flag("all")].count(True) != 1:
            raise BadCall("say exactly one of `session`, `before` and `all`")
        now, chain = time.time(), Chain.of(self.folder)
        match before:
            case None if named:
                purged = await self.writer.run(partial(_purge_named, chain, named, now))
            case None:
                purged = await self.writer.run(lambda db: purge_all(db, chain, now))
            case int(moment) | float(moment) if not isinstance(before, bool):
                purged = await self.writer.run(lambda db: purge_before(db, chain, moment, now))
            case _:
                raise BadCall("`before` is no time", "give seconds since the epoch")
        await self.writer.truncate_log()
        # Sub-sessions too: none of them may be written back from memory.
        await self.decisions.person.record_purge(
            f"had {purged.removed} records removed and {purged.emptied} emptied"
        )
        return {"removed": purged.removed, "emptied": purged.emptied, "sessions": purged.sessions}


def _purge_named(chain: Chain, named: str, now: float, db: Database) -> Purged:
    return purge_session(db, chain, find_session(db, named), now)


@dataclass(slots=True)
class UnusedMemory:
    """C's allocator keeps what was freed, which looks like a leak. Python's search through all that
    lives takes a tenth of a second, so it waits for a quiet while."""

    trim: Callable[[int], object] | None = None  # the allocator's own
    _trimmed: float = field(default_factory=time.monotonic)
    _searched: float = 0.0

    def give_back(self, last_used: float) -> None:
        """`last_used`: when something was asked last, by `time.monotonic`."""
        if time.monotonic() - last_used > QUIET_SECONDS and last_used != self._searched:
            self._searched = last_used
            gc.collect()
        if last_used != self._trimmed:
            self._trimmed, self.trim = last_used, self.trim or _malloc_trim()
            self.trim(0)


def _malloc_trim() -> Callable[[int], object]:
    """Not every C library has it, and not every Python was built to ask."""
    try:
        import ctypes  # slow to load, and a daemon that is not asked anything needs none of it

        return ctypes.CDLL(None).malloc_trim
    except (ImportError, OSError, AttributeError, TypeError):
        return int


@dataclass(frozen=True, slots=True)
class Note:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Notifier:
    """Looks at records that were made: no decision waits for it. `words` start the program."""

    words: tuple[str, ...]
    escapes: bool = False  # the desktop reads the text as markup
    seconds: float = NOTE_SECONDS
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
    if record.enforced and record.verdict is Verdict.HALT:
        return Note("automode stopped an agent", _text(record))
    if record.enforced and record.verdict is Verdict.ASK and record.attended:
        return Note("automode asks", _text(record))
    return None


def _text(record: Record) -> str:
    """Not what the call does: others may see the note on the screen."""
    plain = f"{record.tool} in {os.path.basename(record.root) or '/'} ({record.source})"
    return "".join(letter if letter.isprintable() else " " for letter in plain)[:LONGEST_NOTE]


def desktop() -> Notifier | None:
    """The notifier of this machine; None without one, or without a desktop to show a note on."""
    if sys.platform == "darwin":
        known = os.access(_OSASCRIPT, os.X_OK)
        return Notifier((_OSASCRIPT, "-e", _SCRIPT)) if known else None
    bus = f"/run/user/{os.getuid()}/bus"
    if os.access(_NOTIFY_SEND, os.X_OK) and os.path.exists(bus):
        return Notifier((_NOTIFY_SEND, "--app-name=automode", "--"), escapes=True)
    return None
