"""Every session that is alive, by host and id: made on first sight, restored from the store."""

import asyncio
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from automode.adapters.seam import Speaker
from automode.classifier.events import Event, Origin, ToolProposed, UserPrompt
from automode.classifier.transcript import Recorder
from automode.core.decision import Verdict
from automode.core.files import Files
from automode.core.history import NOTHING_YET, History
from automode.core.record import SessionKey
from automode.core.session import Session
from automode.core.transcript import Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.gate.breaker import Limits
from automode.sessions.approvals import Approvals
from automode.sessions.event_text import Clean, event_text, events_of
from automode.sessions.history_text import Remembered, remembered, remembered_text
from automode.sessions.instructions import instructions_of
from automode.sessions.keeper import Keeper
from automode.sessions.names import parent_id
from automode.sessions.rulings import Rulings
from automode.sessions.stored import Found, found
from automode.sessions.words import Words, disowned_of
from automode.store import tables
from automode.store.changes import Heard, SessionRow

MOST_LIVE = 512
IDLE_SECONDS = 3600.0
"""A session that was silent for so long leaves memory; the store still has it."""

FORGOTTEN_AFTER_DAYS = 30
"""Sessions not seen for so long lose their transcript and approvals; the audit has its own rule."""

MOST_ASKED = 32
MOST_CAUGHT_UP = 1024
MOST_ANCESTORS = 8
UNKNOWN_ROOT = "/"
NOWHERE: Files = Names("/")
UNKNOWN_LIMITS = Limits(sys.maxsize, sys.maxsize, sys.maxsize, Verdict.DENY)
"""Before the settings of its project are known, a session is neither asked about nor stopped for
what was denied before."""


class Override(StrEnum):
    """What a person typed for one session, against what is configured."""

    NONE = ""
    ON = "on"
    OFF = "off"


@dataclass(slots=True, eq=False)
class Live:
    """One session in memory. Whoever changes it holds `turn`, but for its history: that is changed
    in one step, also by what is decided below it. Until it is `restored` nothing of it may be
    written: the store may know more."""

    key: SessionKey
    session: Session
    created: float
    seen: float
    parent: SessionKey | None = None
    recorder: Recorder = field(default_factory=Recorder)
    ended: float | None = None
    since: float = 0.0  # when it last began anew
    override: Override = Override.NONE
    restored: bool = False
    limits: Limits = UNKNOWN_LIMITS  # the breaker's, where it last worked
    orphan: bool = False  # nobody knows the session above it
    heard: int = 0  # events so far
    root: str = ""  # the project it began in: its rules hold wherever the session goes
    kept: History = NOTHING_YET  # as it was last written down
    # Calls that the breaker asked about: the host's id → what stands for tool and input.
    asked: OrderedDict[str, str] = field(default_factory=OrderedDict)
    unattended: bool = False  # as it began: not every hook can tell that nobody is there
    switched: str = ""  # the folder in which it must not go on: see `switched`
    looked: bool = False  # whether that was ever looked for
    suspect: str = ""  # what a suspect result asked for, until a person says yes to a call
    rulings: Rulings = field(default_factory=Rulings)
    words: Words = field(default_factory=Words)
    returned: list[SessionKey] = field(default_factory=list)  # ended below it, and not reviewed yet
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def belongs(self, parent: str) -> None:
        """To the session that started it. The first word counts."""
        if self.parent is None and parent != self.key.id:
            self.parent = SessionKey(self.key.host, parent)
            self.session.parent = str(self.parent)

    def hear(self, event: Event, clean: Clean) -> Heard:
        """Takes an event into the transcript; returns it as it is kept."""
        self.recorder.hear(event)
        return self.position(event_text(event, clean))

    def position(self, text: str) -> Heard:
        """The next place in what is kept of the transcript."""
        self.heard += 1
        return Heard(self.key, self.heard - 1, text)

    @property
    def roots(self) -> tuple[str, ...]:
        """Projects of the session and of those above it."""
        return (self.root, *(one.workspace.root for one in self.session.above))

    def ask(self, call: str, own: str) -> None:
        """A person is being asked about a call, because too much was denied."""
        self.asked[call] = own
        if len(self.asked) > MOST_ASKED:
            self.asked.popitem(last=False)

    def row(self, clean: Clean) -> SessionRow:
        """As it is kept."""
        place = self.session.workspace
        self.kept = self.session.history
        return SessionRow(
            self.key,
            None if self.parent is None else self.parent.id,
            clean(self.root or place.root),
            clean(place.cwd),
            self.session.attended,
            self.override.value,
            self.created,
            self.seen,
            self.ended,
            remembered_text(self.remembered, clean),
        )

    @property
    def remembered(self) -> Remembered:
        flags = (self.unattended, self.switched, self.suspect)
        return Remembered(self.session.history, self.asked, self.since, *flags)


