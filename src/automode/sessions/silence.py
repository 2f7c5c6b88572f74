"""Gate silent: calls of an agent that never were proposed here, by what the agent itself tells.

Its hook was not called, or was lost: nobody decided about them.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from automode.adapters.seam import CallFinished, TurnEnded
from automode.core.record import SessionKey
from automode.sessions.book import Live, SessionBook
from automode.sessions.changed_calls import RAN
from automode.sessions.hearing import finished_id
from automode.sessions.notices import Notices
from automode.sessions.scribe import Scribe
from automode.sessions.senses import Senses

KIND = "gate-silent"
MOST_COUNTED = 512
_WAY_OUT = "see `automode doctor`"


@dataclass(slots=True)
class Silence:
    book: SessionBook
    scribe: Scribe
    senses: Senses
    notices: Notices
    _counts: OrderedDict[SessionKey, int] = field(default_factory=OrderedDict)

    async def missed(self, live: Live, event: CallFinished | TurnEnded) -> int:
        """How many calls the agent made that nobody proposed; each counts once. For who holds the
        session's turn. Raises what the store raises."""
        made = await self._made(live, event)
        unknown = live.rulings.unknown(call for call in dict.fromkeys(made) if call)
        if unknown:
            # A hook that found no daemon decides alone: the store knows of that, memory does not.
            # And a call of a sub-agent is known to the sub-agent's session.
            await self.book.catch_up(live)
            for one in (live, *self.book.below(live)):
                unknown = one.rulings.unknown(unknown)
        for call in unknown:
            live.rulings.proposed(call)
        return len(unknown)

    def told(self, live: Live, missed: int) -> str:
        """For the person; also for `status` and the log."""
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

    async def _made(self, live: Live, event: CallFinished | TurnEnded) -> Sequence[str]:
        if isinstance(event, CallFinished):
            return [finished_id(event, self.scribe)] if event.outcome in RAN else ()
        if event.calls is not None or not event.speaker.record:
            return event.calls or ()
        read = asyncio.to_thread(self.senses.calls, live.key.host, event.speaker.record)
        return await read or ()


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"
