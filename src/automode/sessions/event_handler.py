"""Hears what happens in sessions, and says what follows from it: warnings, notices, refusals."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from automode.agents.events import (
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
from automode.sessions import changed_calls
from automode.sessions.changed_calls import changed
from automode.sessions.deeds import Deeds
from automode.sessions.depth import shallow
from automode.sessions.gate_run import GateRun, mode, overridden
from automode.sessions.host_checks import HostChecks
from automode.sessions.missed_calls import MissedCalls
from automode.sessions.person import NotKept
from automode.sessions.projects import Project
from automode.sessions.prompt_checks import agents_words
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import LiveSession, SessionRegistry
from automode.sessions.reviews import Reviews, ended_below
from automode.sessions.session_events import EventContext, heard
from automode.sessions.status import Notices
from automode.sessions.suspect import fact, screened
from automode.sessions.switched import Switches
from automode.sessions.transcript_text import instructions_text, shown
from automode.sessions.written_files import WrittenFiles
from automode.store.changes import Change, Heard, SessionKept

Happening: TypeAlias = PromptTyped | CallFinished | SessionStarted | TurnEnded | SessionEnded


@dataclass(frozen=True, slots=True)
class Noticed:
    """`missed`: calls that the agent made without proposing them. `changed`: the call that has
    finished is not the one that was decided. `ignored`: it ran although it was denied."""

    missed: int = 0
    changed: bool = False
    ignored: bool = False

    @property
    def silent(self) -> bool:
        return bool(self.missed) or self.ignored


@dataclass(slots=True)
class EventHandler:
    registry: SessionRegistry
    gate_run: GateRun
    builder: RecordBuilder
    files: WrittenFiles
    host_checks: HostChecks
    notices: Notices
    reviews: Reviews
    missed_calls: MissedCalls
    switches: Switches
    deeds: Deeds
    clock: Callable[[], float] = time.time

    async def hear(self, event: Happening, live: LiveSession) -> Remarks:
        """Raises AutomodeError when the store is in trouble and there is nothing else to say."""
        noticed, trouble = Noticed(), None
        try:
            noticed = await self._taken(live, event)
        except AutomodeError as error:
            # A suspect result is no less suspect because nothing can be written down.
            trouble = error
        remarks = await self._remarks(live, event, noticed)
        if trouble is None:
            return remarks
        if remarks == NO_REMARKS:
            raise trouble
        return replace(remarks, notice=_joined([remarks.notice, f"automode: {trouble}"]))

    async def _taken(self, live: LiveSession, event: Happening) -> Noticed:
        noticed = Noticed()
        async with live.turn:
            await self.gate_run.ready(live, event.speaker)
            if isinstance(event, PromptTyped) and self._echoed(live, event):
                return noticed
            if isinstance(event, PromptTyped) and await self._by_agent(live, event):
                event = replace(event, machine=True)
            if isinstance(event, CallFinished) and _told_before(live, event):
                return noticed
            if isinstance(event, CallFinished):
                event = replace(event, input=shallow(event.input))
                ran = (changed(live, event, self.builder), self.missed_calls.ignored(live, event))
                noticed = replace(noticed, changed=ran[0], ignored=ran[1])
            if isinstance(event, (CallFinished, TurnEnded)):
                missed = await self.missed_calls.missed(live, event)
                noticed = replace(noticed, missed=missed)
            changes = heard(live, event, self._context(live, event))
            if isinstance(event, SessionStarted):
                changes += await self._begun(live, event)
            if isinstance(event, SessionEnded):
                self._ended(live)
            await self._keep(live, changes)
        return noticed

    async def _by_agent(self, live: LiveSession, event: PromptTyped) -> bool:
        """PromptOrigin that the agent itself passed to a tool come back when it has scheduled
        them."""
        if event.machine or live.parent is not None:
            return False
        return await agents_words(self.registry, self.builder, live, event.text)

    def _context(self, live: LiveSession, event: Happening) -> EventContext:
        limits, referents = USUAL_LIMITS, True
        if isinstance(event, (CallFinished, TurnEnded)):
            project = self.gate_run.project(live, event.speaker)
            if project is not None:
                kept = project.settings.transcript.assistant_text
                limits, referents = project.gate.limits, kept is not AssistantText.NONE
        return EventContext(self.builder, self.files, self.deeds, limits, self.clock(), referents)

    async def _begun(self, live: LiveSession, event: SessionStarted) -> list[Heard]:
        """A sub-agent has what the agent above it was given."""
        if live.parent is not None or not live.root:
            return []
        if event.doubted and live.session.instructions:
            return []
        given = None if event.doubted else event.instructions
        if given is None:
            given = await asyncio.to_thread(self.host_checks.instructions, live.root)
        files = shown(given, self.builder)
        if files == live.session.instructions:
            return []
        live.session.instructions = files
        return [live.position(instructions_text(files))]

    def _ended(self, live: LiveSession) -> None:
        above = None if live.parent is None else self.registry.get(live.parent)
        if above is not None:
            ended_below(above, live.key)

    async def _keep(self, live: LiveSession, changes: Sequence[Change]) -> None:
        row = SessionKept(live.row(self.builder.brief))
        kept = await self.registry.keeper.append([*changes, row])
        if kept.lost:
            raise NotKept(f"what was heard is not kept: {kept.reason}", "see `automode status`")

    def _echoed(self, live: LiveSession, event: PromptTyped) -> bool:
        """An agent with two hooks for a prompt says the same twice, and a "yes" answers once."""
        return live.words.echoed(f"{event.machine} {event.text}", live.heard, self.clock())

    async def _remarks(self, live: LiveSession, event: Happening, noticed: Noticed) -> Remarks:
        if isinstance(event, SessionEnded):
            return NO_REMARKS
        project = self.gate_run.project(live, event.speaker)
        if project is None:
            return NO_REMARKS
        holds = mode(project.settings, overridden(live, self.registry.ancestors(live)))
        if holds is Mode.OFF:
            return NO_REMARKS
        match event:
            case CallFinished():
                told = await self._of_result(live, event, project)
                notice = self._noticed(live, event.tool, noticed)
                if holds is Mode.ENFORCE:
                    reviewed = await self.reviews.warning(live, event, project)
                    ends = await self._ends(live, noticed)
                    return Remarks(_joined([told, reviewed]), notice, ends)
                return Remarks(notice=notice)
            case SessionStarted() | PromptTyped():
                return await self.switches.remarks(live, event, holds)
            case TurnEnded():
                if holds is Mode.ENFORCE:
                    await self._ends(live, noticed)
                return Remarks(notice=self.missed_calls.told(live, noticed.missed))

    async def _ends(self, live: LiveSession, noticed: Noticed) -> str:
        """Why a turn must not go on; empty where it may."""
        if not noticed.silent:
            return ""
        return await self.missed_calls.enforce(live, noticed.missed, ignored=noticed.ignored)

    def _noticed(self, live: LiveSession, tool: str, noticed: Noticed) -> str:
        """What a person should know of a call that has run."""
        silent = self.missed_calls.told(live, noticed.missed, ignored=noticed.ignored)
        if not noticed.changed:
            return silent
        said = changed_calls.sentence(tool)
        self.notices.tell(live.key, changed_calls.KIND, said)
        return _joined([silent, f"automode: {said}"])

    async def _of_result(self, live: LiveSession, event: CallFinished, project: Project) -> str:
        """In shadow mode nobody is warned, but what was found out is remembered all the same."""
        probe = project.settings.probe
        found = None
        if probe is not Probe.OFF and event.result:
            found = await screened(self.host_checks.screen, event.result, event.tool)
        if found is not None and found.asked and live.restored:
            async with live.turn:
                noted = live.hear(FactNoted(fact(event.tool, found)), self.builder.clean)
                live.suspect = found.asked if probe is Probe.ASK else live.suspect
                # What cannot be kept of a warning is no reason not to give it.
                await self.registry.keeper.append(
                    [noted, SessionKept(live.row(self.builder.brief))]
                )
        return "" if found is None else found.warning


def _told_before(live: LiveSession, event: CallFinished) -> bool:
    return live.rulings.ended_before(event.id, doubted=event.doubted)


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(text for text in texts if text)