@dataclass(slots=True)
class SessionBook:
    """Bounded: the longest silent sessions leave it first, and come back from the store."""

    keeper: Keeper
    approvals: Approvals
    clock: Callable[[], float] = time.time
    _live: OrderedDict[SessionKey, Live] = field(default_factory=OrderedDict)

    def seen(self, key: SessionKey, speaker: Speaker) -> Live:
        """The session, made where it is not in memory. It may still have to be restored."""
        now = self.clock()
        live = self._live.get(key)
        if live is None:
            live = self._live[key] = new_session(key, now)
            self._shrink(now)
        parent = parent_id(speaker)
        if parent is not None:
            live.belongs(parent)
        live.session.attended = speaker.attended and not live.unattended
        live.words.record = speaker.record or live.words.record
        for one in (*self.ancestors(live), live):
            self._live.move_to_end(one.key)
            # A clock that was set back must not make it look older than what is kept of it.
            one.seen = max(one.seen, now)
        return live

    async def restore(self, live: Live) -> None:
        """Fills a session from the store, once; to be called by who holds its turn. Raises what the
        store raises."""
        if live.restored:
            return
        key, now = live.key, self.clock()
        kept = await self.keeper.run(lambda db: found(db, key, now))
        _fill(live, kept)
        live.restored = True
        if kept.approvable:
            self.approvals.expect(key, kept.approvable, live.since)

    async def catch_up(self, live: Live) -> None:
        """Takes in what others kept of a session since it was restored, so that it is neither
        overlooked nor written over; to be called by who holds its turn. Raises what the store
        raises."""
        key, since = live.key, live.heard
        newest = await self.keeper.run(lambda db: tables.events(db, key, newest=MOST_CAUGHT_UP))
        for one in newest:
            if one.position >= since:
                live.heard = one.position + 1
                _replay(live, one.event)

    async def known(self, key: SessionKey) -> Live | None:
        """A session that was seen before; None when neither memory nor the store has it."""
        live = self._live.get(key)
        if live is None:
            row = await self.keeper.run(lambda db: tables.session(db, key))
            if row is None:
                return None
            live = self.seen(key, Speaker(key.id, row.cwd, row.parent, row.attended))
        return live

    def changed_above(self, live: Live) -> list[Live]:
        """Sessions above whose history is not written down yet as it is now."""
        above = self.ancestors(live)
        return [one for one in above if one.restored and one.session.history is not one.kept]

    def live(self) -> tuple[Live, ...]:
        """The last seen first."""
        return tuple(reversed(self._live.values()))

    def get(self, key: SessionKey) -> Live | None:
        return self._live.get(key)

    def drop(self, key: SessionKey | None) -> None:
        """Out of memory, one or all, as if never seen."""
        for one in list(self._live) if key is None else [key]:
            if self._live.pop(one, None) is not None:
                self.approvals.forget(one)

    def ancestors(self, live: Live) -> list[Live]:
        """The sessions in memory above this one, the nearest first; circles end."""
        found: list[Live] = []
        above = live.parent
        while above is not None and len(found) < MOST_ANCESTORS:
            parent = self._live.get(above)
            if parent is None or parent is live or parent in found:
                break
            found.append(parent)
            above = parent.parent
        return found

    def below(self, live: Live) -> list[Live]:
        """The sessions in memory that this one started, or that they did."""
        return [one for one in self._live.values() if live in self.ancestors(one)]

    def _shrink(self, now: float) -> None:
        for key, live in list(self._live.items()):
            idle = now - live.seen > IDLE_SECONDS
            if not idle and len(self._live) <= MOST_LIVE:
                break
            if not live.turn.locked() and len(self._live) > 1:
                del self._live[key]
                self.approvals.forget(key)


def new_session(key: SessionKey, now: float) -> Live:
    """Nothing is known of it but its name. Two hosts may give the same id: all that remembers a
    session by its name is given both."""
    session = Session(str(key), Workspace(UNKNOWN_ROOT, "/", "/", NOWHERE), host=key.host)
    return Live(key, session, now, now)


def inherited(transcript: Transcript, above: Sequence[Live]) -> Transcript:
    """With the user's words to the agents above: what they forbade there holds here as well."""
    words = [
        entry
        for live in reversed(above)
        for entry in live.words.persons(live.recorder.transcript).entries
        if isinstance(entry, UserMessage)
    ]
    return Transcript((*words, *transcript.entries)) if words else transcript


def _fill(live: Live, kept: Found) -> None:
    row = kept.row
    if row is None:
        return
    known = remembered(row.history)
    live.session.history = live.kept = known.history
    live.asked = OrderedDict(list((known.asked or {}).items())[-MOST_ASKED:])
    live.since, live.suspect = known.since, known.suspect
    live.unattended, live.switched = known.unattended, known.switched
    live.created, live.ended = row.created, row.ended
    live.seen = max(live.seen, row.seen)
    live.override = next((one for one in Override if one.value == row.mode), Override.NONE)
    live.session.workspace = replace(live.session.workspace, root=row.root, cwd=row.cwd)
    live.root = "" if row.root == UNKNOWN_ROOT else row.root
    if row.parent is not None:
        live.belongs(row.parent)
    live.heard = max(live.heard, kept.positions)
    for text in kept.heard:
        _replay(live, text)


def _replay(live: Live, text: str) -> None:
    """A line of what was heard before, or elsewhere."""
    files, disowned = instructions_of(text), disowned_of(text)
    live.session.instructions = live.session.instructions if files is None else files
    if disowned is not None:
        live.words.disown(disowned)
    for event in events_of(text):
        live.recorder.hear(event)
        if isinstance(event, ToolProposed):
            live.rulings.proposed(event.id)
        elif isinstance(event, UserPrompt) and event.origin is Origin.PERSON:
            live.words.typed(event.text)
