"""LangChain and LangGraph: `create_agent(…, middleware=[middleware(gate)])`, or for a graph of your
own `ToolNode(tools, wrap_tool_call=around(gate), awrap_tool_call=around_async(gate))`.

Where somebody is there, `ask` interrupts the graph, which needs a checkpointer; resume it with
`Command(resume={"type": "approve", "id": …})` for a yes, where `id` is that of the question.
Answers go by order and not by call, so `True` is a yes only to a call that is alone in its message.
"""

import dataclasses
from collections.abc import Awaitable, Callable, Iterator, Mapping
from importlib import import_module
from typing import Protocol, TypeAlias

from automode.integrations.ruling import (
    Ruling,
    rule,
    rule_sync,
    warning_of,
    warning_of_sync,
    with_warning,
)
from automode.library import Gate, ToolCall


class Request(Protocol):
    """The framework's `ToolCallRequest`, as far as it is used."""

    tool_call: Mapping[str, object]
    state: object


Handler: TypeAlias = Callable[[Request], object]
AsyncHandler: TypeAlias = Callable[[Request], Awaitable[object]]


def middleware(gate: Gate) -> object:
    """An `AgentMiddleware`. Name it last, so that what it decides is what runs."""
    base = import_module("langchain.agents.middleware").AgentMiddleware
    around_call, around_async_call = around(gate), around_async(gate)

    def wrap_tool_call(self: object, request: Request, handler: Handler) -> object:
        return around_call(request, handler)

    async def awrap_tool_call(self: object, request: Request, handler: AsyncHandler) -> object:
        return await around_async_call(request, handler)

    members = {"wrap_tool_call": wrap_tool_call, "awrap_tool_call": awrap_tool_call}
    return type("Automode", (base,), members)()


def around(gate: Gate) -> Callable[[Request, Handler], object]:
    def run(request: Request, handler: Handler) -> object:
        call = _call(request)
        ruling = rule_sync(gate, call)
        if not ruling.runs and not _is_approved(ruling, call, request):
            return _message(ruling.denial(), call)
        result = handler(request)
        return _with_warning(
            result, warning_of_sync(gate, call, _text(result), failed=_is_failure(result))
        )

    return run


def around_async(gate: Gate) -> Callable[[Request, AsyncHandler], Awaitable[object]]:
    async def run(request: Request, handler: AsyncHandler) -> object:
        call = _call(request)
        ruling = await rule(gate, call)
        if not ruling.runs and not _is_approved(ruling, call, request):
            return _message(ruling.denial(), call)
        result = await handler(request)
        return _with_warning(
            result, await warning_of(gate, call, _text(result), failed=_is_failure(result))
        )

    return run


def _is_approved(ruling: Ruling, call: ToolCall, request: Request) -> bool:
    """Whether a person says yes to this very call; only asked where somebody is there."""
    if not ruling.asks:
        return False
    question = {
        "automode": ruling.question,
        "tool": call.tool,
        "args": dict(call.input),
        "id": call.id,
    }
    beside = _sibling_calls(call, request.state)
    match import_module("langgraph.types").interrupt(question):
        case {"decisions": [answer]} | answer:
            return _means_yes(answer, call, beside)
    return False


def _means_yes(answer: object, call: ToolCall, beside: list[str]) -> bool:
    match answer:
        case {"type": "approve", "id": str(named)}:
            return bool(named) and named == call.id and beside.count(named) == 1
        case {"type": "approve", **rest} if not rest:
            return len(beside) == 1
        case True | "approve":
            return len(beside) == 1
        case _:
            return False


def _sibling_calls(call: ToolCall, state: object) -> list[str]:
    """The ids of all calls of the message that holds this one; none where it is not found."""
    for calls in _messages(state):
        ids = [str(one.get("id") or "") for one in calls if isinstance(one, Mapping)]
        if call.id in ids:
            return ids
    return []


def _messages(state: object) -> Iterator[list[object]]:
    """The calls of each message, the newest first. A state is a list of messages or of calls, or
    has such lists under names that the graph chooses."""
    held = state if isinstance(state, Mapping | list) else getattr(state, "__dict__", {})
    for messages in [held] if isinstance(held, list) else list(held.values()):
        if not isinstance(messages, list):
            continue
        for message in reversed(messages):
            calls: object = getattr(message, "tool_calls", None)
            if isinstance(calls, list):
                yield calls
        yield messages


def _call(request: Request) -> ToolCall:
    match request.tool_call:
        case {"name": str(name), "args": dict(given), **rest}:
            return ToolCall(name, given, str(rest.get("id") or ""))
        case _:
            raise TypeError("a tool call without a name or arguments")


def _message(text: str, call: ToolCall) -> object:
    made = import_module("langchain_core.messages").ToolMessage
    message: object = made(text, tool_call_id=call.id, name=call.tool, status="error")
    return message


def _text(result: object) -> object:
    return getattr(result, "content", result)


def _is_failure(result: object) -> bool:
    return getattr(result, "status", "") == "error"


def _with_warning(result: object, warning: str) -> object:
    """Each message with the warning in front, also those in the update of a `Command`."""
    if not warning:
        return result
    if isinstance(result, list):
        return [_with_warning(one, warning) for one in result]
    if isinstance(result, Mapping):
        return {name: _with_warning(one, warning) for name, one in result.items()}
    changed = result
    copied, content = getattr(result, "model_copy", None), getattr(result, "content", None)
    if copied is not None and content:
        changed = copied(update={"content": with_warning(content, warning)})
    elif isinstance(result, import_module("langgraph.types").Command):
        changed = dataclasses.replace(result, update=_with_warning(result.update, warning))
    return changed
