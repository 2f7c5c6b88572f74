"""Where every frame between an MCP client and its server passes: decided, screened, or as it is."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import uuid4

from automode.agents.shared.wording import undecided_text, unscreened_text
from automode.core.errors import AutomodeError
from automode.core.recent import Recent
from automode.gate.gate import fail_closed
from automode.proxy.asking import Ruling
from automode.proxy.messages import Call, Frame, encode, error, failed_result, key_of, read_frame
from automode.proxy.results import Reply, is_mute, read_answer
from automode.sessions.host_checks import WINDOW, suspicion

log = logging.getLogger(__name__)

MOST_AWAITED = 10_000
MOST_PARTS = 200
_HELD_BACK = "automode: not sent, because a call in the same batch must not run"
_FAILED = -32000


class Asker(Protocol):
    """Contract: AutomodeError where nothing can be decided."""

    async def decide(self, event: Mapping[str, object]) -> Ruling: ...
    async def warning(self, event: Mapping[str, object]) -> str: ...


@dataclass(frozen=True, slots=True)
class Passage:
    """What becomes of a frame of the client's: it goes on, or it is answered, or neither."""

    onward: bytes | None = None
    answer: bytes | None = None
    frame: Frame = field(default=Frame(), compare=False)


@dataclass(frozen=True, slots=True)
class _Running:
    """A call with its ruling, and as the daemon was told of it: clients use ids again."""

    call: Call
    event: Mapping[str, object]
    ruling: Ruling


@dataclass(slots=True)
class Checkpoint:
    """One connection of one client. `server` is the name under which rules know its tools:
    `mcp__<server>__<tool>`."""

    asks: Asker
    server: str
    folder: str
    session: str = field(default_factory=lambda: uuid4().hex)
    _awaited: Recent[str, "_Running"] = field(default_factory=lambda: Recent(MOST_AWAITED))
    _deciding: dict[str, asyncio.Task[tuple["_Running", ...]]] = field(default_factory=dict)

    async def outward(self, frame: bytes) -> Passage:
        """A frame of the client's. Never raises, and passes on no call that was not allowed."""
        found = read_frame(frame)
        if found.refusal:
            log.warning("a frame of the client's was refused: %s", found.refusal)
            reason = f"automode refuses this message: {found.refusal}"
            answers = [error(one, found.code, reason) for one in found.ids or (None,)]
            return Passage(answer=encode(answers if len(answers) > 1 else answers[0]))
        if found.calls:
            return await self._decide(found, frame)
        if found.cancels is not None and (task := self._deciding.get(key_of(found.cancels))):
            task.cancel()
            return Passage()  # the server has never heard of that call
        return Passage(onward=frame, frame=found)

    async def inward(self, frame: bytes) -> bytes | None:
        """A frame of the server's, with warnings where its answers need them; None for one that
        only some clients can read, which must not pass. Never raises."""
        screened = await self._screen(frame)
        if screened is None:
            log.warning(
                "a frame of the server's was held back: clients could read it in different ways"
            )
        return screened

    def broken_off(self) -> bytes | None:
        """The answer to everything that waits for a server that is gone."""
        ids = [one.call.id for one in self._awaited.values() if one.call.id is not None]
        self._awaited.clear()
        text = "automode: the MCP server ended before it answered request {}"
        return b"\n".join(encode(failed_result(one, text.format(one))) for one in ids) or None

    async def _decide(self, found: Frame, frame: bytes) -> Passage:
        task = asyncio.ensure_future(self._rule(found.calls))
        keys = [key_of(call.id) for call in found.calls if call.id is not None]
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
        if not all(one.ruling.runs for one in running):
            return Passage(answer=_denial(found, running))
        for one in running:
            if one.call.id is not None:
                self._awaited[key_of(one.call.id)] = one
        return Passage(onward=frame, frame=found)

    async def _rule(self, calls: Sequence[Call]) -> tuple[_Running, ...]:
        """One after the other, as the daemon decides them anyway."""
        events = [(call, self._event(call)) for call in calls]
        return tuple(
            [
                _Running(call, event, await fail_closed(self.asks.decide(event), _no_ruling))
                for call, event in events
            ]
        )

    async def _screen(self, frame: bytes) -> bytes | None:
        found = read_answer(frame)
        if found is None:
            return frame if is_mute(frame) else None
        replies = _worth_a_look(tuple(found.replies(self._awaited)), self._tool_name("unknown"))
        warnings = [(one, warning) for one in replies if (warning := await self._warning(one))]
        return found.with_warnings(warnings) if warnings or found.disputed else frame

    async def _warning(self, reply: Reply) -> str:
        text = _ends(reply.text)
        running = self._awaited.pop(reply.key, None)
        if running is None:
            return _screen_here(text, self._tool_name("unknown"))
        ended = {"event": "finished", "outcome": reply.outcome.value, "result": text}
        asking = self._ask_warning({**running.event, **ended}, text)
        return await fail_closed(asking, lambda trouble: unscreened_text(type(trouble).__name__))

    async def _ask_warning(self, event: Mapping[str, object], text: str) -> str:
        try:
            return await self.asks.warning(event)
        except AutomodeError as trouble:
            log.warning("the daemon has not seen a result: %s", trouble)
            return _screen_here(text, str(event["tool"]))

    def _event(self, call: Call) -> dict[str, object]:
        return {
            "event": "proposed",
            "session": f"mcp-{self.server}-{self.session}",
            "cwd": self.folder,
            "tool": self._tool_name(call.tool),
            "input": call.arguments,
            "id": uuid4().hex,
        }

    def _tool_name(self, tool: str) -> str:
        return f"mcp__{self.server}__{tool}"


def _denial(found: Frame, running: Sequence[_Running]) -> bytes | None:
    """None where nobody waits: what was sent as a notification has no answer."""
    answers = [
        failed_result(one.call.id, one.ruling.text or _HELD_BACK)
        for one in running
        if one.call.id is not None
    ]
    own = {key_of(one.call.id) for one in running}
    answers += [error(one, _FAILED, _HELD_BACK) for one in found.ids if key_of(one) not in own]
    if not answers:
        return None
    return encode(answers if found.batch else answers[0])


def _worth_a_look(replies: Sequence[Reply], tool: str) -> Sequence[Reply]:
    """A long list is looked at as a whole first: thousands of parts would take seconds."""
    parts = [one for one in replies if one.part is not None]
    if len(parts) <= MOST_PARTS or _screen_here("\n".join(one.text for one in parts), tool):
        return replies
    return [one for one in replies if one.part is None]


def _no_ruling(trouble: Exception) -> Ruling:
    if not isinstance(trouble, AutomodeError):
        return Ruling(runs=False, text=undecided_text(type(trouble).__name__))
    hint = f" ({trouble.hint})" if trouble.hint else ""
    return Ruling(runs=False, text=undecided_text(f"{trouble}{hint}"))


def _screen_here(text: str, tool: str) -> str:
    found = suspicion(text, tool)
    return "" if found is None else found.warning


def _ends(text: str) -> str:
    """As much of it as the probe looks at; a cut one stays long enough to be called long."""
    if len(text) <= 2 * WINDOW:
        return text
    return f"{text[:WINDOW]}\n{text[-WINDOW:]}"
