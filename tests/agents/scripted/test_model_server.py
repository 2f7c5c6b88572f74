"""The scripted model: which turn it gives, and how clients read its wire formats.

They take seconds to load, so only the tests that need them do: every process of a test run collects
this file.
"""

import json
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import (
    ToolUse,
    asked_of_input,
    response,
    saying,
    using,
)
from automode.core.errors import AutomodeError

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.responses import FunctionToolParam, Response

CALL = ToolUse("bash", {"command": "touch it", "nested": {"é": [1, None]}})
CHAT_TOOL: dict[str, object] = {"type": "function", "function": {"name": "bash"}}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def sent(model: ModelServer, path: str, body: Mapping[str, object]) -> str:
    request = urllib.request.Request(f"{model.url}{path}", json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        text: str = answer.read().decode()
    return text


def posted(model: ModelServer, path: str, body: Mapping[str, object]) -> dict[str, object]:
    found: object = json.loads(sent(model, path, body))
    assert isinstance(found, dict)
    return found


def chat(model: ModelServer, **more: object) -> dict[str, object]:
    message = {"role": "user", "content": "please"}
    body = {"model": "m", "messages": [message], "tools": [CHAT_TOOL], **more}
    return posted(model, "/v1/chat/completions", body)


def test_results_are_kept_in_the_order_in_which_the_model_read_them(model: ModelServer) -> None:
    def tool(text: str) -> dict[str, object]:
        return {"role": "tool", "tool_call_id": "c", "content": text}

    user = {"role": "user", "content": "go"}
    chat(model, messages=[user, tool("first")])
    chat(model, messages=[user, tool("first"), tool('a "quoted" second\nline')])

    assert model.results() == ["first", 'a "quoted" second\nline']
    assert model.was_told('"quoted" second\nline')
    assert not model.was_told("third")


def test_a_script_whose_tool_the_agent_lacks_says_so(model: ModelServer) -> None:
    model.plays(using(ToolUse("telepathy", {})))

    assert "telepathy" in json.dumps(chat(model))


def test_what_goes_wrong_between_two_turns_is_kept(model: ModelServer) -> None:
    def broken() -> None:
        raise AutomodeError("the daemon did not die")

    model.plays(saying("never said", before=broken))
    chat(model)

    assert str(model.trouble) == "the daemon did not die"


DECLARED = [{"functionDeclarations": [{"name": "run_shell_command"}, {"name": "read_file"}]}]
ASKED = {"role": "user", "parts": [{"text": "please go on"}]}


def generated(model: ModelServer, body: Mapping[str, object], *, streamed: bool) -> object:
    verb = "streamGenerateContent?alt=sse" if streamed else "generateContent"
    text = sent(model, f"/v1beta/models/gemini-2.5-pro:{verb}", body)
    found: object = json.loads(text.removeprefix("data: ") if streamed else text)
    return found


def parts(answer: object) -> object:
    match answer:
        case {"candidates": [{"content": {"parts": found}, "finishReason": "STOP"}]}:
            return found
        case _:
            return answer


def test_what_calls_came_back_with_is_kept() -> None:
    answers = [{"output": "hi"}, {"error": "no such file"}, {"other": 1}]
    results = [{"functionResponse": {"name": "read_file", "response": one}} for one in answers]
    called = {"role": "model", "parts": [{"functionCall": {"name": "read_file", "args": {}}}]}
    given = [ASKED, called, {"role": "user", "parts": [{"text": "x"}, *results]}]
    system = {"parts": [{"text": "be careful"}]}

    with ModelServer() as model:
        model.plays(using(ToolUse("read_file", {})), saying("done"))
        body = {"contents": given, "tools": DECLARED, "systemInstruction": system}
        answer = generated(model, body, streamed=False)

        assert parts(answer) == [{"text": "done"}]
        assert model.results() == ["hi", "no such file", '{"other": 1}']
        assert model.asked[0].instructions == "be careful"
        assert model.asked[0].model == "gemini-2.5-pro"


EXEC = ToolUse("exec_command", {"cmd": "touch it", "nested": {"é": [1, None]}})
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


def client(model: ModelServer) -> "OpenAI":
    from openai import OpenAI

    model.plays(using(EXEC), saying("done"))
    return OpenAI(base_url=f"{model.url}/v1", api_key="none", max_retries=0)


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
    with client(model) as provider:
        (call,) = way(provider).output

    assert call.type == "function_call"
    assert (call.name, json.loads(call.arguments)) == (EXEC.tool, EXEC.input)


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
