"""What a person does to sessions: approve a call, begin anew, switch auto mode on and off.

Whether it is a person who asks is for the caller to know.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from automode.classifier import events
from automode.config.model_choice import KEY, check_choice, save_choice
from automode.config.settings import Source
from automode.core.decision import Remark, Verdict
from automode.core.errors import AutomodeError, BadCall
from automode.core.record import Record, SessionKey
from automode.core.session import NOTHING_YET, History, Mode
from automode.sessions.gate_run import mode
from automode.sessions.layers import approval_of
from automode.sessions.live_session import (
    DECLINED,
    EVERY_SESSION,
    MOST_RECORDS_READ,
    LiveSession,
    Override,
    Standing,
    decline,
    fold_history,
)
from automode.sessions.precedents import Precedents
from automode.sessions.projects import Projects
from automode.sessions.record_builder import Ids, RecordBuilder
from automode.sessions.registry import MOST_ANCESTORS, SessionRegistry
from automode.sessions.retries import canonical_json
from automode.sessions.rule_offers import RuleOffers
from automode.sessions.status import Notices, SessionState, Subscribers, live_state, row_state
from automode.sessions.transcript_text import event_text
from automode.sessions.usage import bill_of
from automode.store import tables
from automode.store.changes import (
    ApprovalsForgotten,
    Approved,
    Change,
    Decided,
    Heard,
    ModeSet,
    SessionKept,
    SessionRow,
)

TOOL = "automode"
NO_SESSION = SessionKey(TOOL, "person")
"""Stands in the record of what was done to no one session."""
NOWHERE = SessionRow(NO_SESSION, None, "", "", True, "", 0.0, 0.0, None, "")


@dataclass(frozen=True, slots=True)
class Deeds:
    """Records of what no layer decided. `place` is the session that it was done to."""

    builder: RecordBuilder
    ids: Ids
    clock: Callable[[], float]

    def person_did(
        self, verb: str, told: str, place: SessionRow, words: Sequence[str] = ()
    ) -> Decided:
        """A person ran `automode VERB WORDS`; `told` says what that did."""
        return self._record(verb, f"{self.builder.account} {told}", place, words)

    def declined(self, asked: Record, reason: str = "", by: str = "agent") -> Decided:
        """The person said no to a call, in the agent's own dialog or elsewhere."""
        why = f": {self.builder.brief(reason)}" if reason else ""
        declined = replace(
            self.again(asked, Verdict.DENY, f"the person said no to this call{why}"),
            source=DECLINED,
            advice="",
            error=None,
            enforced=True,
            trail=(Remark("person", "answered", by),),
        )
        return Decided(declined)

    def again(self, asked: Record, verdict: Verdict, reason: str) -> Record:
        """Another record of the same call: what was asked came to this."""
        fresh = replace(asked, id=self.ids.new(), at=self.clock(), micros=0, stages=())
        return replace(fresh, verdict=verdict, reason=reason)

    def notice(self, kind: str, told: str, place: SessionRow) -> Decided:
        """Something happened without a decision, and a person is needed."""
        known = self._record(kind, told, place).record
        return Decided(replace(known, verdict=Verdict.ASK, source=f"gate.{kind}"))

    def _record(
        self, verb: str, told: str, place: SessionRow, words: Sequence[str] = ()
    ) -> Decided:
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


def states_in_mode(projects: Projects, states: Iterable[SessionState]) -> tuple[SessionState, ...]:
    """With the mode that holds for each now: a bar must not show the one of its last call. And
    with what its agent's environment adds to the settings."""
    known = {state.key: state for state in states}
    return tuple(
        _state_in_force(projects, state, _override(state, known)) for state in known.values()
    )


