"""Hears what happens in sessions, and says what follows from it: warnings, notices, refusals."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from automode.adapters.seam import (
    NO_REMARKS,
    CallFinished,
    PromptTyped,
    Remarks,
    SessionEnded,
    SessionStarted,
    TurnEnded,
)
from automode.classifier.events import FactNoted
from automode.config.settings import AssistantText, Probe
from automode.core.errors import AutomodeError
from automode.core.session import Mode
from automode.gate.gate import USUAL_LIMITS
from automode.sessions.approvals import Approvals
from automode.sessions.book import Live, SessionBook
from automode.sessions.depth import shallow
from automode.sessions.hearing import Ear, heard
from automode.sessions.instructions import instructions_text, shown
from automode.sessions.names import session_key
from automode.sessions.notices import Notices
from automode.sessions.person import NotKept
from automode.sessions.projects import Project
from automode.sessions.reviews import Reviews, ended_below
from automode.sessions.scribe import Scribe
from automode.sessions.senses import Senses
from automode.sessions.silence import Silence
from automode.sessions.suspect import fact, screened
from automode.sessions.walker import Walker, mode, overridden
from automode.sessions.written_files import WrittenFiles
from automode.store.changes import Heard, SessionKept

SWITCHED = "hooks-switched-off"

Happening: TypeAlias = PromptTyped | CallFinished | SessionStarted | TurnEnded | SessionEnded


@dataclass(slots=True)
class Listener:
    book: SessionBook
    walker: Walker
    approvals: Approvals
    scribe: Scribe
    files: WrittenFiles
    senses: Senses
    notices: Notices
    reviews: Reviews
    silence: Silence
    clock: Callable[[], float] = time.time

    async def hear(self, event: Happening, host: str) -> Remarks:
        """Raises AutomodeError when the store is in trouble and there is nothing else to say."""
        live = self.book.seen(session_key(host, event.speaker), event.speaker)
        missed, trouble = 0, None
        try:
            missed = await self._taken(live, event)
        except AutomodeError as error:
            # A suspect result is no less suspect because nothing can be written down.
            trouble = error
        remarks = await self._remarks(live, event, missed)
        if trouble is None:
            return remarks
        if remarks == NO_REMARKS:
            raise trouble
        return replace(remarks, notice=_joined([remarks.notice, f"automode: {trouble}"]))

    async def _taken(self, live: Live, event: Happening) -> int:
        """How many calls the agent made without proposing them."""
        missed = 0
        async with live.turn:
            await self.walker.ready(live, event.speaker)
            if isinstance(event, CallFinished):
                event = replace(event, input=shallow(event.input))
            if isinstance(event, (CallFinished, TurnEnded)):
                missed = await self.silence.missed(live, event)
            changes = heard(live, event, self._ear(live, event))
            if isinstance(event, SessionStarted):
                changes += await self._begun(live, event)
            if isinstance(event, SessionEnded):
                self._ended(live)
            await self._keep(live, changes)
        return missed

    def _ear(self, live: Live, event: Happening) -> Ear:
        limits, referents = USUAL_LIMITS, True
        if isinstance(event, (CallFinished, TurnEnded)):
            project = self.walker.project(live, event.speaker)
            if project is not None:
                kept = project.settings.transcript.assistant_text
                limits, referents = project.gate.limits, kept is not AssistantText.NONE
        return Ear(self.scribe, self.files, limits, self.clock(), referents)

    async def _begun(self, live: Live, event: SessionStarted) -> list[Heard]:
        """A sub-agent has what the agent above it was given."""
        if live.parent is not None or not live.root:
            return []
        given = event.instructions
        if given is None:
            given = await asyncio.to_thread(self.senses.instructions, live.root)
        files = shown(given, self.scribe)
        if files == live.session.instructions:
            return []
        live.session.instructions = files
        return [live.position(instructions_text(files))]

    def _ended(self, live: Live) -> None:
        self.approvals.forget(live.key)
        above = None if live.parent is None else self.book.get(live.parent)
        if above is not None:
            ended_below(above, live.key)

    async def _keep(self, live: Live, changes: Sequence[Heard]) -> None:
        changed = (live, *self.book.changed_above(live))
        rows = [SessionKept(one.row(self.scribe.brief)) for one in changed]
        kept = await self.book.keeper.append([*changes, *rows])
        if kept.lost:
            raise NotKept(f"what was heard is not kept: {kept.reason}", "see `automode status`")

    async def _remarks(self, live: Live, event: Happening, missed: int) -> Remarks:
        if isinstance(event, (PromptTyped, SessionEnded)):
            return NO_REMARKS
        project = self.walker.project(live, event.speaker)
        if project is None:
            return NO_REMARKS
        holds = mode(project.settings, overridden(live, self.book.ancestors(live)))
        if holds is Mode.OFF:
            return NO_REMARKS
        match event:
            case CallFinished():
                told = await self._of_result(live, event, project)
                if holds is Mode.ENFORCE:
                    reviewed = await self.reviews.warning(live, event, project)
                    return Remarks(_joined([told, reviewed]), self.silence.told(live, missed))
                return Remarks(notice=self.silence.told(live, missed))
            case SessionStarted():
                return await self._of_switches(live, event.speaker.cwd, holds)
            case TurnEnded():
                return Remarks(notice=self.silence.told(live, missed))

    async def _of_result(self, live: Live, event: CallFinished, project: Project) -> str:
        """In shadow mode nobody is warned, but what was found out is remembered all the same."""
        probe = project.settings.probe
        found = None
        if probe is not Probe.OFF and event.result:
            found = await screened(self.senses.screen, event.result, event.tool)
        if found is not None and found.asked and live.restored:
            async with live.turn:
                noted = live.hear(FactNoted(fact(event.tool, found)), self.scribe.clean)
                live.suspect = found.asked if probe is Probe.ASK else live.suspect
                # What cannot be kept of a warning is no reason not to give it.
                await self.book.keeper.append([noted, SessionKept(live.row(self.scribe.brief))])
        return "" if found is None else found.warning

    async def _of_switches(self, live: Live, folder: str, holds: Mode) -> Remarks:
        if live.parent is not None:
            return NO_REMARKS
        told = await asyncio.to_thread(self.senses.switched, folder, live.key.host)
        refused = bool(told) and not live.session.attended
        before, live.switched = live.switched, folder if refused else ""
        if live.switched != before and live.restored:
            async with live.turn:
                await self.book.keeper.append([SessionKept(live.row(self.scribe.brief))])
        if not told:
            self.notices.drop(live.key, SWITCHED)
            return NO_REMARKS
        self.notices.tell(live.key, SWITCHED, told)
        if refused and holds is Mode.ENFORCE:
            return Remarks(refusal=f"automode: {told}")
        return Remarks(notice=f"automode: {told}")


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(text for text in texts if text)
