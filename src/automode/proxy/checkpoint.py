"""Where every frame between an MCP client and its server passes: decided, screened, or as it is."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import uuid4

from automode.agents.shared.wording import undecided, unseen
from automode.core.errors import AutomodeError
from automode.gate.gate import closed
from automode.proxy.asking import Ruled
from automode.proxy.messages import (
    Call,
    Passing,
    Proposing,
    Refusing,
    error,
    key_of,
    seen,
    stopped,
    written,
)
from automode.proxy.results import Reply, answered, broken_off, mute
from automode.sessions.host_checks import WINDOW, suspicion

log = logging.getLogger(__name__)

MOST_AWAITED = 10_000
MOST_PARTS = 200
_DESTRUCTIVE = "The server itself calls this tool destructive."
_HELD_BACK = "not sent, because a call in the same batch must not run"


class Asks(Protocol):
    """Contract: AutomodeError where nothing can be decided."""

    async def ruled(self, event: Mapping[str, object]) -> Ruled: ...
    async def warning(self, event: Mapping[str, object]) -> str: ...


@dataclass(frozen=True, slots=True)
class Passage:
    """What becomes of a frame of the client's: it goes on, or it is answered, or neither."""

    onward: bytes | None = None
    answer: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Running:
    """A call with its ruling, and as the daemon was told of it: clients use ids again."""

    call: Call
    event: Mapping[str, object]
    ruled: Ruled


@dataclass(slots=True)
class Checkpoint:
    """One connection of one client. `server` is the name under which rules know its tools:
    `mcp__<server>__<tool>`."""

    asks: Asks
    server: str
    folder: str
    session: str = field(default_factory=lambda: uuid4().hex)
    _awaited: OrderedDict[str, "_Running"] = field(default_factory=OrderedDict)
    _destructive: dict[str, bool] = field(default_factory=dict)
    _deciding: dict[str, asyncio.Task[tuple["_Running", ...]]] = field(default_factory=dict)

    async def outward(self, frame: bytes) -> Passage:
        """A frame of the client's. Never raises, and passes no call on that nobody allowed."""
        match seen(frame):
            case Refusing(reason, code, ids):
                log.warning("a frame of the client's was refused: %s", reason)
                said = f"automode refuses this message: {reason}"
                whole = [error(one, code, said) for one in ids] or [error(None, code, said)]
                return Passage(answer=written(whole if len(whole) > 1 else whole[0]))
            case Passing(cancels=None):
                return Passage(onward=frame)
            case Passing(cancels=cancelled):
                return self._cancelled(key_of(cancelled), frame)
            case Proposing() as proposing:
                return await self._decided(proposing, frame)

    async def inward(self, frame: bytes) -> bytes | None:
        """A frame of the server's, with warnings where its answers need them; None for one that
        only some clients can read, which must not pass. Never raises."""
        told = await self._told(frame)
        if told is None:
            log.warning("a frame of the server's was held back: not every client reads it alike")
        return told

    def broken_off(self) -> bytes | None:
        """The answer to everything that waits for a server that is gone."""
        waiting = [one.call.id for one in self._awaited.values() if one.call.id is not None]
        self._awaited.clear()
        told = [written(stopped(one, f"automode: {broken_off(one)}")) for one in waiting]
        return b"\n".join(told) or None

    async def _decided(self, proposing: Proposing, frame: bytes) -> Passage:
        task = asyncio.ensure_future(self._ruled(proposing.calls))
        keys = [key_of(call.id) for call in proposing.calls if call.id is not None]
        self._deciding.update(dict.fromkeys(keys, task))
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            for key in keys:
                if self._deciding.get(key) is task:
                    del self._deciding[key]
        if task.cancelled():
            return Passage()  # the client takes it back, and waits for no answer
        running = task.result()
        if all(one.ruled.runs for one in running):
            self._await(running)
            return Passage(onward=frame)
        return Passage(answer=_denied(proposing, running))

    async def _ruled(self, calls: Sequence[Call]) -> tuple[_Running, ...]:
        """One after the other, as the daemon decides them anyway."""
        told = [(call, self._event(call)) for call in calls]
        return tuple(
            [
                _Running(call, event, await closed(self._asked(call, event), _undecided))
                for call, event in told
            ]
        )

    async def _asked(self, call: Call, event: Mapping[str, object]) -> Ruled:
        ruled = await self.asks.ruled(event)
        if ruled.runs or not self._destructive.get(call.tool):
            return ruled
        return Ruled(runs=False, text=f"{ruled.text} {_DESTRUCTIVE}")

    async def _told(self, frame: bytes) -> bytes | None:
        found = answered(frame)
        if found is None:
            return frame if mute(frame) else None
        self._destructive.update(found.destructive())
        replies = _worth_a_look(tuple(found.replies(self._awaited)), self._named("unknown"))
        warnings = [(reply, said) for reply in replies if (said := await self._looked_at(reply))]
        return found.warned(warnings) if warnings or found.disputed else frame

    async def _looked_at(self, reply: Reply) -> str:
        text = _ends(reply.text)
        running = self._awaited.pop(reply.key, None)
        if running is None:
            return _screened(text, self._named("unknown"))
        ended = {"event": "finished", "outcome": reply.outcome.value, "result": text}
        told = self._warning({**running.event, **ended}, text, self._named(running.call.tool))
        return await closed(told, _unseen)

    async def _warning(self, event: Mapping[str, object], text: str, tool: str) -> str:
        try:
            return await self.asks.warning(event)
        except AutomodeError as trouble:
            log.warning("the daemon has not seen a result: %s", trouble)
            return _screened(text, tool)

    def _cancelled(self, key: str, frame: bytes) -> Passage:
        task = self._deciding.get(key)
        if task is None:
            return Passage(onward=frame)
        task.cancel()
        return Passage()  # the server has never heard of that call

    def _await(self, running: Sequence[_Running]) -> None:
        for one in running:
            if one.call.id is not None:
                self._awaited[key_of(one.call.id)] = one
        while len(self._awaited) > MOST_AWAITED:
            self._awaited.popitem(last=False)

    def _event(self, call: Call) -> dict[str, object]:
        return {
            "event": "proposed",
            "session": f"mcp-{self.server}-{self.session}",
            "cwd": self.folder,
            "tool": self._named(call.tool),
            "input": call.arguments,
            "id": uuid4().hex,
        }

    def _named(self, tool: str) -> str:
        return f"mcp__{self.server}__{tool}"


