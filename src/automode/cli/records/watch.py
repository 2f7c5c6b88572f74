"""`automode watch`: decisions as they are made, with counters and cost."""

import json
import os
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from queue import SimpleQueue
from typing import TypeAlias

import click

from automode.cli.options import Surroundings, json_option, settings_options
from automode.cli.printing import (
    count_text,
    faint,
    note,
    one_line,
    say,
    verdict_text,
    wants_json,
    width,
)
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError
from automode.core.record import Record
from automode.daemon.client import NoDaemon, running, subscribe
from automode.store.changes import RecordQuery, record_fields, record_from
from automode.store.database import StoreError
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import records

RETRY_SECONDS = 1.0
EARLIER = 50  # records of the time before that are shown for a start
MOST_MISSED = 1000
REMEMBERED = 4 * MOST_MISSED


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record; `earlier` when it is from before the feed was opened."""

    record: Record
    earlier: bool = False


Event: TypeAlias = NewRecord | str
"""A text is a sentence on the daemon."""


class Feed:
    """Records as they are made, from the daemon or from the store. One thread, which may hang in a
    read and ends with the process."""

    def __init__(self, folder: StateFolder, store: str) -> None:
        self._folder = folder
        self._store = store
        self.events: SimpleQueue[Event] = SimpleQueue()
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._newest = 0.0
        self._daemon = ""
        threading.Thread(target=self._listen, name="watch", daemon=True).start()

    def _listen(self) -> None:
        self._catch_up(earlier=True)
        while True:
            try:
                self._follow()
            except NoDaemon:
                self._tell("no daemon runs; waiting for one")
            except AutomodeError as error:
                self._tell(f"{error}; waiting for one")
            self._catch_up()
            time.sleep(RETRY_SECONDS)

    def _follow(self) -> None:
        """Until the daemon goes away. The listening begins before the look into the store, so that
        nothing between them is missed."""
        stream = subscribe(self._folder)
        daemon = running(self._folder)
        if daemon is not None:
            self._tell(f"daemon {daemon.version}, pid {daemon.pid}")
        self._catch_up()
        for fields in stream:
            self._take(fields)

    def _take(self, fields: Mapping[str, object]) -> None:
        try:
            record = record_from(fields)
        except ValueError:
            # The daemon says that we were too slow, or it is newer than this: the store knows.
            self._catch_up()
        else:
            self._put(record, earlier=False)

    def _catch_up(self, *, earlier: bool = False) -> None:
        query = RecordQuery(since=self._newest, limit=MOST_MISSED)
        try:
            with reading(self._folder, self._store) as db:
                found = records(db, RecordQuery(limit=EARLIER) if earlier else query)
        except StoreError:
            return  # the daemon says in its notices what ails the store
        for stored in reversed(found):
            if stored.record is not None:
                self._put(stored.record, earlier=earlier)

    def _put(self, record: Record, *, earlier: bool) -> None:
        if record.id in self._seen:
            return
        self._seen[record.id] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        self._newest = max(self._newest, record.at)
        self.events.put(NewRecord(record, earlier))

    def _tell(self, daemon: str) -> None:
        """Once: it is tried every second."""
        if daemon != self._daemon:
            self._daemon = daemon
            self.events.put(daemon)


_CLEAR_LINE = "\r\x1b[K"


@dataclass(slots=True)
class Tally:
    """What came by since the watching began."""

    verdicts: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    unpriced: int = 0
    usd: Decimal = Decimal(0)

    def add(self, record: Record) -> None:
        if record.source.startswith("person."):
            return  # what a person did was decided by nobody
        self.verdicts[record.verdict.word] += 1
        for stage in record.stages:
            self.requests += 1
            self.unpriced += stage.usd is None
            self.usd += Decimal(stage.usd or 0)

    def __str__(self) -> str:
        counts = "  ".join(f"{one.word} {self.verdicts[one.word]:,}" for one in Verdict)
        unknown = f" + {self.unpriced} unknown" if self.unpriced else ""
        asked = count_text(self.requests, "request")
        return f"{counts}  |  model {asked}, {self.usd:.4f} USD{unknown}"


@click.command()
@json_option
@settings_options
@click.pass_obj
def watch(surroundings: Surroundings) -> None:
    """Show decisions as they are made, with counters and cost, until ctrl-C.

    In a terminal the last decisions come first, and the counters stand in the last line. It waits
    for a daemon that is not there yet, and goes on when another one takes over.
    """
    feed = Feed(surroundings.known_state(), surroundings.store())
    drawable = os.environ.get("TERM", "") not in ("", "dumb")
    live = drawable and not wants_json() and sys.stdout is not None and sys.stdout.isatty()
    tally = Tally()
    with suppress(KeyboardInterrupt):
        while True:
            _show(feed.events.get(), tally, live=live)
    if live:
        say(f"{_CLEAR_LINE}{tally}")


def _show(event: Event, tally: Tally, *, live: bool) -> None:
    if live:
        click.echo(_CLEAR_LINE, nl=False)
    match event:
        case str(daemon):
            note(daemon)
        case NewRecord(record, earlier):
            if not earlier:
                tally.add(record)
            if live or not earlier:
                text = json.dumps(record_fields(record)) if wants_json() else plain_line(record)
                say("\n".join(terminal_lines(record)) if live else text)
    if live:
        click.echo(faint(one_line(str(tally), width() - 1)), nl=False)
    sys.stdout.flush()  # whoever reads them wants each at once


def terminal_lines(record: Record) -> Iterator[str]:
    """One line; a second one with the reason for whatever was not simply allowed."""
    start = f"{datetime.fromtimestamp(record.at).astimezone():%H:%M:%S}  "
    verdict = verdict_text(record.verdict.word, width=5)
    name = f"{record.session.host}/{record.session.id[:8]}"
    action = f"  {name}  {record.tool}  {record.action}"
    yield start + verdict + one_line(action, width() - len(start) - 5)
    if record.verdict is not Verdict.ALLOW:
        why = one_line(f"{record.source}: {record.reason}", width() - len(start))
        yield faint(" " * len(start) + why)


def plain_line(record: Record) -> str:
    """For a file or a pipe: everything on one line, nothing cut but the action."""
    when = datetime.fromtimestamp(record.at).astimezone().isoformat(timespec="seconds")
    what = f"{record.session} {record.tool}: {one_line(record.action, 200)}"
    return one_line(f"{when} {record.verdict.word:5} {what} ({record.source}: {record.reason})")
