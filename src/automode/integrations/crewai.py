"""CrewAI: `guard(gate)` before a crew starts; it holds for every crew of the process.

CrewAI passes over an exception of a hook, and the tool then runs: so these never raise. A blocked
call has no reason there, so the hook that sees the result puts it in its place. Nothing ends a run
from there either: after a `halt` the next call of a model is refused, and that ends it. Register
automode last: a hook after it could change what was decided.
"""

import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Protocol

from automode.agents.shared.wording import unscreened_text
from automode.gate.gate import fail_closed_sync
from automode.integrations.ruling import remember, rule_sync, warning_of_sync, with_warning
from automode.library import Gate, ToolCall


class Context(Protocol):
    """The framework's `ToolCallHookContext`, as far as it is used."""

    tool_name: str
    tool_input: Mapping[str, object]
    tool_result: str | None


def guard(gate: Gate) -> Callable[[], None]:
    """Returns what takes the gate away again."""
    hooks = import_module("crewai.hooks")
    guarding = Guard(gate)
    own = {
        "before_tool_call": guarding.before,
        "after_tool_call": guarding.after,
        "before_llm_call": guarding.before_model,
    }
    for kind, hook in own.items():
        getattr(hooks, f"register_{kind}_hook")(hook)

    def take_away() -> None:
        for kind, hook in own.items():
            getattr(hooks, f"unregister_{kind}_hook")(hook)

    return take_away


class Guard:
    """`denied` are the reasons, by the very input that was denied: both hooks are given it. Crews
    run tools in threads."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._denied: dict[int, tuple[Mapping[str, object], str]] = {}
        self._lock = threading.Lock()
        self._halted = False

    def before(self, context: Context) -> bool | None:
        """False blocks the call, None lets it run. Also what cannot be read is blocked."""
        return fail_closed_sync(lambda: self._before(context), lambda _: False)

    def _before(self, context: Context) -> bool | None:
        ruling = rule_sync(self._gate, _call(context))
        if ruling.runs:
            return None
        with self._lock:
            self._halted = self._halted or ruling.halts
            denied = (context.tool_input, ruling.text)
            remember(self._denied, id(context.tool_input), denied)
        return False

    def before_model(self, context: object) -> bool | None:
        """False ends the run that was halted; the next one begins anew."""
        with self._lock:
            halted, self._halted = self._halted, False
        return False if halted else None

    def after(self, context: Context) -> str | None:
        """The text that the model reads in the result's place, None for the result itself."""
        return fail_closed_sync(
            lambda: self._after(context), lambda error: _unscreened_text(context, error)
        )

    def _after(self, context: Context) -> str | None:
        with self._lock:
            _, reason = self._denied.pop(id(context.tool_input), (None, ""))
        if reason:
            return reason
        warning = warning_of_sync(self._gate, _call(context), context.tool_result or "")
        return str(with_warning(context.tool_result, warning)) if warning else None


def _unscreened_text(context: Context, error: Exception) -> str:
    result: object = getattr(context, "tool_result", "")
    return str(with_warning(result, unscreened_text(type(error).__name__)))


def _call(context: Context) -> ToolCall:
    return ToolCall(context.tool_name, context.tool_input)
