"""Calls that ran confined, when they are over: how they ended, what they tried."""

import asyncio
import re
from dataclasses import dataclass, replace

from automode.agents.events import CallFinished
from automode.classifier.events import FactNoted
from automode.core.decision import Verdict, deny
from automode.core.session import add_denial
from automode.core.tool_input import plain_command
from automode.core.transcript import Fact, Outcome
from automode.gate.breaker import after
from automode.sessions.bypasses import finished_call
from automode.sessions.confinement import Confinement, Ended, call_key
from automode.sessions.live_session import LiveSession, Ruled, denial
from automode.sessions.person import Deeds
from automode.sessions.record_builder import RecordBuilder
from automode.sessions.registry import SessionRegistry
from automode.store import tables
from automode.store.changes import Change, Decided

REFUSED = "confine.refused"
"""The source of the record that a confined call tried a credential or a service."""

_WALL = re.compile(
    r"Read-only file system|Permission denied|Operation not permitted|EROFS|EACCES|EPERM"
    r"|Network is unreachable|ENETUNREACH|name resolution|Could not resolve|EAI_AGAIN|ENOTFOUND"
    r"|dial tcp|Connection refused|ECONNREFUSED|no such host",
    re.IGNORECASE,
)
"""In what a call printed: it may have met the guard."""


@dataclass(frozen=True, slots=True)
class ConfinedCalls:
    registry: SessionRegistry
    builder: RecordBuilder
    deeds: Deeds
    confinement: Confinement | None

    async def finish(
        self, live: LiveSession, told: CallFinished, event: CallFinished
    ) -> tuple[list[Change], bool]:
        """What is to be kept of a call that is over, and whether it ran around the guard. `told` is
        what the agent said, `event` the same with the command that was proposed."""
        own = self.builder.written(finished_call(event.tool, event.input)).own
        ruled = live.rulings.of(event.id, own)
        rewritten = "" if ruled is None or ruled.decision is None else ruled.decision.runs_instead
        if ruled is None or not rewritten or self.confinement is None:
            wrapped = plain_command(told.input) != plain_command(event.input)
            return [], wrapped and live.rulings.has(event.id)
        ended = await asyncio.to_thread(self.confinement.ended, rewritten)
        ran_so = plain_command(told.input) == rewritten
        bypassed = event.outcome is Outcome.OK and not ended.begun and not ran_so
        changes = self._remember(live, event, ended)
        if ended.serious and ruled.record is not None:
            changes += await self._deny(live, ruled, ended)
        return changes if live.whole else [], bypassed

    def _remember(self, live: LiveSession, event: CallFinished, ended: Ended) -> list[Change]:
        """The same call again is asked: always, or, where nothing tells that the guard was the
        reason, until something was written."""
        key = call_key(event.input, event.ref.cwd)
        if not ended.told:
            live.failed.pop(key, None)
            return []
        if not ended.unknown and not ended.refused and not _WALL.search(event.result):
            live.failed[key] = ended.told
            return []
        live.met_guard[key] = ended.told
        return [live.hear(FactNoted(Fact("ran-confined", ended.told)), self.builder.clean)]

    async def _deny(self, live: LiveSession, ruled: Ruled, ended: Ended) -> list[Change]:
        """It tried a credential or a service: that counts as a denial."""
        name = ruled.record or ""
        found = (await self.registry.store.read(lambda db: tables.record(db, name))).record
        if found is None:
            return []
        reason = f"while it ran confined it tried what it may not: {ended.tried}"
        record = replace(
            found,
            id=self.deeds.ids.new(),
            at=self.deeds.clock(),
            verdict=Verdict.DENY,
            source=REFUSED,
            reason=reason,
            clearable=False,
            micros=0,
            trail=(),
            stages=(),
        )
        history = after(live.session.history, deny(REFUSED, reason), live.limits)
        live.session.history = add_denial(history, denial(record))
        return [Decided(record)]
