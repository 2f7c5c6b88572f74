"""No judge is shown a prompt which the agent's own record calls a machine's.

The record is read only when a judge is asked at all: most calls never come so far.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from automode.core.transcript import Transcript
from automode.sessions.book import Live, inherited
from automode.sessions.event_text import Clean
from automode.sessions.keeper import Keeper
from automode.sessions.senses import Senses
from automode.sessions.words import disowned_text

PAUSES = (0.05, 0.1, 0.2, 0.3)
"""Seconds. Measured: what an instant model answers comes before the record has the prompt."""


@dataclass(frozen=True, slots=True)
class CrossChecks:
    keeper: Keeper
    senses: Senses
    clean: Clean
    pauses: Sequence[float] = PAUSES

    def of(self, live: Live, above: Sequence[Live]) -> Callable[[], Awaitable[Transcript]] | None:
        """Gives the session's words without prompts of a machine; None: nothing to look up."""
        family = (live, *above)
        if not any(one.words.unchecked and one.words.record for one in family):
            return None

        async def persons_words() -> Transcript:
            for one in family:
                await self._look(one)
            return inherited(live.words.persons(live.recorder.transcript), above)

        return persons_words

    async def _look(self, live: Live) -> None:
        """In one step after the look, because of a session above nobody holds the turn."""
        words = live.words
        if not (words.unchecked and words.record):
            return
        disowned = words.checked(await self._marks(live))
        if disowned and live.restored:
            lines = [live.position(disowned_text(self.clean(text))) for text in disowned]
            await self.keeper.append(lines)

    async def _marks(self, live: Live) -> Mapping[str, bool]:
        """Waits a moment for the newest prompt, once: agents write their records in portions."""
        words = live.words
        newest = next(reversed(words.unchecked))
        pauses = () if words.awaited == newest else self.pauses
        words.awaited = newest
        asked = (live.key.host, words.record, tuple(words.unchecked))
        marks = await asyncio.to_thread(self.senses.prompts, *asked)
        for pause in pauses:
            if marks is None or newest in marks:
                break
            await asyncio.sleep(pause)
            marks = await asyncio.to_thread(self.senses.prompts, *asked)
        return marks or {}
