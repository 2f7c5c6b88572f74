"""`automode watch`: decisions as they are made, with counters and cost."""

import json
import os
import select
import signal
import sys
import termios
import threading
import time
import tty
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from queue import Empty, SimpleQueue
from types import FrameType
from typing import TypeAlias
from unicodedata import combining, east_asian_width

import click

from automode.cli.options import Surroundings, settings_options, wants_colour
from automode.cli.printing import count_text, faint, note, one_line, say, verdict_text
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
            self.unpriced += stage.usd is None
            self.usd += Decimal(stage.usd or 0)

    def __str__(self) -> str:
        counts = _GAP.join(f"{one.word} {self.verdicts[one.word]:,}" for one in Verdict)
        unknown = f" + {self.unpriced} unknown" if self.unpriced else ""
        asked = count_text(self.requests, "request")
        return f"{counts}{_GAP}|{_GAP}model {asked}, {self.usd:.4f} USD{unknown}"


@dataclass(slots=True)
class View:
    """`daemon` is a sentence on the daemon, `since` when the counting began."""

    since: float
    daemon: str = ""
    tally: Tally = field(default_factory=Tally)
    records: deque[Record] = field(default_factory=lambda: deque(maxlen=KEPT))

    def take(self, event: Event) -> None:
        match event:
            case NewRecord(record, earlier):
                self.records.append(record)
                if not earlier:
                    self.tally.add(record)
            case daemon:
                self.daemon = daemon

    def lines(self, columns: int, rows: int) -> list[str]:
        """At most `rows` lines of at most `columns` cells each: the newest record stands last."""
        title = f"automode watch{_GAP}{self.daemon}"
        counts = f"{self.tally}{_GAP}since {_clock(self.since)}"
        head = [click.style(fit(title, columns), bold=True), fit(counts, columns), ""]
        foot = [faint(fit("q quits", columns))]
        room = max(0, rows - len(head) - len(foot))
        body = self._newest(columns, room)
        if not self.records:
            body = [faint(fit("no decision yet", columns))][:room]
        lines = [*head, *body, *[""] * (room - len(body)), *foot][:rows]
        return [_cut(line, columns) for line in lines]

    def _newest(self, columns: int, room: int) -> list[str]:
        """Whole records alone: a reason without its call would be read with another one."""
        found: list[str] = []
        for record in reversed(self.records):
            lines = list(_record_lines(record, columns))
            if len(lines) + len(found) > room:
                break
            found = lines + found
        return found


