"""Every session that is alive, by host and id: made on first sight, restored from the store."""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from automode.agents.events import SessionRef
from automode.classifier.events import Origin, ToolProposed, UserPrompt
from automode.classifier.transcript import Recorder
from automode.core.record import SessionKey
from automode.core.session import History
from automode.core.transcript import Transcript, UserMessage
from automode.gate.breaker import Limits
from automode.sessions.live_session import (
    UNKNOWN_ROOT,
    LiveSession,
    Past,
    PastUnknown,
    Standing,
    fold_history,
    new_session,
    override_of,
    read_past,
    require_past,
)
from automode.sessions.record_builder import parent_id
from automode.sessions.transcript_text import (
    InstructionsGiven,
    PromptDisowned,
    PromptOrigin,
    events_of,
)
from automode.store import tables
from automode.store.changes import SessionRow
from automode.store.database import Database
from automode.store.writer import Writer

MOST_LIVE = 512
IDLE_SECONDS = 3600.0
"""A session that was silent for so long leaves memory; the store still has it."""

FORGOTTEN_AFTER_DAYS = 30
"""Sessions not seen for so long lose their transcript and approvals; the audit has its own rule."""

MOST_ANCESTORS = 8


@dataclass(slots=True)
class SessionRegistry:
    """Bounded: the longest silent sessions leave it first, and come back from the store."""

    store: Writer
    limits: Callable[[str, str | None], Limits]  # the breaker's, by root and the agent's model
    clock: Callable[[], float] = time.time
    _live: OrderedDict[SessionKey, LiveSession] = field(default_factory=OrderedDict)
    _late: int = 0

    def seen(self, key: SessionKey, ref: SessionRef) -> LiveSession:
        """The session, made where it is not in memory. It may still have to be restored."""
        now = self.clock()
        self._note_outdated()
        live = self._live.get(key)
        if live is None:
            live = self._live[key] = new_session(key, now)
            self._shrink(now)
        parent = parent_id(ref)
        if parent is not None:
            live.belongs(parent)
        live.words.record = ref.record or live.words.record
        live.model = ref.model or live.model
        live.variables = ref.variables
        live.standing.run = ref.run or live.standing.run
        attended = ref.attended
        for one in (*self.ancestors(live), live):
            attended = attended and not one.standing.unattended
            self._live.move_to_end(one.key)
            # A clock that was set back must not make it look older than what is kept of it.
            one.seen = max(one.seen, now)
        live.session.attended = attended
        return live

    async def restore(self, live: LiveSession) -> None:
        """Fills a session from the store, once; for who holds its turn. Raises what the store
        raises."""
        if not live.restored or live.outdated:
            await self._read(live, sure=True)

    async def recall(self, live: LiveSession) -> None:
        """As `restore`, for a session that is to act: raises PastUnknown if the store may have lost
        that it was stopped. A sub-agent is judged by who started it."""
        if live.current:
            return
        try:
            await self._read(live, sure=live.began or live.parent is not None)
        except PastUnknown:
            live.doubted = True
            raise
        live.doubted = False

    async def catch_up(self, live: LiveSession) -> None:
        """Takes in what other processes kept; for who holds the turn. Raises what the store
        raises."""
        live.outdated = live.restored
        await self.restore(live)

    async def find(self, key: SessionKey) -> LiveSession | None:
        """A session that was seen before, or None. Raises PastUnknown when the store may have had
        it."""
        live = self._live.get(key)
        if live is None:
            now = self.clock()
            row = await self.store.read(lambda db: _surely(db, key, now))
            if row is None:
                return None
            live = self.seen(key, SessionRef(key.id, row.cwd, row.parent, row.attended))
        return live

    def live(self) -> tuple[LiveSession, ...]:
        """The last seen first."""
        return tuple(reversed(self._live.values()))

    def get(self, key: SessionKey) -> LiveSession | None:
        return self._live.get(key)

    def drop(self, key: SessionKey | None) -> None:
        """Out of memory, one or all, as if never seen."""
        for one in list(self._live) if key is None else [key]:
            self._live.pop(one, None)

    def ancestors(self, live: LiveSession) -> list[LiveSession]:
        """The sessions in memory above this one, the nearest first; circles end."""
        found: list[LiveSession] = []
        above = live.parent
        while above is not None and len(found) < MOST_ANCESTORS:
            parent = self._live.get(above)
            if parent is None or parent is live or parent in found:
                break
            found.append(parent)
            above = parent.parent
        return found

    def below(self, live: LiveSession) -> list[LiveSession]:
        """The sessions in memory that this one started, or that they did."""
        return [one for one in self._live.values() if live in self.ancestors(one)]

    async def _read(self, live: LiveSession, *, sure: bool) -> None:
        key, now, before = live.key, self.clock(), live.session.history

        def past_of(db: Database) -> Past:
            past = read_past(db, key, now)
            if not sure:
                require_past(db, key, past.row, now)
            return past

        past = await self.store.read(past_of)
        if live.outdated or not live.restored:
            self._take_in(live, past, before)

    def _take_in(self, live: LiveSession, past: Past, before: History) -> None:
        if live.outdated and live.session.history is not before:
            return  # something below it was decided meanwhile: it is read again next time
        if live.outdated:
            live.recorder, live.words, live.heard = Recorder(), PromptOrigin(live.words.record), 0
            live.session.approvable.clear()
        _fill(live, past)
        limits = self.limits(live.root, live.model)
        live.session.history = fold_history(live.key, past.records, limits)
        live.restored, live.outdated = True, False
        live.session.approvable.update(dict.fromkeys(past.approvable))

    def _note_outdated(self) -> None:
        """Other processes wrote: sessions in memory are read again, each when its turn is next
        taken."""
        if self._late != (late := self.store.late()):
            self._late = late
            for live in self._live.values():
                live.outdated = live.restored

    def _shrink(self, now: float) -> None:
        for key, live in list(self._live.items()):
            idle = now - live.seen > IDLE_SECONDS
            if not idle and len(self._live) <= MOST_LIVE:
                break
            if not live.turn.locked() and len(self._live) > 1:
                del self._live[key]