def _state_in_force(projects: Projects, state: SessionState, override: Override) -> SessionState:
    try:
        loaded = projects.loaded(state.row.root, state.variables, at_once=True)
    except (AutomodeError, OSError):
        # By settings that cannot be read nothing is allowed.
        held = Mode.OFF if override is Override.OFF else Mode.ENFORCE
        return replace(state, mode=held.value)
    found = (one for one in loaded.diagnostics if one.source is Source.ENVIRONMENT)
    told = (*(name for name, _ in state.variables), *map(str, found))
    return replace(state, mode=mode(loaded.settings, override).value, environment=told)


def _override(state: SessionState, known: Mapping[SessionKey, SessionState]) -> Override:
    """As for its calls: what a person typed for the session, or for the nearest above it."""
    one: SessionState | None = state
    for _ in range(MOST_ANCESTORS):
        if one is None or one.override or one.row.parent is None:
            break
        one = known.get(SessionKey(one.key.host, one.row.parent))
    return Override.NONE if one is None else one.override


MOST_AT_ONCE = 10_000


class NotKept(AutomodeError):
    """What was asked for could not be written down, so it does not hold."""


def _place(made: Record) -> SessionRow:
    """The session of a record, as far as a record of what a person did there needs it."""
    where = (made.session, made.parent, made.root, made.cwd)
    return SessionRow(*where, True, "", 0.0, 0.0, None, "")


