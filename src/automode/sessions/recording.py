"""Writes a decision down before it is answered: nothing is allowed that nobody could look up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from automode.adapters.seam import CallProposed
from automode.classifier.events import ToolProposed
from automode.core.call import ToolCall
from automode.core.decision import Decision, Failure, Verdict, ask, settled
from automode.core.history import noted
from automode.core.record import Record
from automode.core.transcript import Outcome
from automode.llm.ledger import Ledger
from automode.sessions.book import Live
from automode.sessions.hearing import proposed
from automode.sessions.ids import Ids
from automode.sessions.keeper import Keeper
from automode.sessions.scribe import Circumstances, Scribe, Written, denial
from automode.sessions.shown import Ruling
from automode.sessions.subscription import Subscribers
from automode.sessions.usage import used
from automode.sessions.walker import Walked
from automode.store.changes import Change, Decided, SessionKept
from automode.store.writer import Kept


@dataclass(slots=True)
class Recording:
    keeper: Keeper
    scribe: Scribe
    ledger: Ledger
    ids: Ids
    subscribers: Subscribers
    clock: Callable[[], float] = time.time
    decided: int = 0

    async def ruling(self, live: Live, event: CallProposed, walked: Walked, started: int) -> Ruling:
        """`started` is on the clock that `perf_counter_ns` reads."""
        micros = (time.perf_counter_ns() - started) // 1000
        written = self.scribe.written(walked.call)
        given = ToolProposed(event.id or written.own, event.tool, event.input)
        if walked.decision is None:
            await self.keeper.append(self._heard(live, given, written, None))
            return Ruling(None, micros=micros)
        record, changes = self._record(live, walked.call, written, walked.decision, micros)
        _remember(live, record, given.id)
        stopped = Outcome.DENIED if record.denied and record.enforced else None
        kept = await self.keeper.append([*changes, *self._heard(live, given, written, stopped)])
        self.decided += 1
        if kept.lost:
            return Ruling(_unkept(walked.decision, kept, record), record.id, kept, micros)
        self.subscribers.publish(record)
        return Ruling(walked.decision, record.id, kept, micros)

    def _record(
        self, live: Live, call: ToolCall, written: Written, decision: Decision, micros: int
    ) -> tuple[Record, list[Change]]:
        """The record, and what is to be kept with it."""
        parent = None if live.parent is None else live.parent.id
        requests = self.ledger.taken(live.session.id)
        made = Circumstances(
            self.ids.new(), self.clock(), live.key, parent, live.session, micros, requests
        )
        record = self.scribe.record(call, written, decision, made)
        spent = [
            used(request, f"{record.id}.{number}", live.key, parent)
            for number, request in enumerate(requests)
        ]
        return record, [Decided(record), *spent]

    def _heard(
        self, live: Live, given: ToolProposed, written: Written, outcome: Outcome | None
    ) -> list[Change]:
        """The call joins the transcript. Of a session that was not restored nothing is written:
        the store knows more of it."""
        if not live.restored:
            return []
        joined = proposed(live, given, written, outcome)
        return [joined, SessionKept(live.row(self.scribe.brief))]


def _remember(live: Live, record: Record, call: str) -> None:
    if not record.enforced:
        return
    if record.denied:
        live.session.history = noted(live.session.history, denial(record))
    elif record.verdict is Verdict.ASK:
        live.ask(call, record.id)


def _unkept(decision: Decision, kept: Kept, record: Record) -> Decision:
    """What nobody could look up is not allowed; what is stricter stands."""
    if decision.verdict is not Verdict.ALLOW:
        return decision
    unknown = ask(
        "gate.not-recorded",
        f"the decision could not be recorded: {kept.reason}",
        "Ask the person to look at `automode status`.",
        error=Failure.UNAVAILABLE,
    )
    return settled(replace(unknown, enforced=decision.enforced), attended=record.attended)
