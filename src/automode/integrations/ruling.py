"""What a framework is told of a call: may it run, must somebody be asked, does the agent stop."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from automode.agents.shared.wording import Reader, sentence_for, undecided_text, unscreened_text
from automode.core.decision import Decision, Verdict
from automode.core.errors import AutomodeError
from automode.gate.gate import fail_closed, fail_closed_sync
from automode.library.gate import Gate, ToolCall

T = TypeVar("T")
V = TypeVar("V")
WARNING = "automode_warning"
"""The field in which a result that is no text carries its warning."""
MOST_REMEMBERED = 1000


class Halted(AutomodeError):
    """Too many calls were denied, and nobody is there: the agent has to stop."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """`text` is for the model. `asks` is never set without somebody there, and then `question` is
    for that person."""

    runs: bool
    text: str = ""
    question: str = ""
    asks: bool = False
    halts: bool = False

    def denial(self) -> str:
        """What the model reads. Raises Halted where the agent has to stop."""
        if self.halts:
            raise Halted(self.text, "look at `automode denials`")
        return self.text


async def rule(gate: Gate, call: ToolCall) -> Ruling:
    """Never raises."""

    async def decide() -> Ruling:
        return _ruling(await gate.decide(call))

    return await fail_closed(decide(), _undecided_ruling)


def rule_sync(gate: Gate, call: ToolCall) -> Ruling:
    """Never raises."""
    return fail_closed_sync(lambda: _ruling(gate.decide_sync(call)), _undecided_ruling)


async def warning_of(gate: Gate, call: ToolCall, result: object, *, failed: bool = False) -> str:
    """What must stand in front of a result; mostly nothing. Never raises: what nobody has looked
    at is said to be so."""
    return await fail_closed(gate.finished(call, result, failed=failed), _unscreened_text)


def warning_of_sync(gate: Gate, call: ToolCall, result: object, *, failed: bool = False) -> str:
    return fail_closed_sync(
        lambda: gate.finished_sync(call, result, failed=failed), _unscreened_text
    )


def with_warning(result: object, warning: str) -> object:
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


def remember(known: dict[T, V], key: T, value: V) -> None:
    """Forgets the oldest where there are too many."""
    known[key] = value
    while len(known) > MOST_REMEMBERED:
        del known[next(iter(known))]


def _ruling(decision: Decision) -> Ruling:
    stopped = None if decision.allowed else decision.verdict
    return Ruling(
        runs=decision.allowed,
        text=sentence_for(decision, Reader.AGENT if stopped is Verdict.ASK else None),
        question=sentence_for(decision) if stopped is Verdict.ASK else "",
        asks=stopped is Verdict.ASK,
        halts=stopped is Verdict.HALT,
    )


def _undecided_ruling(error: Exception) -> Ruling:
    return Ruling(runs=False, text=undecided_text(_why(error)))


def _unscreened_text(error: Exception) -> str:
    return unscreened_text(_why(error))


def _why(error: Exception) -> str:
    """Errors that are not ours may quote the call: only their kind is told."""
    return str(error) if isinstance(error, AutomodeError) else type(error).__name__
