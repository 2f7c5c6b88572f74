"""pydantic-ai: `Agent(model, toolsets=[gated(gate, toolset)])`.

Tools that are handed to `Agent(tools=…)` go past any toolset: put them in a `FunctionToolset`.
Where somebody is there, `ask` becomes a deferred call (`DeferredToolRequests` as an output type).
What a tool has the model try again with is screened like a result.
"""

import dataclasses
from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from automode.integrations.ruling import Decides, Ruled, fronted, ruled, warned
from automode.library import ToolCall


class Run(Protocol):
    """The framework's `RunContext`, as far as it is used."""

    tool_call_id: str | None
    tool_call_approved: bool


def gated(gate: Decides, toolset: object) -> object:
    """The toolset with the gate around it."""
    base = import_module("pydantic_ai.toolsets").WrapperToolset
    retrying = import_module("pydantic_ai.exceptions").ModelRetry

    async def call_tool(
        self: object, name: str, tool_args: Mapping[str, object], ctx: Run, tool: object
    ) -> object:
        call = ToolCall(name, tool_args, ctx.tool_call_id or "")
        said = await ruled(gate, call)
        if not said.runs and not _agreed(said, ctx):
            return said.stopped()
        try:
            result: object = await base.call_tool(self, name, tool_args, ctx, tool)
        except retrying as trouble:
            text = str(trouble.message)
            warning = await warned(gate, call, text, failed=True)
            raise retrying(fronted(text, warning)) from trouble
        return _screened(result, await warned(gate, call, result))

    made: object = type("GatedToolset", (base,), {"call_tool": call_tool})(toolset)
    return made


def _screened(result: object, warning: str) -> object:
    """A `ToolReturn` keeps what else it carries."""
    returned = import_module("pydantic_ai.messages").ToolReturn
    if isinstance(result, returned):
        shown = fronted(result.return_value, warning)
        found: object = dataclasses.replace(result, return_value=shown)
        return found
    return fronted(result, warning)


def _agreed(said: Ruled, ctx: Run) -> bool:
    """Raises the framework's own way of asking where nobody has answered yet."""
    if not said.asks:
        return False
    if not ctx.tool_call_approved:
        exceptions = import_module("pydantic_ai.exceptions")
        raise exceptions.ApprovalRequired(metadata={"automode": said.text})
    return True
