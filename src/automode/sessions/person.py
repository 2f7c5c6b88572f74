"""What a person does to sessions: approve a call, begin anew, switch auto mode on and off.

Whether it is a person who asks is for the caller to know.
"""

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from automode.core.decision import Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.record import Record, SessionKey
from automode.core.session import NOTHING_YET, History, Mode
from automode.sessions.gate_run import mode
from automode.sessions.layers import Approvals, approved
from automode.sessions.live_session import (
    EVERY_SESSION,
    MOST_RECORDS_READ,
    LiveSession,
    Override,
    Standing,
    fold_history,
)
from automode.sessions.projects import Projects
from automode.sessions.record_builder import Ids, RecordBuilder
from automode.sessions.registry import MOST_ANCESTORS, SessionRegistry
from automode.sessions.retries import canonical_json
from automode.sessions.status import Notices, SessionState, Subscribers, live_state, row_state
from automode.sessions.usage import bill_of
from automode.store import tables
from automode.store.changes import (
    ApprovalsForgotten,
    Approved,
    Change,
    Decided,
    ModeSet,
    SessionKept,
    SessionRow,
)
from automode.store.database import Database

TOOL = "automode"
NO_SESSION = SessionKey(TOOL, "person")
"""Stands in the record of what was done to no one session."""


@dataclass(frozen=True, slots=True)
class Place:
    """The session that it was done to, and where that works."""

    key: SessionKey = NO_SESSION
    parent: str | None = None
    root: str = ""
    cwd: str = ""
    attended: bool = True

    @staticmethod
    def of(known: LiveSession | SessionRow) -> "Place":
        if isinstance(known, SessionRow):
            return Place(known.key, known.parent, known.root, known.cwd, known.attended)
        session = known.session
        parent = None if known.parent is None else known.parent.id
        root, cwd = known.root or session.workspace.root, session.workspace.cwd
        return Place(known.key, parent, root, cwd, session.attended)


@dataclass(frozen=True, slots=True)
class Deeds:
    builder: RecordBuilder
    ids: Ids
    clock: Callable[[], float]

    def done(self, verb: str, told: str, place: Place, words: Sequence[str] = ()) -> Decided:
        """A person ran `automode VERB WORDS`; `told` says what that did."""
        return self._kept(verb, f"{self.builder.account} {told}", place, words)

    def noticed(self, kind: str, told: str, place: Place) -> Decided:
        """Something happened about which nobody decided, and a person is needed."""
        known = self._kept(kind, told, place).record
        return Decided(replace(known, verdict=Verdict.ASK, source=f"gate.{kind}"))

    def _kept(self, verb: str, told: str, place: Place, words: Sequence[str] = ()) -> Decided:
        clean = self.builder.brief
        record = Record(
            id=self.ids.new(),
            at=self.clock(),
            session=place.key,
            parent=place.parent,
            account=self.builder.account,
            root=clean(place.root),
            cwd=clean(place.cwd),
            tool=TOOL,
            action=clean(" ".join((TOOL, verb, *words))),
            input=canonical_json({"verb": verb, "words": [clean(word) for word in words]}),
            digest="",
            verdict=Verdict.ALLOW,
            source=f"person.{verb}",
            reason=clean(told),
            advice="",
            clearable=False,
            error=None,
            enforced=True,
            attended=place.attended,
            micros=0,
        )
        return Decided(record)


def in_mode(projects: Projects, states: Iterable[SessionState]) -> tuple[SessionState, ...]:
    """With the mode that holds for each now: a bar must not show the one of its last call."""
    known = {state.key: state for state in states}
    return tuple(
        replace(state, mode=_mode(projects, state.root, _override(state, known)).value)
        for state in known.values()
    )


def _mode(projects: Projects, root: str, override: Override) -> Mode:
    if override is Override.OFF:
        return Mode.OFF
    try:
        return mode(projects.loaded(root, at_once=True).settings, override)
    except (AutomodeError, OSError):
        return Mode.ENFORCE  # by settings that cannot be read nothing is allowed


def _override(state: SessionState, known: Mapping[SessionKey, SessionState]) -> Override:
    """As for its calls: what a person typed for the session, or for the nearest above it."""
    one: SessionState | None = state
    for _ in range(MOST_ANCESTORS):
        if one is None or one.override or one.parent is None:
            break
        one = known.get(SessionKey(one.key.host, one.parent))
    return Override.NONE if one is None else one.override


