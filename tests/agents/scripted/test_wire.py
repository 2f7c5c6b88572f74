"""The scripted model: which turn it gives, and two of its wire formats as clients read them."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import httpx2
import pytest

from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import (
    LAST,
    Script,
    ToolUse,
    asked_of_input,
    response,
    saying,
    turn_for,
    using,
)

FIRST, SECOND = using(ToolUse("bash", {"command": "ls"})), saying("done")
BELOW = saying("from below")
SCRIPTS = (Script((FIRST, SECOND)), Script((BELOW,), opening="the part"))


def test_turns_come_one_after_the_other_and_then_the_last_one_for_ever() -> None:
    assert [turn_for(SCRIPTS, "please", number) for number in range(4)] == [
        FIRST,
        SECOND,
        LAST,
        LAST,
    ]


def test_a_script_that_names_its_opening_goes_first() -> None:
    assert turn_for(SCRIPTS, "do the part of it", 0) == BELOW


def test_without_a_script_there_is_nothing_to_do() -> None:
    assert turn_for((), "please", 0) == LAST
    assert turn_for((Script((FIRST,), opening="the part"),), "please", 0) == LAST


TOOLS = [{"functionDeclarations": [{"name": "run_shell_command"}, {"name": "read_file"}]}]
ASKED = {"role": "user", "parts": [{"text": "please go on"}]}


def posted(model: ModelServer, body: Mapping[str, object], *, streamed: bool) -> object:
    verb = "streamGenerateContent?alt=sse" if streamed else "generateContent"
    url = f"{model.address}/v1beta/models/gemini-2.5-pro:{verb}"
    text = httpx2.post(url, json=body).text
    found: object = json.loads(text.removeprefix("data: ") if streamed else text)
    return found


def parts(answer: object) -> object:
    match answer:
        case {"candidates": [{"content": {"parts": found}, "finishReason": "STOP"}]}:
            return found
        case _:
            return answer


def test_a_call_comes_at_once_and_as_a_stream() -> None:
    with ModelServer() as model:
        model.plays(using(ToolUse("read_file", {"file_path": "a"})), saying("done"))
        for streamed in (False, True):
            found = parts(posted(model, {"contents": [ASKED], "tools": TOOLS}, streamed=streamed))

            assert isinstance(found, list)
            assert [
                (one["functionCall"]["name"], one["functionCall"]["args"]) for one in found
            ] == [("read_file", {"file_path": "a"})]


def test_what_calls_came_back_with_is_kept() -> None:
    answers = [{"output": "hi"}, {"error": "no such file"}, {"other": 1}]
    results = [{"functionResponse": {"name": "read_file", "response": one}} for one in answers]
    called = {"role": "model", "parts": [{"functionCall": {"name": "read_file", "args": {}}}]}
    given = [ASKED, called, {"role": "user", "parts": [{"text": "x"}, *results]}]
    system = {"parts": [{"text": "be careful"}]}

    with ModelServer() as model:
        model.plays(using(ToolUse("read_file", {})), saying("done"))
        body = {"contents": given, "tools": TOOLS, "systemInstruction": system}
        answer = posted(model, body, streamed=False)

        assert parts(answer) == [{"text": "done"}]
        assert model.results() == ["hi", "no such file", '{"other": 1}']
        assert model.asked[0].instructions == "be careful"
        assert model.asked[0].model == "gemini-2.5-pro"


def test_what_the_agent_wants_to_know_for_itself_is_small_talk() -> None:
    schema = {"generationConfig": {"responseJsonSchema": {"type": "object"}}}

    with ModelServer() as model:
        model.plays(using(ToolUse("read_file", {})))

        body = {"contents": [ASKED], "tools": TOOLS, **schema}
        assert parts(posted(model, body, streamed=False)) == [{"text": "ok"}]


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
