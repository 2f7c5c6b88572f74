"""The scripted model behind OpenAI's Responses format, read by the provider's own client."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import ToolUse, asked_of_input, response, saying, using

if TYPE_CHECKING:  # it takes seconds to load
    from openai import OpenAI
    from openai.types.responses import FunctionToolParam, Response

CALL = ToolUse("exec_command", {"cmd": "touch it", "nested": {"é": [1, None]}})
TOOL: "FunctionToolParam" = {
    "type": "function",
    "name": "exec_command",
    "parameters": {},
    "strict": False,
}
BODY: Mapping[str, object] = {
    "model": "m",
    "instructions": "you are an agent",
    "tools": [
        TOOL,
        {"type": "custom", "name": "apply_patch"},
        {"type": "namespace", "name": "agents", "tools": [{"name": "spawn_agent"}]},
    ],
    "input": [
        {"type": "message", "role": "developer", "content": [{"text": "automode decides"}]},
        {"type": "message", "role": "user", "content": [{"text": "go"}]},
        {"type": "function_call", "name": "exec_command", "call_id": "c1"},
        {"type": "function_call", "name": "exec_command", "call_id": "c2"},
        {"type": "function_call_output", "call_id": "c1", "output": "one"},
        {"type": "function_call_output", "call_id": "c2", "output": [{"text": "two"}]},
        {"type": "message", "role": "assistant", "content": [{"text": "done"}]},
        {"type": "message", "role": "user", "content": [{"text": "again"}]},
    ],
}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def client(model: ModelServer) -> "OpenAI":
    from openai import OpenAI

    model.plays(using(CALL), saying("done"))
    return OpenAI(base_url=f"{model.address}/v1", api_key="none", max_retries=0)


def whole(found: "OpenAI") -> "Response":
    return found.responses.create(model="m", input="go", tools=[TOOL])


def streamed(found: "OpenAI") -> "Response":
    events = list(found.responses.create(model="m", input="go", tools=[TOOL], stream=True))
    assert [one.type for one in events[:1]] == ["response.created"]
    last = events[-1]
    assert last.type == "response.completed"
    return last.response


@pytest.mark.parametrize("way", [whole, streamed])
def test_the_providers_own_client_reads_a_call(
    model: ModelServer, way: "Callable[[OpenAI], Response]"
) -> None:
    (call,) = way(client(model)).output

    assert call.type == "function_call"
    assert (call.name, json.loads(call.arguments)) == (CALL.tool, CALL.input)


def test_a_request_is_taken_apart() -> None:
    asked = asked_of_input(BODY)

    assert asked.tools == {"exec_command", "apply_patch", "spawn_agent"}
    assert (asked.opening, asked.answered) == ("go", 2)
    assert asked.results == ("one", "two")
    assert "you are an agent" in asked.instructions
    assert "automode decides" in asked.instructions


KINDS: Mapping[str, tuple[ToolUse, Mapping[str, object]]] = {
    "a tool that takes a text": (
        ToolUse("apply_patch", {"input": "*** Begin Patch"}),
        {"type": "custom_tool_call", "input": "*** Begin Patch"},
    ),
    "a tool of a group": (
        ToolUse("spawn_agent", {"message": "go"}),
        {"type": "function_call", "namespace": "agents"},
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_call_has_the_shape_that_its_tool_was_offered_with(name: str) -> None:
    use, shape = KINDS[name]

    output = response(asked_of_input(BODY), using(use))["output"]

    assert isinstance(output, list)
    assert shape.items() <= output[0].items()
