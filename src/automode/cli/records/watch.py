"""`automode watch`: decisions as they are made, with counters and cost."""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

import click

from automode.cli.options import Surroundings, json_option, settings_options
from automode.cli.printing import count_text, faint, one_line, say, verdict_text, wants_json, width
from automode.core.decision import Verdict
from automode.core.recent import Recent
from automode.core.record import Record
from automode.store.changes import RecordQuery, record_fields
from automode.store.database import StoreError
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import records

EARLIER = 50  # records of the time before that are shown for a start
LOOK_SECONDS = 0.5
MOST_AT_ONCE = 1000


@dataclass(slots=True)
class Newcomers:
    """The records that the store did not hold when it was last looked at, the oldest first. Every
    decision is in the store before its agent hears of it, whoever decided."""

    folder: StateFolder
    store: str
    _seen: Recent[str, None] = field(default_factory=lambda: Recent(4 * MOST_AT_ONCE))
    _newest: float | None = None

    def look(self) -> list[Record]:
        first = self._newest is None
        limit = EARLIER if first else MOST_AT_ONCE
        try:
            with reading(self.folder, self.store) as db:
                found = records(db, RecordQuery(since=self._newest, limit=limit))
        except StoreError:
            return []  # `automode status` says what ails the store
        new = [one.record for one in reversed(found) if one.record is not None]
        new = [one for one in new if one.id not in self._seen]
        for one in new:
            self._seen[one.id] = None
        self._newest = max((self._newest or 0.0, *(one.at for one in new)))
        return new


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

    In a terminal the last decisions come first, and the counters stand in the last line.
    """
    drawable = os.environ.get("TERM", "") not in ("", "dumb")
    live = drawable and not wants_json() and sys.stdout is not None and sys.stdout.isatty()
    tally = Tally()
    with suppress(KeyboardInterrupt):
        newcomers = Newcomers(surroundings.known_state(), surroundings.store())
        earlier = newcomers.look()
        _show(earlier if live else [], tally, live=live)
        while True:
            time.sleep(LOOK_SECONDS)
            found = newcomers.look()
            for one in found:
                tally.add(one)
            if found:
                _show(found, tally, live=live)
    if live:
        say(f"{_CLEAR_LINE}{tally}")


def _show(found: list[Record], tally: Tally, *, live: bool) -> None:
    if live:
        click.echo(_CLEAR_LINE, nl=False)
    for record in found:
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