MOST_AT_ONCE = 10_000


class NotKept(AutomodeError):
    """What was asked for could not be written down, so it does not hold."""


@dataclass(slots=True)
class Person:
    registry: SessionRegistry
    approvals: Approvals
    builder: RecordBuilder
    deeds: Deeds
    projects: Projects
    notices: Notices
    subscribers: Subscribers
    clock: Callable[[], float] = time.time

    async def approve(self, wanted: str, *, session_long: bool = False) -> Approved:
        """A person's yes to an exact retry of the call of this record (an id, or how it begins).
        Raises BadCall for a record that nobody may permit, or that is not there."""
        stored = await self.registry.store.run(lambda db: tables.record(db, wanted))
        if stored.record is None:
            raise BadCall(f"the content of record `{stored.id}` was purged", "decide it anew")
        yes = approved(stored.record, self.deeds.ids.new(), self.clock(), session_long=session_long)
        live = self.registry.get(yes.session)
        place = Place(yes.session, stored.record.parent, stored.record.root, stored.record.cwd)
        words = [stored.id, *(["--session"] if session_long else [])]
        told = f"approved an exact retry of the call of `{stored.id}`"
        await self._keep([yes, self.deeds.done("approve", told, place, words)])
        if live is not None and live.restored:
            self.approvals.expect(yes.session, [yes.digest])
            live.rulings.forget()
        return yes

    async def has_ended(self, key: SessionKey) -> bool:
        live = self.registry.get(key)
        if live is not None and live.restored:
            return live.ended is not None
        row = await self.registry.store.run(lambda db: tables.session(db, key))
        return row is not None and row.ended is not None

    async def reset(self, key: SessionKey | None) -> tuple[SessionKey, ...]:
        """Counters, recent denials and approvals of a session, or of all, start anew. Returns the
        sessions it touched. Raises BadCall for one that is not known."""
        touched = await self._each(key, self._reset_live, self._reset_row)
        if key is None:
            # Also for those that the store has lost: see `past.require_past`.
            told, place = "let every session begin anew", Place(EVERY_SESSION)
            await self._keep([self.deeds.done("reset", told, place, ["--all"])])
        self.notices.drop(key)
        return touched

    async def set_mode(self, key: SessionKey | None, override: Override) -> tuple[SessionKey, ...]:
        """Switches auto mode on or off for a session, or for all that are known."""

        def switched(place: Place) -> Decided:
            told = f"switched auto mode {override.value} for this session"
            return self.deeds.done(override.value, told, place, [str(place.key)])

        async def live_mode(live: LiveSession) -> None:
            row = SessionKept(live.row(self.builder.brief))
            mode = ModeSet(live.key, override.value)
            await self._keep([row, mode, switched(Place.of(live))])
            live.override = override
            live.rulings.forget()

        async def row_mode(row: SessionRow) -> None:
            await self._keep([ModeSet(row.key, override.value), switched(Place.of(row))])

        return await self._each(key, live_mode, row_mode)

    async def record_purge(self, told: str) -> None:
        """A person had something removed from the store: that is recorded, and memory dropped, so
        that nothing of it is written back from there."""
        self.registry.drop(None)
        self.notices.drop(None)
        await self._keep([self.deeds.done("purge", told, Place())])

    async def find(self, text: str) -> SessionKey:
        """The session a person means: `host/id`, an id, or how one begins. Memory counts as well:
        what an outage kept from the store is not there. Raises BadCall."""
        _, slash, own = text.partition("/")
        keys = await self._known_keys([text, own] if slash else [text])
        exact = [key for key in keys if text in (str(key), key.id)]
        begun = [key for key in keys if text and str(key).startswith(text)]
        begun += [key for key in keys if text and key.id.startswith(text) and key not in begun]
        match exact or begun:
            case [one]:
                return one
            case []:
                raise BadCall(f"no session is called `{text}`", "`automode status` lists them")
            case several:
                names = ", ".join(str(key) for key in several[:5])
                raise BadCall(f"`{text}` may mean more than one session", f"say which: {names}")

    async def sessions(
        self, *, limit: int = 100, only: SessionKey | None = None
    ) -> Sequence[SessionState]:
        """Known sessions, in memory or in the store, the last seen first; `only` one of them."""
        rows = await self._rows(None, limit)
        keys = [row.key for row in rows]
        used = await self.registry.store.run(lambda db: tables.usage_rows(db, sessions=keys))
        bill = bill_of(used if keys else ())
        found: dict[SessionKey, SessionState] = {}
        for row in rows:  # mode and cost of one depend on others; its history does not
            history = await self._history(row) if only in (None, row.key) else NOTHING_YET
            found[row.key] = row_state(row, history, str(bill.spent(str(row.key)).money))
        for live in self.registry.live():
            if live.restored:
                known = found.get(live.key)
                found[live.key] = live_state(live, known.usd if known else "0")
        shown = [one for one in in_mode(self.projects, found.values()) if only in (None, one.key)]
        return sorted(shown, key=lambda state: state.seen, reverse=True)[:limit]

    async def _each(
        self,
        key: SessionKey | None,
        of_live: Callable[[LiveSession], Awaitable[None]],
        of_row: Callable[[SessionRow], Awaitable[None]],
    ) -> tuple[SessionKey, ...]:
        """Does it to one session, or to all; those in memory in their turn."""
        stored = await self._rows(key)
        wanted = {live.key for live in self.registry.live()} if key is None else {key}
        done: list[SessionKey] = []
        for live in self.registry.live():
            if live.key in wanted:
                async with live.turn:
                    await self.registry.restore(live)
                    await of_live(live)
                done.append(live.key)
        for row in stored:
            if row.key not in done:
                await of_row(row)
                done.append(row.key)
        if key is not None and not done:
            raise BadCall(f"no session is called `{key}`", "`automode status` lists them")
        return tuple(done)

    async def _history(self, row: SessionRow) -> History:
        live = self.registry.get(row.key)
        if live is not None and live.restored:
            return live.session.history
        newest = MOST_RECORDS_READ
        found = await self.registry.store.run(
            lambda db: tables.past_records(db, row.key, newest=newest)
        )
        return fold_history(row.key, found, self.registry.limits(row.root, None))

    async def _reset_live(self, live: LiveSession) -> None:
        await self._reset_row(live.row(self.builder.brief))
        live.session.history = NOTHING_YET
        live.asked.clear()
        live.suspect = live.silent = ""
        live.rulings.forget()
        self.approvals.forget(live.key)

    async def _reset_row(self, row: SessionRow) -> None:
        """The record itself is where the counters begin anew. How a session began is no counter:
        whether somebody is there stays what it is."""
        known = replace(Standing.of(row.standing), asked={}, suspect="", silent="")
        anew = SessionKept(replace(row, standing=known.text(self.builder.brief)))
        reset = self._reset_deed(Place.of(row))
        await self._keep([anew, ApprovalsForgotten(row.key), reset])

    def _reset_deed(self, place: Place) -> Decided:
        return self.deeds.done("reset", "let this session begin anew", place, [str(place.key)])

    async def _keep(self, changes: Sequence[Change]) -> None:
        """What a person says is in the store, or it was not said."""
        kept = await self.registry.store.append(changes)
        if kept.lost:
            raise NotKept(f"it could not be written down: {kept.reason}", "see `automode status`")
        for change in changes:
            if isinstance(change, Decided):
                self.subscribers.publish(change.record)

    async def _rows(
        self, key: SessionKey | None, limit: int = MOST_AT_ONCE
    ) -> Sequence[SessionRow]:
        if key is None:
            return await self.registry.store.run(lambda db: tables.sessions(db, limit=limit))
        row = await self.registry.store.run(lambda db: tables.session(db, key))
        return [] if row is None else [row]

    async def _known_keys(self, texts: Iterable[str]) -> list[SessionKey]:
        found = [live.key for live in self.registry.live()]
        for text in texts:
            rows = await self.registry.store.run(partial(_rows_named, text))
            found += [row.key for row in rows]
        return list(dict.fromkeys(found))


def _rows_named(text: str, db: Database) -> list[SessionRow]:
    return tables.sessions_named(db, text)
