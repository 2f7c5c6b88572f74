"""`automode watch`: decisions as they are made, with counters and cost."""

import json
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from unicodedata import combining, east_asian_width

import click

from automode.cli.options import settings_options
from automode.cli.printing import faint, note, one_line, say, verdict_text
from automode.cli.surroundings import Surroundings, wants_colour
from automode.cli.watch_feed import DaemonSeen, Event, Feed, NewRecord, Screen, Waker, screen
from automode.core.decision import Verdict
from automode.core.record import Record
from automode.daemon.client import Status
from automode.store.changes import record_fields

KEPT = 500  # rows that a screen could be tall enough for
NARROW, WIDE = 64, 110  # columns: below the source goes, from there on the session comes
TOOL, SOURCE, SESSION = 10, 24, 20
_TIME = len("12:34:56")
_VERDICT = max(len(verdict.word) for verdict in Verdict)
_GAP = "  "


@dataclass(slots=True)
class Tally:
    """What came by since the view was opened."""

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
            if stage.usd is None:
                self.unpriced += 1
            else:
                self.usd += Decimal(stage.usd)

    def __str__(self) -> str:
        counts = _GAP.join(f"{one.word} {self.verdicts[one.word]:,}" for one in Verdict)
        requests = "1 request" if self.requests == 1 else f"{self.requests:,} requests"
        unknown = f" + {self.unpriced} unknown" if self.unpriced else ""
        return f"{counts}{_GAP}|{_GAP}model {requests}, {self.usd:.4f} USD{unknown}"


@dataclass(slots=True)
class View:
    """`daemon` is a sentence on the daemon, `since` when the counting began."""

    since: float
    daemon: str = ""
    tally: Tally = field(default_factory=Tally)
    records: deque[Record] = field(default_factory=lambda: deque(maxlen=KEPT))

    def take(self, record: Record, *, counted: bool) -> None:
        self.records.append(record)
        if counted:
            self.tally.add(record)

    def lines(self, columns: int, rows: int) -> list[str]:
        """At most `rows` lines of at most `columns` cells each: the newest record stands last."""
        title = f"automode watch{_GAP}{self.daemon}"
        counts = f"{self.tally}{_GAP}since {clock(self.since)}"
        head = [click.style(fit(title, columns), bold=True), fit(counts, columns), ""]
        foot = [faint(fit("q quits", columns))]
        room = max(0, rows - len(head) - len(foot))
        body = self._newest(columns, room)
        if not self.records:
            body = [faint(fit("no decision yet", columns))][:room]
        lines = [*head, *body, *[""] * (room - len(body)), *foot][:rows]
        return [cut(line, columns) for line in lines]

    def _newest(self, columns: int, room: int) -> list[str]:
        """Whole records alone: a reason without its call would be read with another one."""
        found: list[str] = []
        for record in reversed(self.records):
            lines = list(record_lines(record, columns))
            if len(lines) + len(found) > room:
                break
            found = lines + found
        return found


