"""What commands decided and asked of models, on its way into the store, without any daemon.

Sessions of agents go over a decision service. What a person tries out does not: no verdict of
`check` depends on what was tried before.
"""

import time
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Self

import click

from automode.assemble import READER
from automode.cli.surroundings import Surroundings, own_session
from automode.cli.without_daemon import account
from automode.core.call import ToolCall
from automode.core.decision import Decision
from automode.core.errors import AutomodeError
from automode.core.session import Session
from automode.llm.ledger import Request
from automode.sessions import recording
from automode.sessions.ids import Ids
from automode.sessions.record_builder import Circumstances, RecordBuilder
from automode.sessions.registry import new_session
from automode.sessions.status import Ruling
from automode.sessions.usage import used
from automode.store.changes import Change, Decided, Kept, SessionKept
from automode.store.folder import StateFolder, secret
from automode.store.writer import Writer

_ADVICE = "See `automode status`; --no-record decides without a record."


@dataclass(frozen=True, slots=True)
class Tried:
    """A call that a command had decided."""

    call: ToolCall
    session: Session
    decision: Decision
    micros: int
    requests: Sequence[Request] = ()


class Recording:
    """`async with`. Raises AutomodeError at its beginning where nothing can be kept at all."""

    def __init__(self, folder: StateFolder, store: str) -> None:
        self._folder = folder.prepared()
        self._store = store
        self._key = own_session()
        self._builder = RecordBuilder(secret(folder.signing_key), account(), READER)
        self._ids = Ids()
        self._live = new_session(self._key, time.time())
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._writer = await self._stack.enter_async_context(Writer(self._folder, self._store))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def keep(self, tried: Iterable[Tried]) -> tuple[Kept, list[str]]:
        """Whether they are written, all of them together, and their ids."""
        changes: list[Change] = []
        ids = [self._take(one, changes) for one in tried]
        self._live.seen = time.time()
        row = SessionKept(self._live.row(self._builder.brief))
        return await self._writer.append([row, *changes]), ids

    async def book(self, requests: Iterable[Request]) -> Kept:
        """Requests to models that decided nothing: they count for the budget all the same."""
        changes = [used(one, self._ids.new(), self._key, None) for one in requests]
        return await self._writer.append(changes)

    def _take(self, one: Tried, changes: list[Change]) -> str:
        written = self._builder.written(one.call)
        made = Circumstances(
            self._ids.new(), time.time(), self._key, None, one.session, one.micros, one.requests
        )
        record = self._builder.record(one.call, written, one.decision, made)
        changes.append(Decided(record))
        changes += [
            used(request, f"{record.id}.{number}", self._key, None)
            for number, request in enumerate(one.requests)
        ]
        session = self._live.session
        session.workspace, session.attended = one.session.workspace, one.session.attended
        return record.id


def recording_for(surroundings: Surroundings, *, wanted: bool) -> Recording | None:
    """None where nothing is to be recorded. Raises AutomodeError where it cannot be."""
    folder = surroundings.state()
    if not wanted or surroundings.isolated or folder is None:
        return None
    return Recording(folder, surroundings.store())


def unless_lost(decision: Decision, kept: Kept, *, attended: bool) -> Decision:
    """As for agents, with the way out of whoever types a command."""
    return recording.unless_lost(decision, kept, _ADVICE, attended=attended)


def lost(error: AutomodeError) -> Kept:
    return Kept(f"{error} ({error.hint})" if error.hint else str(error))


def mention(kept: Kept | None) -> None:
    """On standard error, what is not in the store."""
    if kept is not None and kept.lost:
        click.echo(f"note: nothing was recorded: {kept.reason}", err=True)


async def recorded(surroundings: Surroundings, tried: Tried, *, wanted: bool) -> Ruling:
    """The decision as it may be answered, with what became of its record."""
    name, kept = None, None
    try:
        keeping = recording_for(surroundings, wanted=wanted)
        if keeping is not None:
            async with keeping:
                kept, (name,) = await keeping.keep([tried])
    except AutomodeError as error:
        kept = lost(error)
    decision = tried.decision
    if kept is not None:
        decision = unless_lost(decision, kept, attended=tried.session.attended)
    return Ruling(decision, name, kept, tried.micros)


async def booked(surroundings: Surroundings, requests: Sequence[Request]) -> Kept | None:
    """What became of requests that decided nothing; None when there was nothing to keep."""
    try:
        keeping = recording_for(surroundings, wanted=bool(requests))
        if keeping is None:
            return None
        async with keeping:
            return await keeping.book(requests)
    except AutomodeError as error:
        return lost(error)
