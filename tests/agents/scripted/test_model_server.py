"""The scripted model, read by the providers' own clients.

They take seconds to load, so only the tests that need them do: every process of a test run collects
this file.
"""

import json
import urllib.request
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import ToolUse, saying, using
from automode.core.errors import AutomodeError

if TYPE_CHECKING:
    from anthropic import Anthropic
    from anthropic.types import Message, MessageParam, ToolParam

CALL = ToolUse("bash", {"command": "touch it", "nested": {"é": [1, None]}})
TOOLS: "list[ToolParam]" = [{"name": "bash", "input_schema": {"type": "object"}}]
GO: "MessageParam" = {"role": "user", "content": "go"}
CHAT_TOOL: dict[str, object] = {"type": "function", "function": {"name": "bash"}}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def claude(model: ModelServer) -> "Anthropic":
    from anthropic import Anthropic

    return Anthropic(base_url=model.address, api_key="none", max_retries=0)


def whole_message(client: "Anthropic") -> "Message":
    return client.messages.create(model="m", max_tokens=9, tools=TOOLS, messages=[GO])


def streamed_message(client: "Anthropic") -> "Message":
    with client.messages.stream(model="m", max_tokens=9, tools=TOOLS, messages=[GO]) as stream:
        return stream.get_final_message()


def posted(model: ModelServer, path: str, body: Mapping[str, object]) -> dict[str, object]:
    request = urllib.request.Request(f"{model.address}{path}", json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        found: object = json.load(answer)
    assert isinstance(found, dict)
    return found


def chat(model: ModelServer, **more: object) -> dict[str, object]:
    message = {"role": "user", "content": "please"}
    body = {"model": "m", "messages": [message], "tools": [CHAT_TOOL], **more}
    return posted(model, "/v1/chat/completions", body)


@pytest.mark.parametrize("streamed", [False, True])
def test_anthropics_own_client_reads_a_call(model: ModelServer, *, streamed: bool) -> None:
    from anthropic.types import ToolUseBlock

    model.plays(using(CALL, CALL))
    with claude(model) as client:
        found = streamed_message(client) if streamed else whole_message(client)

    blocks = [one for one in found.content if isinstance(one, ToolUseBlock)]
    assert [(one.name, one.input) for one in blocks] == [(CALL.tool, CALL.input)] * 2
    assert len({one.id for one in blocks}) == 2
    assert found.stop_reason == "tool_use"


def test_openais_own_client_reads_a_streamed_call(model: ModelServer) -> None:
    from openai import OpenAI

    model.plays(using(CALL))
    with (
        OpenAI(base_url=f"{model.address}/v1", api_key="none", max_retries=0) as client,
        client.chat.completions.stream(
            model="m",
            messages=[{"role": "user", "content": "go"}],
            tools=[{"type": "function", "function": {"name": "bash", "parameters": {}}}],
        ) as stream,
    ):
        choice = stream.get_final_completion().choices[0]

    calls = choice.message.tool_calls or []
    call = calls[0]
    assert len(calls) == 1
    assert call.type == "function"
    assert (call.function.name, json.loads(call.function.arguments)) == (CALL.tool, CALL.input)
    assert choice.finish_reason == "tool_calls"


def test_a_request_without_tools_is_small_talk(model: ModelServer) -> None:
    model.plays(using(CALL))

    with claude(model) as client:
        found = client.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "a title, please"}]
        )

    assert [one.type for one in found.content] == ["text"]


def test_results_are_kept_in_the_order_in_which_the_model_read_them(model: ModelServer) -> None:
    def tool(text: str) -> dict[str, object]:
        return {"role": "tool", "tool_call_id": "c", "content": text}

    user = {"role": "user", "content": "go"}
    chat(model, messages=[user, tool("first")])
    chat(model, messages=[user, tool("first"), tool('a "quoted" second\nline')])

    assert model.results() == ["first", 'a "quoted" second\nline']
    assert model.was_told('"quoted" second\nline')
    assert not model.was_told("third")


def test_the_judge_has_an_address_and_a_word_of_its_own(model: ModelServer) -> None:
    model.plays(using(CALL))
    asked = {"model": "m", "messages": [{"role": "user", "content": "is this fine?"}]}

    found = posted(model, "/judge/v1/chat/completions", asked)

    match found:
        case {"choices": [{"message": {"content": word}}]}:
            assert word == "0"
        case _:
            pytest.fail(f"no answer: {found}")
    assert model.judge_was_told("is this fine?")
    assert model.asked == []


def test_a_script_whose_tool_the_agent_lacks_says_so(model: ModelServer) -> None:
    model.plays(using(ToolUse("telepathy", {})))

    assert "telepathy" in json.dumps(chat(model))


def test_what_goes_wrong_between_two_turns_is_kept(model: ModelServer) -> None:
    def broken() -> None:
        raise AutomodeError("the daemon did not die")

    model.plays(saying("never said", before=broken))
    chat(model)

    assert str(model.trouble) == "the daemon did not die"


@pytest.mark.parametrize("path", ["/v1/messages/count_tokens", "/api/event_logging", "/v1/other"])
def test_whatever_else_an_agent_sends_is_answered_harmlessly(model: ModelServer, path: str) -> None:
    assert posted(model, path, {}) in ({"input_tokens": 10}, {})


def test_models_are_listed(model: ModelServer) -> None:
    with urllib.request.urlopen(f"{model.address}/v1/models") as answer:
        listed = json.load(answer)

    assert "scripted-model" in [one["id"] for one in listed["data"]]
