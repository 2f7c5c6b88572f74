"""Records as they are made, for `automode watch`: from the daemon, and from the store for whatever
was made while no daemon could be heard."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TypeAlias

from automode.core.errors import AutomodeError
from automode.core.record import Record
from automode.daemon.client import NoDaemon, Status, running, subscribe
from automode.store.changes import RecordQuery
from automode.store.database import StoreError
from automode.store.encoding import record_from
from automode.store.folder import StateFolder
from automode.store.open import reading
from automode.store.tables import records

RETRY_SECONDS = 1.0
EARLIER = 50  # records of the time before that are shown for a start
MOST_MISSED = 1000
REMEMBERED = 4 * MOST_MISSED


@dataclass(frozen=True, slots=True)
class Made:
    """A record; `earlier` when it is from before the feed was opened."""

    record: Record
    earlier: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """Which daemon is heard now; None when there is none, and `why`."""

    daemon: Status | None
    why: str = ""


Event: TypeAlias = Made | Heard


class Feed:
    """One thread. `wake` is called after each event; it must not block."""

    def __init__(self, folder: StateFolder, store: str, wake: Callable[[], None]) -> None:
        self._folder = folder
        self._store = store
        self._wake = wake
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._newest = 0.0
        self._last_heard: Heard | None = None
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
                self._say(Heard(None, "no daemon runs"))
            except AutomodeError as error:
                self._say(Heard(None, str(error)))
            self._catch_up()
            self._ended.wait(RETRY_SECONDS)

    def _follow(self) -> None:
        """Until the daemon goes away. What came between looking into the store and listening must
        not be missed, so the listening begins first."""
        stream = subscribe(self._folder)
        self._say(Heard(running(self._folder)))
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
        self._say(Made(record, earlier))

    def _say(self, event: Event) -> None:
        if isinstance(event, Heard):
            if event == self._last_heard:
                return  # still no daemon: it is tried every second, and said once
            self._last_heard = event
        self._events.put(event)
        self._wake()
