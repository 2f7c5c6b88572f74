"""The decision service: the one way a call is decided in a running system.

registry → gate of the project → record → store → answer

A decision is written down before it is answered: every allowed call is in the audit.

Used by the daemon and by a hook that found none. Build one with `assemble.build_service`.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from automode.agents.events import (
    NO_FEEDBACK,
    CallFinished,
    CallProposed,
    Feedback,
    HostEvent,
    Ignored,
    PermissionSought,
    PersonSaid,
    SessionEnded,
    SessionRef,
    SessionStarted,
    TurnContinues,
    TurnEnded,
)
from automode.classifier.events import ToolFinished, ToolProposed
from automode.core.decision import Decision, Verdict, settle
from automode.core.record import Record
from automode.core.session import add_denial
from automode.core.transcript import Outcome
from automode.gate.breaker import STOPPED
from automode.gate.gate import fail_closed
from automode.guards.session_files import WHOLE
from automode.llm.ledger import Ledger
from automode.sessions.bypasses import MissedCalls, Switches
from automode.sessions.chat_commands import ChatCommands, ConfirmationCodes
from automode.sessions.confined_calls import ConfinedCalls
from automode.sessions.confinement import Confinement, as_proposed
from automode.sessions.declines import Declines
from automode.sessions.events import EventHandler, add_call, begin, noted_paths, refuse_if_stopped
from automode.sessions.gate_run import (
    CrossChecks,
    GateResult,
    GateRun,
    failed_decision,
    late,
    understood,
)
from automode.sessions.holding import Holding
from automode.sessions.host_checks import HostChecks
from automode.sessions.live_session import LiveSession, Ruled, binding, denial
from automode.sessions.person import Deeds, Person, states_in_mode
from automode.sessions.precedents import Precedents
from automode.sessions.projects import Projects, WrittenFiles
from automode.sessions.record_builder import Circumstances, Ids, RecordBuilder, Written, session_key
from automode.sessions.registry import SessionRegistry
from automode.sessions.result_screening import ResultScreening
from automode.sessions.reviews import Reviews
from automode.sessions.rule_offers import RuleOffers
from automode.sessions.status import (
    Notices,
    Ruling,
    ServiceStatus,
    SessionState,
    Subscribers,
    Subscription,
    live_state,
    unless_lost,
)
from automode.sessions.waiting import End, WaitingAsks
from automode.store.changes import Change, Decided, Kept, SessionKept, usage_of
from automode.store.writer import Writer

__all__ = ["DecisionService", "Ruling", "ServiceStatus", "SessionState", "Subscription"]


NO_HOST_CHECKS = HostChecks()
_REMEDY = "look at `automode status`"
GRACE_SECONDS = 0.1
JUDGES_SHARE = 0.9  # of the time that a host waits; the rest is for the record and the way home
"""What was decided at the last moment has still to be written down: of the time for bringing the
answer home it may take so much."""


async def _do_nothing() -> None:
    pass


@dataclass(slots=True)
class DecisionService:
    """Never raises from `decide`: every error ends in ask, or in deny when unattended."""

    store: Writer
    projects: Projects
    builder: RecordBuilder
    ledger: Ledger
    clock: Callable[[], float] = time.time
    closing: Callable[[], Awaitable[None]] = _do_nothing
    host_checks: HostChecks = NO_HOST_CHECKS
    confinement: Confinement | None = None
    holds: bool = False  # whether an ask can be answered from elsewhere
    offers: RuleOffers | None = None
    registry: SessionRegistry = field(init=False)
    _ids: Ids = field(init=False)
    _files: WrittenFiles = field(init=False)
    _gate_run: GateRun = field(init=False)
    person: Person = field(init=False)
    waiting: WaitingAsks = field(init=False)
    _holding: Holding = field(init=False)
    _events: EventHandler = field(init=False)
    _chat: ChatCommands = field(init=False)
    _notices: Notices = field(default_factory=Notices)
    _subscribers: Subscribers = field(default_factory=Subscribers)
    _decided: int = 0
    _unwatched: "set[asyncio.Future[Kept]]" = field(default_factory=set)  # until they are kept

    def __post_init__(self) -> None:
        store, projects, builder, ledger = self.store, self.projects, self.builder, self.ledger
        checks, notices, clock = self.host_checks, self._notices, self.clock
        ids = self._ids = Ids(clock)
        deeds = Deeds(builder, ids, clock)
        registry = SessionRegistry(store, projects.limits, clock)
        files = WrittenFiles(store, builder.reader, builder.brief)
        cross_checks = CrossChecks(store, checks, builder.clean)
        precedents = Precedents(store, builder, ids, clock)
        parts = (registry, projects, ledger, files, checks, cross_checks, precedents, clock)
        run = GateRun(*parts, self.holds)
        person = Person(
            *(registry, builder, deeds, projects, notices, self._subscribers, precedents, clock),
            self.offers,
        )
        reviews = Reviews(registry, builder, ledger, ids)
        self._events = EventHandler(
            *(registry, run, builder, files, checks, notices),
            reviews,
            ResultScreening(registry, builder, checks, reviews),
            MissedCalls(registry, builder, checks, notices, deeds),
            Switches(registry, builder, checks, notices),
            deeds,
            Declines(registry, builder, checks, deeds, precedents),
            ConfinedCalls(registry, builder, deeds, self.confinement),
            precedents,
            clock,
        )
        self.waiting = WaitingAsks(person, clock)
        self._holding = Holding(self.waiting, builder, deeds, self._subscribers, clock)
        self._chat = ChatCommands(registry, run, person, builder, ledger, ConfirmationCodes(clock))
        self.registry, self._files, self._gate_run, self.person = registry, files, run, person

    async def decide(
        self, event: CallProposed, host: str, *, seconds: float | None = None
    ) -> Ruling:
        """`seconds` bounds the decision; the caller keeps some time for sending the answer. An ask
        that can be answered from elsewhere waits for that, outside of the session's turn."""
        return await fail_closed(
            self._rule_or_wait(event, host, seconds), partial(_rule_without_record, event)
        )

    async def permission(
        self, event: PermissionSought, host: str, *, seconds: float | None = None
    ) -> Decision | None:
        """What was decided about a call that the agent wants to ask its user about; a call that
        nobody proposed is decided now. None: ask the person."""
        proposed = CallProposed(event.ref, event.tool, event.input, event.id)
        asked = self._find_permission(proposed, host, seconds)
        return await fail_closed(
            asked, lambda error: binding(_rule_without_record(proposed, error).decision)
        )

    async def hear(self, event: HostEvent, host: str) -> Feedback:
        """What happened in a session. Whoever calls this with a `PromptTyped`, or a `PersonSaid` to
        be believed, has checked that it comes from the host's own hook. Raises AutomodeError when
        the store is in trouble."""
        if isinstance(event, (CallProposed, PermissionSought, Ignored)):
            return NO_FEEDBACK
        live = self._session_of(event.ref, host)
        if isinstance(event, SessionStarted):
            begin(live, event)
        if isinstance(event, PersonSaid):
            return Feedback(reply=await self._chat.reply(live, event))
        if isinstance(event, TurnContinues):
            return refuse_if_stopped(live)
        self._chat.note_event(live)
        self._end_waiting(live, event)
        return await self._events.hear(event, live)

    def _end_waiting(self, live: LiveSession, event: HostEvent) -> None:
        """What a call waited for has come to nothing: it is over, or its turn or its session is."""
        match event:
            case SessionEnded():
                self.waiting.end(End.SESSION_ENDED, live.key)
            case TurnEnded():
                self.waiting.end(End.GONE, live.key)
            case CallFinished(id=call):
                ruled = live.rulings.ruling_of(call)
                if ruled is not None and ruled.record is not None:
                    self.waiting.end(End.ELSEWHERE, live.key, ruled.record)
            case _:
                pass

    def status(self) -> ServiceStatus:
        states = [
            live_state(live, str(self.ledger.spent(live.session.id).money))
            for live in self.registry.live()
        ]
        return ServiceStatus(
            states_in_mode(self.projects, states),
            self._decided,
            self.projects.roots(),
            (*self.store.notices(), *self._notices.all()),
        )

    def subscribe(self) -> Subscription:
        """Records from now on, for `watch`."""
        return self._subscribers.add()

    def reload(self) -> None:
        """Forgets every loaded configuration; the next call of a project reads it anew."""
        self.projects.forget()

    async def close(self) -> None:
        """Ends what waits, and lets go of subscribers and models. The store is not closed."""
        self.waiting.close()
        self._subscribers.close()
        await self.closing()

    def _session_of(self, ref: SessionRef, host: str) -> LiveSession:
        return self.registry.seen(session_key(host, ref), ref)

    async def _find_permission(
        self, event: CallProposed, host: str, seconds: float | None
    ) -> Decision | None:
        live = self._session_of(event.ref, host)
        self._chat.note_event(live)
        loop = asyncio.get_running_loop()
        deadline = None if seconds is None else loop.time() + seconds
        async with asyncio.timeout_at(deadline), live.turn:
            # What is being decided is decided first, so that no call is decided twice.
            own = self.builder.written(understood(as_proposed(event)).call).own
            known = live.rulings.of(event.id, own)
        if known is not None:
            return binding(known.decision)
        left = None if deadline is None else deadline - loop.time()
        return binding((await self.decide(event, host, seconds=left)).decision)

    def _twin(self, live: LiveSession, event: CallProposed) -> Ruling | None:
        """A host with two hooks asks twice about one call: that is one decision and one record."""
        if not live.rulings.has(event.id):
            return None
        own = self.builder.written(understood(as_proposed(event)).call).own
        known = live.rulings.twin(event.id, own, event.ref.cwd, self.clock())
        return None if known is None else Ruling(known.decision, known.record)

    async def _rule_or_wait(self, event: CallProposed, host: str, seconds: float | None) -> Ruling:
        now = asyncio.get_running_loop().time
        deadline = None if seconds is None else now() + seconds

        async def decide_anew() -> Ruling:
            left = None if deadline is None else deadline - now()
            return await self._rule(event, host, left)

        async def keep(changes: Sequence[Change]) -> Kept:
            return (await self._keep(changes, deadline))[0]

        ruling = await self._rule(event, host, seconds)
        if ruling.asked is None and self.waiting.find(ruling.record) is None:
            return ruling
        live = self._session_of(event.ref, host)
        return await self._holding.answer(live, event, ruling, deadline, decide_anew, keep)

    async def _rule(self, event: CallProposed, host: str, seconds: float | None) -> Ruling:
        started = time.perf_counter_ns()
        live = self._session_of(event.ref, host)
        self._chat.note_event(live)
        now = asyncio.get_running_loop().time()
        deadline = None if seconds is None else now + seconds
        answer_by = None if seconds is None else now + seconds * JUDGES_SHARE
        held = False
        result: GateResult | Decision
        try:
            try:
                async with asyncio.timeout_at(deadline):
                    held = await live.turn.acquire()
                    known = self._twin(live, event)
                    if known is not None:
                        return known
                    live.session.answer_by, live.session.hold = answer_by, 0.0
                    result = await fail_closed(self._gate_run.run(live, event), failed_decision)
            except TimeoutError:
                # The walk took all the time there was, or those before it did.
                result = late()
            if isinstance(result, Decision):
                result = await self._gate_run.degraded(live, event, result, deadline)
            return await self._write_down(live, event, result, started, deadline)
        finally:
            if held:
                live.turn.release()

    async def _write_down(
        self,
        live: LiveSession,
        event: CallProposed,
        result: GateResult,
        started: int,
        deadline: float | None = None,
    ) -> Ruling:
        """`started` is on the clock that `perf_counter_ns` reads, `deadline` on the loop's."""
        micros = (time.perf_counter_ns() - started) // 1000
        written = self.builder.written(result.call)
        # A session remembers hundreds of calls: those that are alike share what they were given.
        given = ToolProposed(event.id or written.own, event.tool, written.given)
        stopped = result.decision is not None and _stops(result.decision)
        wrote = [] if stopped else self._wrote(live, event, result)
        if wrote:
            live.failed.clear()  # another attempt may end otherwise
        place = (event.ref.cwd, self.clock())
        if result.decision is None:
            live.rulings.note(given.id, Ruled(written.own, None, None, *place))
            await self.registry.store.append(
                self._transcript_changes(live, given, written, None, wrote)
            )
            return Ruling(None, micros=micros)
        record, changes = self._record(live, result, written, result.decision, micros)
        _remember(live, record, given.id, written.own)
        outcome = Outcome.DENIED if stopped else None
        changes += self._transcript_changes(live, given, written, outcome, wrote)
        kept, late = await self._keep(changes, deadline)
        self._decided += 1
        if not kept.lost or late:
            self._subscribers.publish(record)
        decision = unless_lost(result.decision, kept, _REMEDY, attended=record.attended)
        if decision is not result.decision:
            record = await self._correct(live, result, written, decision, given.id)
        live.rulings.note(given.id, Ruled(written.own, decision, record.id, *place))
        hold = 0.0 if result.session is not None else live.session.hold
        waits = hold > 0 and decision.enforced and decision.verdict is Verdict.ASK
        return Ruling(decision, record.id, kept, micros, record if waits else None, hold)

    async def _keep(self, changes: Sequence[Change], deadline: float | None) -> tuple[Kept, bool]:
        """Whether the changes are kept; True when there is no time to find out. They are written
        all the same."""
        seconds = None
        if deadline is not None:
            seconds = max(deadline - asyncio.get_running_loop().time(), GRACE_SECONDS)
        try:
            async with asyncio.timeout(seconds):
                return await self.registry.store.append(changes), False
        except TimeoutError:
            return Kept("there was not enough time to write it down"), True

    async def _correct(
        self,
        live: LiveSession,
        result: GateResult,
        written: Written,
        decision: Decision,
        identity: str,
    ) -> Record:
        """The first record says allow and may still be kept, but the agent is told otherwise: the
        last counts."""
        record, changes = self._record(live, result, written, decision, 0)
        if record.denied and live.whole:
            live.session.history = add_denial(live.session.history, denial(record))
            ended = live.hear(ToolFinished(identity, Outcome.DENIED), self.builder.clean)
            changes += [ended, SessionKept(live.row(self.builder.brief))]
        keeping = asyncio.ensure_future(self.registry.store.append(changes))
        self._unwatched.add(keeping)
        keeping.add_done_callback(self._unwatched.discard)
        await asyncio.sleep(0)  # so that it is handed over before the agent is told
        self._subscribers.publish(record)
        return record

    def _record(
        self,
        live: LiveSession,
        result: GateResult,
        written: Written,
        decision: Decision,
        micros: int,
    ) -> tuple[Record, list[Change]]:
        """The record, and what is to be kept with it."""
        parent = None if live.parent is None else live.parent.id
        requests = self.ledger.take(live.session.id)
        session = result.session or live.session
        made = Circumstances(
            self._ids.new(), self.clock(), live.key, parent, session, micros, requests
        )
        record = self.builder.record(result.call, written, decision, made, result.facts)
        spent = usage_of(record.id, record.at, live.key, parent, record.stages)
        return record, [Decided(record), *spent]

    def _transcript_changes(
        self,
        live: LiveSession,
        given: ToolProposed,
        written: Written,
        outcome: Outcome | None,
        wrote: Sequence[str],
    ) -> list[Change]:
        """The call joins the transcript. Of a session that was not restored nothing is written."""
        if not live.whole:
            return []
        joined = add_call(live, given, written, outcome, wrote)
        return [joined, SessionKept(live.row(self.builder.brief))]

    def _wrote(self, live: LiveSession, event: CallProposed, result: GateResult) -> list[str]:
        """What a call may write. A confined one may write anywhere in the workspace, and nobody
        sees what: all of it counts, from now on."""
        if result.session is None:
            cwd, facts = event.ref.cwd, result.facts
            found = noted_paths(live, result.call, cwd, self.builder, self._files, facts)
            if result.decision is not None and result.decision.runs_instead:
                wholes = [f"{one}{WHOLE}" for one in live.session.workspace.folders]
                found += self._files.add(live.root, {one.casefold(): one for one in wholes})
            return found
        place = result.session.workspace
        paths = self._files.note(result.call, place, (place.root, *live.roots))
        return [self.builder.brief(path) for path in paths]


def _rule_without_record(event: CallProposed, error: Exception) -> Ruling:
    """Not even a record could be made."""
    return Ruling(settle(failed_decision(error), attended=event.ref.attended))


def _stops(decision: Decision) -> bool:
    return decision.enforced and decision.verdict >= Verdict.DENY


def _remember(live: LiveSession, record: Record, call: str, own: str) -> None:
    if not record.enforced:
        return
    if record.denied:
        live.session.history = add_denial(live.session.history, denial(record))
    elif record.verdict is Verdict.ASK and record.source in STOPPED:
        live.standing.asked[call] = own
