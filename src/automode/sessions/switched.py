"""Where a project leads calls around the gate: who is told, and which sessions must not go on."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import ClassVar

from automode.agents.events import NO_REMARKS, PromptTyped, Remarks, SessionStarted
from automode.core.decision import ask
from automode.core.record import SessionKey
from automode.core.session import Mode, Session
from automode.gate.layer import Answer, Trail
from automode.programs.call_facts import CallFacts
from automode.sessions.host_checks import HostChecks
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import LiveSession, SessionRegistry
from automode.sessions.status import Notices
from automode.store.changes import SessionKept

KIND = "hooks-switched-off"
MOST_TOLD = 512


@dataclass(frozen=True, slots=True)
class NotLookedAt:
    """Wall: every call of a session whose project says what nobody knows to be harmless."""

    name: ClassVar[str] = "project-not-looked-at"

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        if not session.not_looked_at:
            return None
        return ask(
            f"gate.{self.name}",
            f"nobody has looked at what the project tells the agent: {session.not_looked_at}",
            "Tell the person: `automode trust --project` ends these questions.",
            clearable=False,
        )


@dataclass(slots=True)
class Switches:
    """Looked for when a session begins and with every prompt: agents stop at a prompt that is
    refused, and not at the beginning of a session."""

    registry: SessionRegistry
    builder: RecordBuilder
    host_checks: HostChecks
    notices: Notices
    _told: OrderedDict[SessionKey, str] = field(default_factory=OrderedDict)

    async def remarks(
        self, live: LiveSession, event: SessionStarted | PromptTyped, holds: Mode
    ) -> Remarks:
        if live.parent is not None:
            return NO_REMARKS
        folder = event.speaker.cwd
        if isinstance(event, PromptTyped) or event.doubted:
            folder = live.switched or folder
        found = await asyncio.to_thread(self.host_checks.switched, folder, live.key.host)
        refused = found.refuses(attended=live.session.attended)
        await self._keep(live, folder if refused or found.asks else "")
        if not found.told:
            self._told.pop(live.key, None)
            self.notices.drop(live.key, KIND)
            return NO_REMARKS
        news = self._news(live, found.told)
        if refused and holds is Mode.ENFORCE:
            return Remarks(refusal=f"automode: this session must not go on: {found.told}")
        if news or isinstance(event, SessionStarted):
            return Remarks(notice=f"automode: {found.told}")
        return NO_REMARKS

    def _news(self, live: LiveSession, told: str) -> bool:
        if self._told.get(live.key) == told:
            return False
        self.notices.tell(live.key, KIND, told)
        self._told[live.key] = told
        self._told.move_to_end(live.key)
        if len(self._told) > MOST_TOLD:
            self._told.popitem(last=False)
        return True

    async def _keep(self, live: LiveSession, folder: str) -> None:
        live.looked = True
        before, live.switched = live.switched, folder
        if folder != before and live.restored:
            async with live.turn:
                await self.registry.keeper.append([SessionKept(live.row(self.builder.brief))])
