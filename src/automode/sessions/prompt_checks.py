"""Whose words a prompt is made of: held against what the agent and its sub-agents told tools, and
against the agent's own record. A judge is shown no prompt that the record calls a machine's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from automode.core.transcript import Entry, Transcript
from automode.sessions.host_checks import HostChecks
from automode.sessions.live_session import LiveSession
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import SessionRegistry, inherited
from automode.sessions.transcript_text import Clean, disowned_text, said_by_agent
from automode.store.writer import Writer


async def agents_words(
    registry: SessionRegistry, builder: RecordBuilder, live: LiveSession, text: str
) -> bool:
    """In a thread: a family may have written megabytes."""
    top = [live, *registry.ancestors(live)][-1]
    entries = [one.recorder.transcript.entries for one in (top, *registry.below(top))]
    if not any(entries):
        return False
    # What came back from the store is without secrets, so the words are looked for without, too.
    forms = dict.fromkeys((text, builder.brief(text)))
    return await asyncio.to_thread(_any_said, tuple(forms), entries)


def _any_said(forms: tuple[str, ...], entries: list[tuple[Entry, ...]]) -> bool:
    return any(said_by_agent(form, chain.from_iterable(entries)) for form in forms)


PAUSES = (0.05, 0.1, 0.2, 0.3)
"""Seconds. Measured: what an instant model answers comes before the record has the prompt."""


@dataclass(frozen=True, slots=True)
class CrossChecks:
    store: Writer
    host_checks: HostChecks
    clean: Clean
    pauses: Sequence[float] = PAUSES

    def of(
        self, live: LiveSession, above: Sequence[LiveSession]
    ) -> Callable[[], Awaitable[Transcript]] | None:
        """Gives the session's words without prompts of a machine; None: nothing to look up."""
        family = (live, *above)
        if not any(one.words.unchecked and one.words.record for one in family):
            return None

        async def persons_words() -> Transcript:
            for one in family:
                await self._look(one)
            return inherited(live.words.persons(live.recorder.transcript), above)

        return persons_words

    async def _look(self, live: LiveSession) -> None:
        """In one step after the look, because of a session above nobody holds the turn."""
        words = live.words
        if not (words.unchecked and words.record):
            return
        disowned = words.checked(await self._marks(live))
        if disowned and live.restored:
            lines = [live.position(disowned_text(self.clean(text))) for text in disowned]
            await self.store.append(lines)

    async def _marks(self, live: LiveSession) -> Mapping[str, bool]:
        """Waits a moment for the newest prompt, once: agents write their records in portions."""
        words = live.words
        newest = next(reversed(words.unchecked))
        pauses = () if words.awaited == newest else self.pauses
        words.awaited = newest
        asked = (live.key.host, words.record, tuple(words.unchecked))
        marks = await asyncio.to_thread(self.host_checks.prompts, *asked)
        for pause in pauses:
            if marks is None or newest in marks:
                break
            await asyncio.sleep(pause)
            marks = await asyncio.to_thread(self.host_checks.prompts, *asked)
        return marks or {}
