"""Google ADK: `Runner(…, plugins=[plugin(gate)])`. It holds for every agent of the runner."""

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from automode.integrations.ruling import rule, warning_of, with_warning
from automode.library import Gate, ToolCall


class Tool(Protocol):
    name: str


class Context(Protocol):
    """The framework's `ToolContext`, as far as it is used."""

    function_call_id: str | None


class Denial(dict[str, object]):
    """What the model reads in the place of a result. The framework shows it to both callbacks."""


def plugin(gate: Gate) -> object:
    """A `BasePlugin`. A callback that raises ends the run, so nothing runs undecided."""
    base = import_module("google.adk.plugins.base_plugin").BasePlugin

    async def before_tool_callback(
        self: object, *, tool: Tool, tool_args: Mapping[str, object], tool_context: Context
    ) -> dict[str, object] | None:
        ruling = await rule(gate, _call(tool, tool_args, tool_context))
        return None if ruling.runs else Denial(error=ruling.denial())

    async def after_tool_callback(
        self: object,
        *,
        tool: Tool,
        tool_args: Mapping[str, object],
        tool_context: Context,
        result: object,
    ) -> object:
        if isinstance(result, Denial):
            return None  # it never ran
        warning = await warning_of(gate, _call(tool, tool_args, tool_context), result)
        return with_warning(result, warning) if warning else None

    members = {
        "before_tool_callback": before_tool_callback,
        "after_tool_callback": after_tool_callback,
    }
    made: object = type("Automode", (base,), members)(name="automode")
    return made


def _call(tool: Tool, given: Mapping[str, object], context: Context) -> ToolCall:
    return ToolCall(tool.name, given, context.function_call_id or "")
