"""The decision service: the one way a call is decided in a running system.

    registry → gate of the project → record → store → answer

Used by the daemon and by a hook that found none. Build one with `assemble.build_service`.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

from automode.agents.events import (
    NO_REMARKS,
    CallProposed,
    HostEvent,
    Ignored,
    PermissionSought,
    PersonSaid,
    Remarks,
    SessionStarted,
    Speaker,
    TurnContinues,
)
from automode.core.decision import Decision, settled
from automode.gate.gate import closed
from automode.llm.ledger import Ledger
from automode.sessions.bypasses import MissedCalls, Switches
from automode.sessions.chat_commands import ChatCommands, ConfirmationCodes
from automode.sessions.events import EventHandler, begin, refuse_if_stopped
from automode.sessions.gate_run import (
    CrossChecks,
    DegradedMode,
    GateResult,
    GateRun,
    failed,
    late,
    understood,
)
from automode.sessions.host_checks import HostChecks
from automode.sessions.layers import Approvals
from automode.sessions.live_session import LiveSession, binding
from automode.sessions.person import Deeds, Person, in_mode
from automode.sessions.projects import Projects, WrittenFiles
from automode.sessions.record_builder import Ids, RecordBuilder, session_key
from automode.sessions.recording import Recording
from automode.sessions.registry import SessionRegistry
from automode.sessions.reviews import Reviews
from automode.sessions.status import (
    Notices,
    Ruling,
    ServiceStatus,
    SessionState,
    Subscribers,
    Subscription,
    live_state,
)
from automode.store.writer import Writer

__all__ = ["DecisionService", "Ruling", "ServiceStatus", "SessionState", "Subscription"]


NO_HOST_CHECKS = HostChecks()


async def _nothing() -> None:
    pass


@dataclass(slots=True)
class DecisionService:
    """Never raises from `decide`: whatever goes wrong ends in ask, or deny with nobody there."""

    store: Writer
    projects: Projects
    builder: RecordBuilder
    approvals: Approvals
    ledger: Ledger
    clock: Callable[[], float] = time.time
    closing: Callable[[], Awaitable[None]] = _nothing
    host_checks: HostChecks = NO_HOST_CHECKS
    registry: SessionRegistry = field(init=False)
    _files: WrittenFiles = field(init=False)
    _gate_run: GateRun = field(init=False)
    _degraded: DegradedMode = field(init=False)
    person: Person = field(init=False)
    _recording: Recording = field(init=False)
    _events: EventHandler = field(init=False)
    _chat: ChatCommands = field(init=False)
    _notices: Notices = field(default_factory=Notices)
    _subscribers: Subscribers = field(default_factory=Subscribers)

    def __post_init__(self) -> None:
        ids = Ids(self.clock)
        deeds = Deeds(self.builder, ids, self.clock)
        self.registry = SessionRegistry(
            self.store, self.approvals, self.projects.limits, self.clock
        )
        self._files = WrittenFiles(self.store, self.builder.reader, self.builder.brief)
        self._gate_run = GateRun(
            *(self.registry, self.projects, self.ledger, self._files),
            self.host_checks,
            CrossChecks(self.store, self.host_checks, self.builder.clean),
            self.clock,
        )
        self._degraded = DegradedMode(self._gate_run)
        self.person = Person(
            *(self.registry, self.approvals, self.builder, deeds, self.projects),
            self._notices,
            self._subscribers,
            self.clock,
        )
        self._recording = Recording(
            self.registry,
            self._files,
            self.builder,
            self.ledger,
            ids,
            self._subscribers,
            self.clock,
        )
        self._events = EventHandler(
            *(self.registry, self._gate_run, self.builder, self._files, self.host_checks),
            self._notices,
            Reviews(self.store, self.ledger, ids),
            MissedCalls(self.registry, self.builder, self.host_checks, self._notices, deeds),
            Switches(self.registry, self.builder, self.host_checks, self._notices),
            deeds,
            self.clock,
        )
        self._chat = ChatCommands(
            *(
                self.registry,
                self._gate_run,
                self.person,
                self.builder,
                self.ledger,
            ),
            ConfirmationCodes(self.clock),
        )

    async def decide(
        self, event: CallProposed, host: str, *, seconds: float | None = None
    ) -> Ruling:
        """`seconds` bounds the decision; whoever asks leaves room for bringing the answer home."""
        return await closed(self._ruling(event, host, seconds), partial(_unrecorded, event))

    async def permission(
        self, event: PermissionSought, host: str, *, seconds: float | None = None
    ) -> Decision | None:
        """What was decided about a call that the agent now wants to ask its user about. None: the
        person is to be asked. A call that nobody proposed is decided now."""
        proposed = CallProposed(event.speaker, event.tool, event.input, event.id)
        asked = self._permitted(proposed, host, seconds)
        return await closed(asked, lambda error: binding(_unrecorded(proposed, error).decision))

    async def hear(self, event: HostEvent, host: str) -> Remarks:
        """What happened in a session: prompts, finished calls, its beginning and end. Whoever
        calls this with a `PromptTyped`, or a `PersonSaid` that is to be believed, has checked
        that it comes from the host's own hook.
        Raises AutomodeError when the store is in trouble."""
        if isinstance(event, (CallProposed, PermissionSought, Ignored)):
            return NO_REMARKS
        live = self._seen(event.speaker, host)
        if isinstance(event, SessionStarted):
            begin(live, event)
        if isinstance(event, PersonSaid):
            return Remarks(reply=await self._chat.reply(live, event))
        if isinstance(event, TurnContinues):
            return refuse_if_stopped(live)
        self._chat.heard(live)
        return await self._events.hear(event, live)

    def status(self) -> ServiceStatus:
        states = [
            live_state(live, str(self.ledger.spent(live.session.id).money))
            for live in self.registry.live()
        ]
        return ServiceStatus(
            in_mode(self.projects, states),
            self._recording.decided,
            self.projects.roots(),
            (*self.store.notices(), *self.ledger.notices, *self._notices.all()),
        )

    def subscribe(self) -> Subscription:
        """Records from now on, for `watch`."""
        return self._subscribers.add()

    def reload(self) -> None:
        """Forgets every loaded configuration; the next call of a project reads it anew."""
        self.projects.forget()

    async def close(self) -> None:
        """Ends subscriptions and lets go of connections to models. The store is not closed."""
        self._subscribers.close()
        await self.closing()

    def _seen(self, speaker: Speaker, host: str) -> LiveSession:
        return self.registry.seen(session_key(host, speaker), speaker)

    async def _permitted(
        self, event: CallProposed, host: str, seconds: float | None
    ) -> Decision | None:
        live = self._seen(event.speaker, host)
        self._chat.heard(live)
        loop = asyncio.get_running_loop()
        deadline = None if seconds is None else loop.time() + seconds
        async with asyncio.timeout_at(deadline), live.turn:
            # What is being decided is decided first, so that no call is decided twice.
            own = self.builder.written(understood(event).call).own
            known = live.rulings.of(event.id, own)
        if known is not None:
            return known.for_the_host
        left = None if deadline is None else deadline - loop.time()
        return binding((await self.decide(event, host, seconds=left)).decision)

    def _twin(self, live: LiveSession, event: CallProposed) -> Ruling | None:
        """A host with two hooks asks twice about one call: that is one decision and one record."""
        if not live.rulings.has(event.id):
            return None
        own = self.builder.written(understood(event).call).own
        known = live.rulings.twin(event.id, own, event.speaker.cwd, self.clock())
        return None if known is None else Ruling(known.decision, known.record)

    async def _ruling(self, event: CallProposed, host: str, seconds: float | None) -> Ruling:
        started = time.perf_counter_ns()
        live = self._seen(event.speaker, host)
        self._chat.heard(live)
        deadline = None if seconds is None else asyncio.get_running_loop().time() + seconds
        held = False
        result: GateResult | Decision
        try:
            try:
                async with asyncio.timeout_at(deadline):
                    held = await live.turn.acquire()
                    known = self._twin(live, event)
                    if known is not None:
                        return known
                    result = await closed(self._gate_run.run(live, event), failed)
            except TimeoutError:
                # The walk took all the time there was, or those before it did.
                result = late()
            if isinstance(result, Decision):
                result = await self._degraded.run(live, event, result, deadline)
            return await self._recording.ruling(live, event, result, started, deadline)
        finally:
            if held:
                live.turn.release()


def _unrecorded(event: CallProposed, error: Exception) -> Ruling:
    """Not even a record could be made."""
    return Ruling(settled(failed(error), attended=event.speaker.attended))