def record_lines(record: Record, columns: int) -> Iterator[str]:
    """One line; a second one with the reason for whatever was not simply allowed."""
    tool = min(TOOL, max(4, columns // 8))
    source = SOURCE if columns >= NARROW else 0
    session = SESSION if columns >= WIDE else 0
    taken = _TIME + _VERDICT + tool + 3 * len(_GAP)
    taken += sum(wide + len(_GAP) for wide in (source, session) if wide)
    cells = [
        clock(record.at),
        verdict_text(record.verdict.word, width=_VERDICT),
        *([pad(session_name(record), session)] if session else []),
        pad(record.tool, tool),
        pad(record.action, max(8, columns - taken)),
        *([faint(fit(record.source, source))] if source else []),
    ]
    yield _GAP.join(cells)
    if record.verdict is not Verdict.ALLOW:
        indent = " " * (_TIME + len(_GAP))
        who = "" if session else f"{session_name(record)}: "
        yield faint(indent + fit(f"{who}{record.reason}", max(8, columns - len(indent))))


def plain_line(record: Record) -> str:
    """For a file or a pipe: everything on one line, nothing cut but the action."""
    when = datetime.fromtimestamp(record.at).astimezone().isoformat(timespec="seconds")
    what = f"{record.session} {record.tool}: {one_line(record.action, 200)}"
    return one_line(f"{when} {record.verdict.word:5} {what} ({record.source}: {record.reason})")


def session_name(record: Record) -> str:
    return f"{record.session.host}/{record.session.id[:8]}"


def clock(at: float) -> str:
    """The time of day here."""
    return f"{datetime.fromtimestamp(at).astimezone():%H:%M:%S}"


def cells_of(letter: str) -> int:
    """How many columns of a terminal it takes."""
    if combining(letter):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1


def fit(text: str, room: int) -> str:
    """On one line, in at most `room` cells; what is cut off is marked."""
    line = one_line(text)
    if sum(map(cells_of, line)) <= room:
        return line
    if room < 1:
        return ""
    kept, left = [], room - 1
    for letter in line:
        left -= cells_of(letter)
        if left < 0:
            break
        kept.append(letter)
    return "".join(kept) + "…"


def pad(text: str, room: int) -> str:
    line = fit(text, room)
    return line + " " * (room - sum(map(cells_of, line)))


def cut(styled: str, columns: int) -> str:
    """For a terminal too narrow for any row: plain, because a style must not be cut in two."""
    plain = click.unstyle(styled)
    return styled if sum(map(cells_of, plain)) <= columns else fit(plain, columns)


_QUITS = "qQ"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print each decision as a line of JSON.")
@settings_options
@click.pass_obj
def watch(surroundings: Surroundings, *, as_json: bool) -> None:
    """Show decisions as they are made, with counters and cost, until `q` or ctrl-C.

    Where standard output is no terminal each decision is a line of text. It waits for a daemon
    that is not there yet, and goes on when another one takes over.
    """
    folder, store = surroundings.known_state(), surroundings.store()
    with closing(Waker()) as waker:
        feed = Feed(folder, store, waker)
        feed.start()
        try:
            if as_json or not _at_a_terminal():
                _print(feed, as_json=as_json)
            else:
                _draw(feed, waker)
        except KeyboardInterrupt:
            pass  # the way to end it where no keys are read
        finally:
            feed.stop()


def _at_a_terminal() -> bool:
    """One that a screen can be drawn on."""
    dumb = os.environ.get("TERM", "") in ("", "dumb")
    return sys.stdout is not None and sys.stdout.isatty() and not dumb


def _print(feed: Feed, *, as_json: bool) -> None:
    """Decisions from now on; whoever reads them wants each at once."""
    while True:
        match feed.wait():
            case NewRecord(record, earlier=False):
                say(json.dumps(record_fields(record)) if as_json else plain_line(record))
                sys.stdout.flush()
            case DaemonSeen(daemon, why):
                note(daemon_text(daemon, why))
            case _:
                pass


def _draw(feed: Feed, waker: Waker) -> None:
    view = View(since=time.time())
    with suppress(KeyboardInterrupt), screen(waker) as terminal:
        while not _quit(terminal, view, feed):
            pass
    say(f"{view.tally}")


def _quit(terminal: Screen, view: View, feed: Feed) -> bool:
    for event in feed.events():
        _take(view, event)
    lines = view.lines(*terminal.size)
    terminal.show(lines if wants_colour() is None else [click.unstyle(line) for line in lines])
    return any(key in _QUITS for key in terminal.pressed())


def _take(view: View, event: Event) -> None:
    match event:
        case NewRecord(record, earlier):
            view.take(record, counted=not earlier)
        case DaemonSeen(daemon, why):
            view.daemon = daemon_text(daemon, why)


def daemon_text(daemon: Status | None, why: str) -> str:
    return (
        f"{why}; waiting for one"
        if daemon is None
        else f"daemon {daemon.version}, pid {daemon.pid}"
    )