@dataclass(slots=True)
class Person:
    registry: SessionRegistry
    builder: RecordBuilder
    deeds: Deeds
    projects: Projects
    notices: Notices
    subscribers: Subscribers
    precedents: Precedents
    clock: Callable[[], float] = time.time
    offers: RuleOffers | None = None

    async def always(self, asked: Record, rule: str, *, by: str = "") -> str:
        """Saves a rule that covers the call of a record in the person's own settings; says where.
        Raises BadCall where the rule would not let exactly this call through."""
        if self.offers is None:
            raise BadCall("no rule can be saved here", "write it into your settings")
        saved = await self.offers.save(asked, rule)
        self.projects.forget()
        live = self.registry.get(asked.session)
        if live is not None:
            live.rulings.forget()
        told = f"saved a rule that covers the call of `{asked.id}`{f' ({by})' if by else ''}"
        words = [asked.id, "--always", *rule.split("\n")]
        await self._keep([self.deeds.person_did("approve", told, _place(asked), words)])
        return saved

    async def stored(self, wanted: str) -> Record:
        """The record with this id, or the only one whose id begins so. Raises BadCall."""
        found = await self.registry.store.run(lambda db: tables.record(db, wanted))
        if found.record is None:
            raise BadCall(f"the content of record `{found.id}` was purged", "decide it anew")
        return found.record

    async def approve(self, wanted: str, *, session_long: bool = False, by: str = "") -> Approved:
        """A person's yes to an exact retry of the call of this record (an id, or how it begins).
        Raises BadCall where nobody may permit it. `by`: where the person said so."""
        made = await self.stored(wanted)
        yes = approval_of(made, self.deeds.ids.new(), self.clock(), session_long=session_long)
        live = self.registry.get(yes.session)
        words = [made.id, *(["--session"] if session_long else [])]
        told = f"approved an exact retry of the call of `{made.id}`{f' ({by})' if by else ''}"
        told_of = self.deeds.person_did("approve", told, _place(made), words)
        await self._keep([yes, *self.precedents.approved(made), told_of])
        if live is not None and live.restored:
            live.session.approvable[yes.digest] = None
            live.rulings.forget()
        return yes

    async def decline(self, asked: Record, reason: str, *, by: str) -> Record:
        """A person's no to a call that waits. Returns its record, which says why."""
        told = self.deeds.declined(asked, reason, by)
        await self._keep([told, *self.precedents.said_no(asked)])
        live = self.registry.get(asked.session)
        if live is not None and live.restored:
            live.session.history = decline(live.session.history, told.record)
        return told.record

    async def has_ended(self, key: SessionKey) -> bool:
        live = self.registry.get(key)
        if live is not None and live.restored:
            return live.ended is not None
        row = await self.registry.store.run(lambda db: tables.session(db, key))
        return row is not None and row.ended is not None

    async def reset(self, key: SessionKey | None) -> tuple[SessionKey, ...]:
        """Counters, recent denials and approvals of a session, or of all, start anew. Returns
        which. Raises BadCall for an unknown one."""
        touched = await self._each(key, self._reset_live, self._reset_row)
        if key is None:
            # Also for those that the store has lost: see `require_past`.
            told, place = "let every session begin anew", replace(NOWHERE, key=EVERY_SESSION)
            anew = self.deeds.person_did("reset", told, place, ["--all"])
            await self._keep([anew, self.precedents.forget(None)])
        self.notices.drop(key)
        return touched

    async def set_mode(self, key: SessionKey | None, override: Override) -> tuple[SessionKey, ...]:
        """Switches auto mode on or off for a session, or for all that are known."""

        def switched(place: SessionRow) -> Decided:
            told = f"switched auto mode {override.value} for this session"
            return self.deeds.person_did(override.value, told, place, [str(place.key)])

        async def live_mode(live: LiveSession) -> None:
            row = SessionKept(live.row(self.builder.brief))
            mode = ModeSet(live.key, override.value)
            await self._keep([row, mode, switched(live.row(str))])
            live.override = override
            live.rulings.forget()

        async def row_mode(row: SessionRow) -> None:
            await self._keep([ModeSet(row.key, override.value), switched(row)])

        return await self._each(key, live_mode, row_mode)

    async def choose_model(self, name: str, root: str) -> dict[str, object]:
        """Saves the classifier's model where it takes effect, as `automode model` does. `decides`:
        what sets another one in the project at `root`, and counts there. Raises BadSettings."""
        places = self.projects.places(root)
        check_choice(name, self.projects.load(places).settings)
        file = await asyncio.to_thread(save_choice, places, name)
        self.projects.forget()
        now = self.projects.load(places).values[KEY]
        decides = None if now.file == file else now.place
        return {"saved": name, "file": file, "in_force": now.value, "decides": decides}

    async def record_purge(self, told: str) -> None:
        """Records a purge, and drops memory, so that nothing of it is written back."""
        self.registry.drop(None)
        self.notices.drop(None)
        self.precedents.forget(None)
        await self._keep([self.deeds.person_did("purge", told, NOWHERE)])

    async def record_notice(self, kind: str, told: str) -> None:
        """Something that happened in no session, and that a person should know."""
        await self._keep([self.deeds.notice(kind, told, NOWHERE)])

    async def find(self, text: str) -> SessionKey:
        """The session a person means: see `tables.find_session`. Memory counts too: an outage keeps
        sessions from the store. Raises BadCall."""
        live = [one.key for one in self.registry.live()]
        return await self.registry.store.run(lambda db: tables.find_session(db, text, live))

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
        shown = [
            one for one in states_in_mode(self.projects, found.values()) if only in (None, one.key)
        ]
        return sorted(shown, key=lambda state: state.row.seen, reverse=True)[:limit]

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
        live.standing.begin_anew()
        live.rulings.forget()
        live.session.approvable.clear()
        live.recorder.hear(events.ApprovalsForgotten())

    async def _reset_row(self, row: SessionRow) -> None:
        """The record is where the counters begin anew. Whether somebody is there stays what it
        is."""
        known = Standing.of(row.standing)
        known.begin_anew()
        anew = SessionKept(replace(row, standing=known.text(self.builder.brief)))
        told = "let this session begin anew"
        reset = self.deeds.person_did("reset", told, row, [str(row.key)])
        said_yes = Heard(row.key, event_text(events.ApprovalsForgotten(), self.builder.brief))
        learnt = self.precedents.forget(row.root)
        await self._keep([anew, ApprovalsForgotten(row.key), said_yes, learnt, reset])

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
