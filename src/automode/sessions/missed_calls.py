"""Gate silent: calls of an agent that never were proposed here, by what the agent itself tells, and
such that ran although they were denied.

Its hook was not called, or was lost, or something else answered: what automode says does not count
in such a session. So a person is asked about every further call.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from automode.agents.events import CallFinished, TurnEnded
from automode.core.decision import Verdict, ask
from automode.core.record import SessionKey
from automode.core.session import Session
from automode.core.transcript import Outcome
from automode.gate.layer import Answer, Trail
from automode.programs.call_facts import CallFacts
from automode.sessions.changed_calls import RAN
from automode.sessions.deeds import Deeds, Place
from automode.sessions.host_checks import HostChecks
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import LiveSession, SessionRegistry
from automode.sessions.rulings import binding
from automode.sessions.session_events import finished_id
from automode.sessions.status import Notices
from automode.store.changes import Decided, SessionKept

KIND = "gate-silent"
MOST_COUNTED = 512
_WAY_OUT = "see `automode doctor`"
_AGAIN = "a person is asked about every further call until they have looked and `automode reset`"
SOURCE = f"gate.{KIND}"


@dataclass(frozen=True, slots=True)
class GateSilent:
    """Wall: every call of a session in which calls ran that nobody decided about."""

    name: ClassVar[str] = KIND

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if not session.ran_around:
            return None
        return ask(
            SOURCE,
            f"calls of this session ran around automode ({session.ran_around})",
            "Stop here and tell the person: `automode doctor` looks for the cause, and"
            " `automode reset` lets the session go on.",
            clearable=False,
        )


@dataclass(slots=True)
class MissedCalls:
    registry: SessionRegistry
    builder: RecordBuilder
    host_checks: HostChecks
    notices: Notices
    deeds: Deeds
    _counts: OrderedDict[SessionKey, int] = field(default_factory=OrderedDict)

    async def missed(self, live: LiveSession, event: CallFinished | TurnEnded) -> int:
        """How many calls the agent made that nobody proposed; each counts once. For who holds the
        session's turn. Raises what the store raises."""
        made = await self._made(live, event)
        unknown = live.rulings.unknown(call for call in dict.fromkeys(made) if call)
        if unknown:
            # A hook that found no daemon decides alone: the store knows of that, memory does not.
            # And a call of a sub-agent is known to the sub-agent's session.
            await self.registry.catch_up(live)
            for one in (live, *self.registry.below(live)):
                unknown = one.rulings.unknown(unknown)
        for call in unknown:
            live.rulings.proposed(call)
        return len(unknown)

    def ignored(self, live: LiveSession, event: CallFinished) -> bool:
        """Whether a call ran that was denied. To be asked before the session hears that it has
        finished."""
        if event.outcome is not Outcome.OK:
            return False  # not every agent tells a refused call from one that failed
        known = live.rulings.known(finished_id(event, self.builder))
        ruled = None if known is None else binding(known.decision)
        return ruled is not None and ruled.verdict >= Verdict.DENY

    async def enforce(self, live: LiveSession, missed: int, *, ignored: bool) -> str:
        """From now on a person is asked about every call, here and above. Returns why the turn must
        end. What cannot be kept of it holds in memory all the same."""
        never = f"{_calls(missed)} never reached automode" if missed else ""
        said = "; ".join(filter(None, (never, "a denied call ran" if ignored else "")))
        async with live.turn:
            family = (live, *self.registry.ancestors(live))
            for one in family:
                one.silent = said
            rows = [SessionKept(one.row(self.builder.brief)) for one in family if one.whole]
            record: Decided = self.deeds.noticed(KIND, f"gate silent: {said}", Place.of(live))
            await self.registry.keeper.append([record, *rows])
        return f"automode: gate silent: {said}, so nobody decided about it; {_AGAIN}"

    def told(self, live: LiveSession, missed: int, *, ignored: bool = False) -> str:
        """For the person; also for `status` and the log."""
        if ignored:
            sentence = f"gate silent: a call ran that automode denied; {_WAY_OUT}"
            self.notices.tell(live.key, KIND, sentence)
            return f"automode: {sentence}"
        if not missed:
            return ""
        count = self._counts[live.key] = self._counts.get(live.key, 0) + missed
        self._counts.move_to_end(live.key)
        if len(self._counts) > MOST_COUNTED:
            self._counts.popitem(last=False)
        sentence = f"gate silent: {_calls(count)} never reached automode; {_WAY_OUT}"
        self.notices.tell(live.key, KIND, sentence)
        now = f"gate silent: {_calls(missed)} of this turn never reached automode"
        return f"automode: {now}, so nobody decided about it; {_WAY_OUT}"

    async def _made(self, live: LiveSession, event: CallFinished | TurnEnded) -> Sequence[str]:
        if isinstance(event, CallFinished):
            return [finished_id(event, self.builder)] if event.outcome in RAN else ()
        if event.calls is not None or not event.speaker.record:
            return event.calls or ()
        read = asyncio.to_thread(self.host_checks.calls, live.key.host, event.speaker.record)
        return await read or ()


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"
