"""Calls that the person said no to in the agent's own dialog, by the agent's word or its record."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from automode.agents.events import CallFinished, HostEvent, PromptTyped, SessionEnded, TurnEnded
from automode.core.record import Record, SessionKey
from automode.core.transcript import Outcome
from automode.sessions.bypasses import finished_call
from automode.sessions.gate_run import shallow
from automode.sessions.host_checks import HostChecks
from automode.sessions.live_session import LiveSession, decline
from automode.sessions.person import Deeds
from automode.sessions.precedents import Precedents
from automode.sessions.record_builder import RecordBuilder, Written
from automode.sessions.registry import SessionRegistry
from automode.store import tables
from automode.store.changes import Change, RecordQuery
from automode.store.database import Database

MOST_LOOKED_AT = 64  # records, for the one of a call


@dataclass(frozen=True, slots=True)
class Declines:
    registry: SessionRegistry
    builder: RecordBuilder
    host_checks: HostChecks
    deeds: Deeds
    precedents: Precedents

    async def take(self, live: LiveSession, event: HostEvent) -> list[Change]:
        """Each is denied by the person, once."""
        found: list[Record] = []
        if isinstance(event, CallFinished) and event.outcome is Outcome.REJECTED:
            written = self.builder.written(finished_call(event.tool, event.input))
            found = await self.registry.store.read(lambda db: _proposal(db, live.key, written))
        elif isinstance(event, (PromptTyped, TurnEnded, SessionEnded)) and event.ref.record:
            names = await self._by_record(live, event.ref.record)
            found = (
                await self.registry.store.read(lambda db: _read_records(db, names)) if names else []
            )
        changes: list[Change] = []
        why = event.result if isinstance(event, CallFinished) else ""
        for one in found:
            told = self.deeds.declined(one, why)
            live.session.history = decline(live.session.history, told.record)
            changes += [told, *self.precedents.said_no(one)]
        return changes

    async def _by_record(self, live: LiveSession, path: str) -> list[str]:
        """The records of open calls that a person said no to, by the agent's own file at `path`."""
        if not live.rulings.unfinished:
            return []
        said = await asyncio.to_thread(self.host_checks.declined, live.key.host, path)
        names: list[str] = []
        for one in said:
            call = finished_call(one.tool, shallow(one.input))
            name = live.rulings.decline(one.id, self.builder.written(call).own, one.at)
            names += [name] if name is not None else []
        return names


def _proposal(db: Database, key: SessionKey, written: Written) -> list[Record]:
    """The record of the call as it was last decided, unless it was denied."""
    found = tables.records(db, RecordQuery(session=key, limit=MOST_LOOKED_AT))
    same = [
        one.record
        for one in found
        if one.record and (one.record.tool, one.record.input) == (written.tool, written.input)
    ]
    return [one for one in same[:1] if one.enforced and not one.denied]


def _read_records(db: Database, names: Sequence[str]) -> list[Record]:
    found = (tables.record(db, name).record for name in names)
    return [one for one in found if one is not None]
