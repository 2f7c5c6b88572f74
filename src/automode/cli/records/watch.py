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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from queue import Empty, SimpleQueue
from types import FrameType
from typing import TypeAlias
from unicodedata import combining, east_asian_width

import click

from automode.cli.options import Surroundings, settings_options, wants_colour
from automode.cli.printing import faint, note, one_line, say, verdict_text
from automode.core.decision import Verdict
from automode.core.errors import AutomodeError
from automode.core.record import Record
from automode.daemon.client import NoDaemon, Status, running, subscribe
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


@dataclass(frozen=True, slots=True)
class DaemonSeen:
    """Which daemon is heard now; None when there is none, and `why`."""

    daemon: Status | None
    why: str = ""


Event: TypeAlias = NewRecord | DaemonSeen


class Feed:
    """One thread. `wake` is called after each event; it must not block."""

    def __init__(self, folder: StateFolder, store: str, wake: Callable[[], None]) -> None:
        self._folder = folder
        self._store = store
        self._wake = wake
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._newest = 0.0
        self._last_heard: DaemonSeen | None = None
        self._ended = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._listen, name="watch", daemon=True).start()

    def stop(self) -> None:
        """The thread may hang in a read; it ends with the process."""
        self._ended.set()

    def events(self) -> Iterator[Event]:
        """Those that came since the last time."""
        while True:
            try:
                yield self._events.get_nowait()
            except Empty:
                return

    def wait(self) -> Event:
        return self._events.get()

    def _listen(self) -> None:
        self._catch_up(earlier=True)
        while not self._ended.is_set():
            try:
                self._follow()
            except NoDaemon:
                self._say(DaemonSeen(None, "no daemon runs"))
            except AutomodeError as error:
                self._say(DaemonSeen(None, str(error)))
            self._catch_up()
            self._ended.wait(RETRY_SECONDS)

    def _follow(self) -> None:
        """Until the daemon goes away. What came between looking into the store and listening must
        not be missed, so the listening begins first."""
        stream = subscribe(self._folder)
        self._say(DaemonSeen(running(self._folder)))
        self._catch_up()
        for fields in stream:
            if self._ended.is_set():
                return
            self._take(fields)

    def _take(self, fields: Mapping[str, object]) -> None:
        try:
            record = record_from(fields)
        except ValueError:
            # The daemon says that we were too slow, or it is newer than this: the store knows.
            self._catch_up()
        else:
            self._made(record, earlier=False)

    def _catch_up(self, *, earlier: bool = False) -> None:
        limit = EARLIER if earlier else MOST_MISSED
        since = None if earlier else self._newest
        try:
            with reading(self._folder, self._store) as db:
                found = records(db, RecordQuery(since=since, limit=limit))
        except StoreError:
            return  # the daemon says in its notices what ails the store
        for stored in reversed(found):
            if stored.record is not None:
                self._made(stored.record, earlier=earlier)

    def _made(self, record: Record, *, earlier: bool) -> None:
        if record.id in self._seen:
            return
        self._seen[record.id] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        self._newest = max(self._newest, record.at)
        self._say(NewRecord(record, earlier))

    def _say(self, event: Event) -> None:
        if isinstance(event, DaemonSeen):
            if event == self._last_heard:
                return  # still no daemon: it is tried every second, and said once
            self._last_heard = event
        self._events.put(event)
        self._wake()


_ENTER = "\x1b[?1049h\x1b[?25l"  # the other screen, no cursor
_LEAVE = "\x1b[?25h\x1b[?1049l"
_HOME, _REST_OF_LINE, _REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
_DISABLED = b"\0"
_CONTROL_CHARACTERS = 6  # where `tcgetattr` keeps them
_LONGEST_PRESS = 64


class Waker:
    """Wakes whoever waits for keys: from a thread, or when the window changes its size."""

    def __init__(self) -> None:
        self.end, self._other_end = os.pipe()
        self._closed = False
        for descriptor in (self.end, self._other_end):
            os.set_blocking(descriptor, False)

    def __call__(self) -> None:
        if self._closed:
            return
        # Full: whoever waits will wake as it is.
        with suppress(BlockingIOError):
            os.write(self._other_end, b"!")

    def calm(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self.end, 4096):
                pass

    def close(self) -> None:
        self._closed = True
        os.close(self.end)
        os.close(self._other_end)


class Screen:
    """`keys` is the descriptor that keys come from; None where no keyboard is there."""

    def __init__(self, waker: Waker, keys: int | None) -> None:
        self.waker = waker
        self.keys = keys

    def show(self, lines: Sequence[str]) -> None:
        """One write: a screen that is drawn in pieces flickers. Nothing is cleared first, for the
        same reason."""
        text = "\r\n".join(f"{line}{_REST_OF_LINE}" for line in lines)
        sys.stdout.write(f"{_HOME}{text}{_REST_OF_SCREEN}")
        sys.stdout.flush()

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows, asked anew: `COLUMNS` would stay what it was."""
        try:
            found = os.get_terminal_size(sys.stdout.fileno())
        except OSError:
            return 80, 24
        return found.columns or 80, found.lines or 24

    def pressed(self) -> str:
        """The keys pressed by now; waits for one, or for the waker."""
        watched = [self.waker.end] + ([] if self.keys is None else [self.keys])
        ready, _, _ = select.select(watched, [], [])
        if self.waker.end in ready:
            self.waker.calm()
        if self.keys is None or self.keys not in ready:
            return ""
        typed = os.read(self.keys, _LONGEST_PRESS)
        if not typed:
            self.keys = None  # the terminal is gone; it would be ready for ever
        return typed.decode("utf-8", "replace")


@contextmanager
def screen(waker: Waker) -> Iterator[Screen]:
    """The whole terminal. However it ends, the terminal is as it was before."""
    keys = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
    with _signals(waker), _unechoed(keys):
        try:
            sys.stdout.write(_ENTER)
            sys.stdout.flush()
            yield Screen(waker, keys)
        finally:
            sys.stdout.write(_LEAVE)
            sys.stdout.flush()


@contextmanager
def _unechoed(keys: int | None) -> Iterator[None]:
    """Keys arrive as they are pressed and are not shown. Ctrl-C still interrupts; ctrl-Z would
    leave the shell on the other screen."""
    if keys is None:
        yield
        return
    before = termios.tcgetattr(keys)
    try:
        tty.setcbreak(keys)
        now = termios.tcgetattr(keys)
        now[_CONTROL_CHARACTERS][termios.VSUSP] = _DISABLED
        termios.tcsetattr(keys, termios.TCSANOW, now)
        yield
    finally:
        termios.tcsetattr(keys, termios.TCSADRAIN, before)


@contextmanager
def _signals(waker: Waker) -> Iterator[None]:
    def resized(_number: int, _frame: FrameType | None) -> None:
        waker()

    def ended(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    before = {
        signal.SIGWINCH: signal.signal(signal.SIGWINCH, resized),
        signal.SIGTERM: signal.signal(signal.SIGTERM, ended),
        signal.SIGHUP: signal.signal(signal.SIGHUP, ended),
    }
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)


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
