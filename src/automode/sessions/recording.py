"""Writes a decision down before it is answered: nothing is allowed that nobody could look up."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from automode.agents.events import CallProposed
from automode.classifier.events import ToolFinished, ToolProposed
from automode.core.decision import Decision, Failure, Verdict, ask, settled
from automode.core.record import Record
from automode.core.session import noted
from automode.core.transcript import Outcome
from automode.gate.breaker import STOPPED
from automode.llm.ledger import Ledger
from automode.sessions.events import noted_paths, proposed
from automode.sessions.gate_run import GateResult
from automode.sessions.live_session import NOT_RECORDED, LiveSession, Ruled, denial
from automode.sessions.projects import WrittenFiles
from automode.sessions.record_builder import Circumstances, Ids, RecordBuilder, Written
from automode.sessions.registry import SessionRegistry
from automode.sessions.status import Ruling, Subscribers
from automode.store.changes import Change, Decided, Kept, SessionKept, usage_of

_ADVICE = "Ask the person to look at `automode status`."
GRACE_SECONDS = 0.1
"""What was decided at the last moment has still to be written down: of the time for bringing the
answer home it may take so much."""


@dataclass(slots=True)
class Recording:
    registry: SessionRegistry
    files: WrittenFiles
    builder: RecordBuilder
    ledger: Ledger
    ids: Ids
    subscribers: Subscribers
    clock: Callable[[], float] = time.time
    decided: int = 0
    _unwatched: "set[asyncio.Future[Kept]]" = field(default_factory=set)  # until they are kept

    async def ruling(
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
        stopped = result.decision is not None and _stopped(result.decision)
        wrote = [] if stopped else self._wrote(live, event, result)
        place = (event.speaker.cwd, self.clock())
        if result.decision is None:
            live.rulings.note(given.id, Ruled(written.own, None, None, *place))
            await self.registry.store.append(self._heard(live, given, written, None, wrote))
            return Ruling(None, micros=micros)
        record, changes = self._record(live, result, written, result.decision, micros)
        _remember(live, record, given.id, written.own)
        outcome = Outcome.DENIED if stopped else None
        changes += self._heard(live, given, written, outcome, wrote)
        kept, late = await self._kept(changes, deadline)
        self.decided += 1
        if not kept.lost or late:
            self.subscribers.publish(record)
        decision = unless_lost(result.decision, kept, _ADVICE, attended=record.attended)
        if decision is not result.decision:
            record = await self._corrected(live, result, written, decision, given.id)
        live.rulings.note(given.id, Ruled(written.own, decision, record.id, *place))
        return Ruling(decision, record.id, kept, micros)

    async def _kept(self, changes: Sequence[Change], deadline: float | None) -> tuple[Kept, bool]:
        """Where the changes are; True when nobody can wait any longer to find out. They are written
        all the same: see `Writer`."""
        seconds = None
        if deadline is not None:
            seconds = max(deadline - asyncio.get_running_loop().time(), GRACE_SECONDS)
        try:
            async with asyncio.timeout(seconds):
                return await self.registry.store.append(changes), False
        except TimeoutError:
            return Kept("there was not enough time to write it down"), True

    async def _corrected(
        self,
        live: LiveSession,
        result: GateResult,
        written: Written,
        decision: Decision,
        identity: str,
    ) -> Record:
        """The first record says allow and may still be kept, and the agent is told otherwise: the
        last one counts."""
        record, changes = self._record(live, result, written, decision, 0)
        if record.denied and live.whole:
            live.session.history = noted(live.session.history, denial(record))
            ended = live.hear(ToolFinished(identity, Outcome.DENIED), self.builder.clean)
            changes += [ended, SessionKept(live.row(self.builder.brief))]
        keeping = asyncio.ensure_future(self.registry.store.append(changes))
        self._unwatched.add(keeping)
        keeping.add_done_callback(self._unwatched.discard)
        await asyncio.sleep(0)  # so that it is handed over before the agent is told
        self.subscribers.publish(record)
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
        requests = self.ledger.taken(live.session.id)
        session = result.session or live.session
        made = Circumstances(
            self.ids.new(), self.clock(), live.key, parent, session, micros, requests
        )
        record = self.builder.record(result.call, written, decision, made)
        spent = usage_of(record.id, record.at, live.key, parent, record.stages)
        return record, [Decided(record), *spent]

    def _heard(
        self,
        live: LiveSession,
        given: ToolProposed,
        written: Written,
        outcome: Outcome | None,
        wrote: Sequence[str],
    ) -> list[Change]:
        """The call joins the transcript. Of a session that was not restored nothing is written:
        the store knows more of it."""
        if not live.whole:
            return []
        joined = proposed(live, given, written, outcome, wrote)
        return [joined, SessionKept(live.row(self.builder.brief))]

    def _wrote(self, live: LiveSession, event: CallProposed, result: GateResult) -> list[str]:
        if result.session is None:
            cwd, facts = event.speaker.cwd, result.facts
            return noted_paths(live, result.call, cwd, self.builder, self.files, facts)
        place = result.session.workspace
        paths = self.files.note(result.call, place, (place.root, *live.roots))
        return [self.builder.brief(path) for path in paths]


def _stopped(decision: Decision) -> bool:
    return decision.enforced and decision.verdict >= Verdict.DENY


def _remember(live: LiveSession, record: Record, call: str, own: str) -> None:
    if not record.enforced:
        return
    if record.denied:
        live.session.history = noted(live.session.history, denial(record))
    elif record.verdict is Verdict.ASK and record.source in STOPPED:
        live.asked[call] = own


def unless_lost(decision: Decision, kept: Kept, advice: str, *, attended: bool) -> Decision:
    """What nobody could look up is not allowed; what is stricter stands."""
    if not kept.lost or decision.verdict is not Verdict.ALLOW:
        return decision
    reason = f"the decision could not be recorded: {kept.reason}"
    unknown = ask(NOT_RECORDED, reason, advice, error=Failure.UNAVAILABLE)
    return settled(replace(unknown, enforced=decision.enforced), attended=attended)
