"""What a framework is told of a call: may it run, must somebody be asked, does the agent stop."""

from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from automode.agents.shared.wording import told, undecided, unseen
from automode.core.decision import Decision, Verdict
from automode.core.errors import AutomodeError
from automode.gate.gate import closed
from automode.library.gate import ToolCall

T = TypeVar("T")
WARNING = "automode_warning"
"""The field in which a result that is no text carries its warning."""


class Decides(Protocol):
    """What an integration needs of a `Gate`."""

    @property
    def attended(self) -> bool: ...
    async def decide(self, call: ToolCall) -> Decision: ...
    def decide_sync(self, call: ToolCall) -> Decision: ...
    async def finished(self, call: ToolCall, result: object, *, failed: bool = False) -> str: ...
    def finished_sync(self, call: ToolCall, result: object, *, failed: bool = False) -> str: ...


class Halted(AutomodeError):
    """Too many calls were denied, and nobody is there: the agent has to stop."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """`text` is for the model, or for the person who is asked. `asks` is never set without
    somebody there."""

    runs: bool
    text: str = ""
    asks: bool = False
    halts: bool = False

    def stopped(self) -> str:
        """The text of a denial. Raises Halted where the agent has to stop."""
        if self.halts:
            raise Halted(self.text, "look at `automode denials`")
        return self.text


async def ruled(gate: Decides, call: ToolCall) -> Ruled:
    """Never raises."""
    return await closed(_decided(gate, call), _closed)


def ruled_sync(gate: Decides, call: ToolCall) -> Ruled:
    """Never raises."""

    async def decided() -> Ruled:
        return _ruled(gate.decide_sync(call))

    return at_once(closed(decided(), _closed))


async def warned(gate: Decides, call: ToolCall, result: object, *, failed: bool = False) -> str:
    """What must stand in front of a result; mostly nothing. Never raises: what nobody has looked
    at is said to be so."""
    return await closed(gate.finished(call, result, failed=failed), _unseen)


def warned_sync(gate: Decides, call: ToolCall, result: object, *, failed: bool = False) -> str:
    async def finished() -> str:
        return gate.finished_sync(call, result, failed=failed)

    return at_once(closed(finished(), _unseen))


def fronted(result: object, warning: str) -> object:
    """The result with the warning in front, as far as its shape allows."""
    if not warning:
        return result
    match result:
        case Mapping():
            # A result that brings such a field itself must not have the last word.
            own = [str(result[WARNING])] if WARNING in result else []
            others = {name: value for name, value in result.items() if name != WARNING}
            return {WARNING: "\n\n".join([warning, *own]), **others}
        case list():
            return [warning, *result]
        case _:
            return f"{warning}\n\n{result}"


async def _decided(gate: Decides, call: ToolCall) -> Ruled:
    return _ruled(await gate.decide(call))


def at_once(work: Coroutine[object, None, T]) -> T:
    """What work that waits for nothing ends in; a loop may be running in this thread already."""
    try:
        work.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    raise RuntimeError("this work waits")


def _ruled(decision: Decision) -> Ruled:
    return Ruled(
        runs=decision.allowed,
        text=told(decision),
        asks=not decision.allowed and decision.verdict is Verdict.ASK,
        halts=not decision.allowed and decision.verdict is Verdict.HALT,
    )


def _closed(error: Exception) -> Ruled:
    return Ruled(runs=False, text=undecided(_why(error)))


def _unseen(error: Exception) -> str:
    return unseen(_why(error))


def _why(error: Exception) -> str:
    """Errors that are not ours may quote the call: only their kind is told."""
    return str(error) if isinstance(error, AutomodeError) else type(error).__name__