def _denied(proposing: Proposing, running: Sequence[_Running]) -> bytes | None:
    """None where nobody waits: what was sent as a notification has no answer."""
    told = [
        stopped(one.call.id, one.ruled.text or f"automode: {_HELD_BACK}")
        for one in running
        if one.call.id is not None
    ]
    told += [error(one, -32000, f"automode: {_HELD_BACK}") for one in proposing.others]
    if not told:
        return None
    return written(told if proposing.batch else told[0])


def _worth_a_look(replies: Sequence[Reply], tool: str) -> Sequence[Reply]:
    """A long list is looked at as a whole first: thousands of parts would take seconds."""
    parts = [one for one in replies if one.part is not None]
    if len(parts) <= MOST_PARTS or _screened("\n".join(one.text for one in parts), tool):
        return replies
    return [one for one in replies if one.part is None]


def _undecided(trouble: Exception) -> Ruled:
    known = isinstance(trouble, AutomodeError)
    hint = f" ({trouble.hint})" if isinstance(trouble, AutomodeError) and trouble.hint else ""
    reason = f"{trouble}{hint}" if known else type(trouble).__name__
    return Ruled(runs=False, text=undecided(reason))


def _unseen(trouble: Exception) -> str:
    return unseen(type(trouble).__name__)


def _screened(text: str, tool: str) -> str:
    found = suspicion(text, tool)
    return "" if found is None else found.warning


def _ends(text: str) -> str:
    """As much of it as the probe looks at; a cut one stays long enough to be called long."""
    if len(text) <= 2 * WINDOW:
        return text
    return f"{text[:WINDOW]}\n{text[-WINDOW:]}"