def _record_lines(record: Record, columns: int) -> Iterator[str]:
    """One line; a second one with the reason for whatever was not simply allowed."""
    name = f"{record.session.host}/{record.session.id[:8]}"
    tool = min(TOOL, max(4, columns // 8))
    source = SOURCE if columns >= NARROW else 0
    session = SESSION if columns >= WIDE else 0
    taken = _TIME + _VERDICT + tool + 3 * len(_GAP)
    taken += sum(wide + len(_GAP) for wide in (source, session) if wide)
    cells = [
        _clock(record.at),
        verdict_text(record.verdict.word, width=_VERDICT),
        *([pad(name, session)] if session else []),
        pad(record.tool, tool),
        pad(record.action, max(8, columns - taken)),
        *([faint(fit(record.source, source))] if source else []),
    ]
    yield _GAP.join(cells)
    if record.verdict is not Verdict.ALLOW:
        indent = " " * (_TIME + len(_GAP))
        who = "" if session else f"{name}: "
        yield faint(indent + fit(f"{who}{record.reason}", max(8, columns - len(indent))))


def plain_line(record: Record) -> str:
    """For a file or a pipe: everything on one line, nothing cut but the action."""
    when = datetime.fromtimestamp(record.at).astimezone().isoformat(timespec="seconds")
    what = f"{record.session} {record.tool}: {one_line(record.action, 200)}"
    return one_line(f"{when} {record.verdict.word:5} {what} ({record.source}: {record.reason})")


def _clock(at: float) -> str:
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


def _cut(styled: str, columns: int) -> str:
    """For a terminal too narrow for any row: plain, because a style must not be cut in two."""
    plain = click.unstyle(styled)
    return styled if sum(map(cells_of, plain)) <= columns else fit(plain, columns)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print each decision as a line of JSON.")
@settings_options
@click.pass_obj
def watch(surroundings: Surroundings, *, as_json: bool) -> None:
    """Show decisions as they are made, with counters and cost, until `q` or ctrl-C.

    Where standard output is no terminal each decision is a line of text. It waits for a daemon
    that is not there yet, and goes on when another one takes over.
    """
    feed = Feed(surroundings.known_state(), surroundings.store())
    can_draw = os.environ.get("TERM", "") not in ("", "dumb")
    with suppress(KeyboardInterrupt):  # the way to end it where no keys are read
        if as_json or not can_draw or sys.stdout is None or not sys.stdout.isatty():
            _print(feed, as_json=as_json)
        else:
            _draw(feed)


def _print(feed: Feed, *, as_json: bool) -> None:
    """Decisions from now on; whoever reads them wants each at once."""
    while True:
        match feed.events.get():
            case NewRecord(record, earlier=False):
                say(json.dumps(record_fields(record)) if as_json else plain_line(record))
                sys.stdout.flush()
            case str(daemon):
                note(daemon)
            case _:
                pass


_QUITS = "qQ"
_LOOK_SECONDS = 0.1
_ENTER = "\x1b[?1049h\x1b[?25l"  # the other screen, no cursor
_LEAVE = "\x1b[?25h\x1b[?1049l"
_HOME, _REST_OF_LINE, _REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
_DISABLED = b"\0"
_CONTROL_CHARACTERS = 6  # where `tcgetattr` keeps them
_LONGEST_PRESS = 64


def _draw(feed: Feed) -> None:
    view = View(since=time.time())
    with suppress(KeyboardInterrupt), _screen() as keys:
        _write(_ENTER)
        shown: object = None
        while not _quit_pressed(keys):
            with suppress(Empty):
                while True:
                    view.take(feed.events.get_nowait())
            columns, rows = _size()
            lines = view.lines(columns, rows)
            if (columns, rows, lines) != shown:
                shown = (columns, rows, lines)
                _show(lines)
    say(f"{view.tally}")


def _show(lines: list[str]) -> None:
    """In one write, and nothing is cleared first: else it flickers."""
    coloured = wants_colour() is None
    rows = (line if coloured else click.unstyle(line) for line in lines)
    text = "\r\n".join(f"{row}{_REST_OF_LINE}" for row in rows)
    _write(f"{_HOME}{text}{_REST_OF_SCREEN}")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _size() -> tuple[int, int]:
    """Columns and rows, asked anew: `COLUMNS` would stay what it was."""
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        return 80, 24
    return found.columns or 80, found.lines or 24


def _quit_pressed(keys: int | None) -> bool:
    """Waits a moment for a key. A terminal that is gone quits as well."""
    if keys is None:
        time.sleep(_LOOK_SECONDS)
        return False
    ready, _, _ = select.select([keys], [], [], _LOOK_SECONDS)
    typed = os.read(keys, _LONGEST_PRESS).decode("utf-8", "replace") if ready else None
    return typed is not None and (not typed or any(key in _QUITS for key in typed))


@contextmanager
def _screen() -> Iterator[int | None]:
    """The whole terminal, and where its keys come from. However it ends, the terminal is as it was
    before. Keys are not shown; ctrl-Z would leave the shell on the other screen."""

    def end(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    keys = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
    handlers = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    before = None if keys is None else termios.tcgetattr(keys)
    try:
        if keys is not None:
            tty.setcbreak(keys)
            now = termios.tcgetattr(keys)
            now[_CONTROL_CHARACTERS][termios.VSUSP] = _DISABLED
            termios.tcsetattr(keys, termios.TCSANOW, now)
        yield keys
    finally:
        _write(_LEAVE)
        if keys is not None and before is not None:
            termios.tcsetattr(keys, termios.TCSADRAIN, before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
