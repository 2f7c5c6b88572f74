"""openai-agents: `Agent(tools=guard(gate, [tool, …]))`.

A guardrail that raises ends the run, so nothing runs undecided. Where somebody is there, `ask`
becomes an interruption of the run, which `state.approve` or `state.reject` answers.
"""

import dataclasses
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Protocol

from automode.core.errors import BadCall
from automode.integrations.ruling import Ruling, remember, rule, warning_of, with_warning
from automode.library import Gate, ToolCall


class Context(Protocol):
    """The framework's `ToolContext`, as far as it is used."""

    tool_name: str
    tool_call_id: str
    tool_arguments: str


class Given(Protocol):
    context: Context


class Result(Given, Protocol):
    output: object


def guard(gate: Gate, tools: Iterable[object]) -> list[object]:
    """Copies of the tools that are decided before they run and screened after. BadCall for a tool
    that takes no guardrails: it would run undecided."""
    agents = import_module("agents")
    return [_guard_tool(agents, Guard(gate), tool) for tool in tools]


class Guard:
    """`stopped` are calls that may not run by themselves: whoever comes back with one that waited
    for a person was let go on by the framework, because somebody approved it. A denial counts once,
    though the framework asks about a call twice; what was allowed is decided anew."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._output = import_module("agents").ToolGuardrailFunctionOutput
        self._stopped: dict[str, tuple[ToolCall, Ruling]] = {}

    async def before(self, given: Given) -> object:
        call = _call(given.context)
        known, ruling = self._stopped.pop(call.id, (None, None))
        if ruling is None or known != call:
            ruling = await rule(self._gate, call)
        elif ruling.asks:
            return self._output.allow()
        if ruling.runs:
            return self._output.allow()
        if ruling.halts:
            return self._output.raise_exception(output_info=ruling.text)
        return self._output.reject_content(ruling.text)

    async def after(self, given: Result) -> object:
        warning = await warning_of(self._gate, _call(given.context), given.output)
        if not warning:
            return self._output.allow()
        return self._output.reject_content(str(with_warning(given.output, warning)))

    def approval(self, tool: str, own: object) -> Callable[..., Awaitable[bool]]:
        """Whether a person has to be asked; `own` is what the tool itself says about that."""

        async def is_needed(context: object, given: Mapping[str, object], identity: str) -> bool:
            call = ToolCall(tool, given, identity)
            if not self._gate.attended:
                return await _own_wish(own, context, given, identity)
            ruling = await rule(self._gate, call)
            if not ruling.runs:
                remember(self._stopped, identity, (call, ruling))
            return ruling.asks or await _own_wish(own, context, given, identity)

        return is_needed


def _guard_tool(agents: ModuleType, guard: Guard, tool: object) -> object:
    if not isinstance(tool, agents.FunctionTool) or not dataclasses.is_dataclass(tool):
        name = getattr(tool, "name", type(tool).__name__)
        raise BadCall(
            f"`{name}` is no FunctionTool, so nothing could be decided about its calls",
            "leave it out, or wrap it in a function tool",
        )
    before = agents.ToolInputGuardrail(guard.before, "automode")
    after = agents.ToolOutputGuardrail(guard.after, "automode")
    return dataclasses.replace(  # type: ignore[type-var]  # an instance, as `isinstance` says
        tool,
        tool_input_guardrails=[*(getattr(tool, "tool_input_guardrails", None) or ()), before],
        tool_output_guardrails=[*(getattr(tool, "tool_output_guardrails", None) or ()), after],
        needs_approval=guard.approval(
            str(getattr(tool, "name", "")), getattr(tool, "needs_approval", False)
        ),
    )


async def _own_wish(
    own: object, context: object, given: Mapping[str, object], identity: str
) -> bool:
    if not callable(own):
        return own is not False
    wished = own(context, given, identity)
    return bool(await wished if isinstance(wished, Awaitable) else wished)


def _call(context: Context) -> ToolCall:
    """Raises BadCall for arguments that are no object: the run then ends."""
    try:
        given: object = json.loads(context.tool_arguments or "{}")
    except ValueError as error:
        raise BadCall(f"the arguments of `{context.tool_name}` are no JSON") from error
    if not isinstance(given, dict):
        raise BadCall(f"the arguments of `{context.tool_name}` are no object")
    return ToolCall(context.tool_name, given, context.tool_call_id)
