"""pydantic-ai: `Agent(model, toolsets=[gated(gate, toolset)])`.

Tools that are handed to `Agent(tools=…)` go past any toolset: put them in a `FunctionToolset`.
Where somebody is there, `ask` becomes a deferred call (`DeferredToolRequests` as an output type).
What a tool has the model try again with is screened like a result.
"""

import dataclasses
from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from automode.integrations.ruling import Ruling, rule, warning_of, with_warning
from automode.library import Gate, ToolCall


class Run(Protocol):
    """The framework's `RunContext`, as far as it is used."""

    tool_call_id: str | None
    tool_call_approved: bool


def gated(gate: Gate, toolset: object) -> object:
    """The toolset with the gate around it."""
    base = import_module("pydantic_ai.toolsets").WrapperToolset
    retrying = import_module("pydantic_ai.exceptions").ModelRetry

    async def call_tool(
        self: object, name: str, tool_args: Mapping[str, object], ctx: Run, tool: object
    ) -> object:
        call = ToolCall(name, tool_args, ctx.tool_call_id or "")
        ruling = await rule(gate, call)
        if not ruling.runs and not _is_approved(ruling, ctx):
            return ruling.denial()
        try:
            result: object = await base.call_tool(self, name, tool_args, ctx, tool)
        except retrying as trouble:
            text = str(trouble.message)
            warning = await warning_of(gate, call, text, failed=True)
            raise retrying(with_warning(text, warning)) from trouble
        return _with_warning(result, await warning_of(gate, call, result))

    made: object = type("GatedToolset", (base,), {"call_tool": call_tool})(toolset)
    return made


def _with_warning(result: object, warning: str) -> object:
    """A `ToolReturn` keeps what else it carries."""
    returned = import_module("pydantic_ai.messages").ToolReturn
    if isinstance(result, returned):
        shown = with_warning(result.return_value, warning)
        found: object = dataclasses.replace(result, return_value=shown)
        return found
    return with_warning(result, warning)


def _is_approved(ruling: Ruling, ctx: Run) -> bool:
    """Raises the framework's own way of asking where nobody has answered yet."""
    if not ruling.asks:
        return False
    if not ctx.tool_call_approved:
        exceptions = import_module("pydantic_ai.exceptions")
        raise exceptions.ApprovalRequired(metadata={"automode": ruling.question})
    return True
