"""What becomes of an ask that can be answered from elsewhere: it waits outside of its session's
turn, is decided anew after a person's yes, and is asked or denied as before without one."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from automode.agents.events import CallProposed
from automode.classifier.events import ToolFinished
from automode.core.decision import Decision, Remark, deny, settle
from automode.core.record import Record, clearance
from automode.core.session import add_denial
from automode.core.transcript import Outcome
from automode.gate.gate import Gate
from automode.sessions.gate_run import understood
from automode.sessions.live_session import LiveSession, Ruled, denial
from automode.sessions.person import Deeds
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.status import Ruling, Subscribers
from automode.sessions.waiting import End, Ended, WaitingAsks
from automode.store.changes import Change, Decided, Kept, SessionKept

RESERVE_SECONDS = 3.0
"""Of the time that an agent waits, so much is left for deciding anew and for the record."""

Keep: TypeAlias = Callable[[Sequence[Change]], Awaitable[Kept]]


@dataclass(frozen=True, slots=True)
class Holding:
    waiting: WaitingAsks
    builder: RecordBuilder
    deeds: Deeds
    subscribers: Subscribers
    clock: Callable[[], float] = time.time

    async def answer(
        self,
        live: LiveSession,
        event: CallProposed,
        ruling: Ruling,
        deadline: float | None,
        decide_anew: Callable[[], Awaitable[Ruling]],
        keep: Keep,
    ) -> Ruling:
        """The ruling that stands in the end. `deadline` is on the loop's clock."""
        while ruling.decision is not None:
            twin = self.waiting.find(ruling.record)
            asked = ruling.asked if twin is None else twin.record
            if asked is None:
                break
            seconds = ruling.hold if twin is None else twin.until - self.clock()
            waited = self._seconds(asked, ruling, seconds, deadline)
            ended = await self.waiting.wait(asked, waited) if waited > 0 else Ended(End.EXPIRED)
            if ended.told is not None:
                no = deny(ended.told.source, ended.told.reason)
                said = settle(no, attended=asked.attended)
                return await self._close(live, event, ended.told, said, [], keep)
            if ended.how is not End.ANSWERED:
                if asked.attended and live.session.attended:
                    return ruling
                return await self._deny(live, event, asked, ruling.decision, waited, keep)
            ruling = await decide_anew()
        return ruling

    def _seconds(
        self, asked: Record, ruling: Ruling, wanted: float, deadline: float | None
    ) -> float:
        """How long it can wait: not at all where no yes would clear it, or nobody could see it."""
        lost = ruling.kept is not None and ruling.kept.lost
        if lost or not self.waiting.has_place(asked) or not clearance(asked).possible:
            return 0.0
        if deadline is None:
            return wanted
        return min(wanted, deadline - asyncio.get_running_loop().time() - RESERVE_SECONDS)

    async def _deny(
        self,
        live: LiveSession,
        event: CallProposed,
        asked: Record,
        decision: Decision,
        waited: float,
        keep: Keep,
    ) -> Ruling:
        """With nobody there, what was asked and not answered is denied, and counts as that."""
        if waited > 0:
            reason = f"{decision.reason}; no answer came within {waited:.0f} seconds"
            decision = replace(decision, reason=reason)
        session = replace(live.session, attended=False, hold=0.0)
        said = Gate((), (), (), limits=live.limits).conclude(decision, session)
        live.session.history = session.history
        clean = self.builder.brief
        record = replace(
            self.deeds.again(asked, said.verdict, clean(said.reason)),
            source=said.source,
            advice=clean(said.way_out),
            clearable=said.clearable,
            attended=False,
            trail=tuple(Remark(one.layer, one.mark, clean(one.text)) for one in said.trail),
        )
        if live.whole:
            live.session.history = add_denial(live.session.history, denial(record))
        ruling = await self._close(live, event, record, said, [Decided(record)], keep)
        self.subscribers.publish(record)
        return ruling

    async def _close(
        self,
        live: LiveSession,
        event: CallProposed,
        record: Record,
        decision: Decision,
        changes: Sequence[Change],
        keep: Keep,
    ) -> Ruling:
        """The call is over, and the agent's other hooks for it get the same answer. Changes the
        session in one step: its turn may be another call's."""
        written = self.builder.written(understood(event).call)
        name = event.id or written.own
        live.rulings.note(
            name, Ruled(written.own, decision, record.id, event.ref.cwd, self.clock())
        )
        told: list[Change] = [*changes]
        if live.whole:
            over = live.hear(ToolFinished(name, Outcome.DENIED), self.builder.clean)
            told += [over, SessionKept(live.row(self.builder.brief))]
        kept = await keep(told)
        return Ruling(decision, record.id, kept)
