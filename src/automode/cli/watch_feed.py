"""Records as they are made, for `automode watch`, and the terminal that shows them."""

import os
import select
import signal
import sys
import termios
import threading
import tty
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import FrameType
from typing import TypeAlias

from automode.core.errors import AutomodeError
from automode.core.record import Record
from automode.daemon.client import NoDaemon, Status, running, subscribe
from automode.store.changes import RecordQuery, record_from
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