def with_words_above(transcript: Transcript, above: Sequence[LiveSession]) -> Transcript:
    """With the user's words to the agents above: what they forbade there holds here as well."""
    words = [
        entry
        for live in reversed(above)
        for entry in live.words.persons(live.recorder.transcript).entries
        if isinstance(entry, UserMessage)
    ]
    return Transcript((*words, *transcript.entries)) if words else transcript


def _fill(live: LiveSession, past: Past) -> None:
    live.heard += len(past.heard)
    for text in past.heard:
        _replay(live, text)
    row = past.row
    if row is None:
        return
    before, known = live.standing, Standing.of(row.standing)
    # It may have begun anew, or been found out, while the store could not be read.
    known.unattended = known.unattended or before.unattended
    known.silent = known.silent or before.silent
    known.switched = known.switched or before.switched
    known.run = before.run or known.run
    live.standing = known
    live.created, live.ended = row.created, row.ended
    live.seen = max(live.seen, row.seen)
    live.override = override_of(row)
    live.session.workspace = replace(live.session.workspace, root=row.root, cwd=row.cwd)
    live.root = "" if row.root == UNKNOWN_ROOT else row.root
    if row.parent is not None:
        live.belongs(row.parent)


def _surely(db: Database, key: SessionKey, now: float) -> SessionRow | None:
    row = tables.session(db, key)
    if row is None:
        require_past(db, key, None, now)
    return row


def _replay(live: LiveSession, text: str) -> None:
    """A line of what was heard before, or elsewhere."""
    for event in events_of(text):
        match event:
            case InstructionsGiven(files):
                live.session.instructions = files
                continue
            case PromptDisowned(prompt):
                live.words.disown(prompt)
                continue
            case ToolProposed(identity):
                live.rulings.note_proposed(identity)
            case UserPrompt(prompt, Origin.PERSON):
                live.words.add_typed(prompt)
            case _:
                pass
        live.recorder.hear(event)
