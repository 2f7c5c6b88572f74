"""The scripted model behind Google's wire format."""

import json
from collections.abc import Mapping

import httpx2

from automode.agents.scripted.model_server import ModelServer
from automode.agents.scripted.wire import ToolUse, saying, using

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
