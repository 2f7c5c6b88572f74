"""What a scripted model says, and the four wire formats of providers in which it says it.

Anthropic's messages, OpenAI's chat completions and responses, and Google's contents, seen from the
provider's side: what was asked, and the answer, at once or as a stream of events.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, groupby, takewhile
from typing import TypeAlias

Row: TypeAlias = Mapping[str, object]

_LETTERS_PER_TOKEN = 3  # few enough that nobody takes the request for cut short
_OUTPUT_TOKENS = 5
_ABOVE = ("system", "developer")
_RESULTS = ("function_call_output", "custom_tool_call_output")
_OWN = ("function_call", "custom_tool_call", "reasoning")
_CUSTOM = "custom"
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call as the model writes it, with the agent's own name of the tool."""

    tool: str
    input: Row


@dataclass(frozen=True, slots=True)
class Turn:
    """Tool calls, or words where there are none. `before` runs when the turn is asked for and
    before it is given: what happens between two calls of an agent happens there. `offered`: only
    tools that the agent offers are called; a model may call others."""

    uses: tuple[ToolUse, ...] = ()
    words: str = ""
    before: Callable[[], None] | None = field(default=None, compare=False)
    offered: bool = True


def using(*uses: ToolUse, before: Callable[[], None] | None = None) -> Turn:
    return Turn(uses, before=before)


def saying(words: str, before: Callable[[], None] | None = None) -> Turn:
    return Turn(words=words, before=before)


LAST = saying("There is nothing left to do.")


@dataclass(frozen=True, slots=True)
class Script:
    """`opening`: the script is for conversations in whose first message these words stand; empty
    for any. A sub-agent has a conversation of its own."""

    turns: tuple[Turn, ...]
    opening: str = ""

    def turn(self, number: int) -> Turn:
        return self.turns[number] if number < len(self.turns) else LAST


def turn_for(scripts: tuple[Script, ...], opening: str, number: int) -> Turn:
    """The script that names its opening goes first."""
    fitting = [one for one in scripts if one.opening in opening]
    best = max(fitting, key=lambda one: bool(one.opening), default=None)
    return LAST if best is None else best.turn(number)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to the model, as far as a script needs it."""

    tools: frozenset[str]
    opening: str  # the first message in the user's place
    answered: int  # how many turns of the model stand in the conversation already
    results: tuple[str, ...]  # what its calls came back with, as it reads them
    instructions: str  # the system prompt
    whole: str  # everything, as text
    model: str = ""
    streamed: bool = False


@dataclass(frozen=True, slots=True)
class Wire:
    """`address` stands in the path of a request. `lines` are the events of a streamed answer."""

    address: str
    read: Callable[[Row, str], ModelRequest]
    answer: Callable[[ModelRequest, Turn], Row]
    lines: Callable[[ModelRequest, Turn], Iterator[str]]


def object_rows(value: object) -> list[Row]:
    rows = value if isinstance(value, list) else []
    return [row for row in rows if isinstance(row, Mapping)]


def plain_text(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (row.get("text") for row in object_rows(content))
    return "\n".join(text for text in texts if isinstance(text, str))


def _text_of(rows: Iterable[Row]) -> str:
    return "\n".join(plain_text(one.get("content")) for one in rows)


def _request(
    body: Row, rows: list[Row], tools: Iterable[object], results: Iterable[str]
) -> ModelRequest:
    """What most formats have in common."""
    first = [one for one in rows if one.get("role") == "user"][:1]
    return ModelRequest(
        tools=frozenset(map(str, tools)),
        opening=_text_of(first),
        answered=sum(one.get("role") == "assistant" for one in rows),
        results=tuple(results),
        instructions=_text_of(one for one in rows if one.get("role") in _ABOVE),
        whole=json.dumps(body, ensure_ascii=False),
        model=str(body.get("model", "")),
        streamed=body.get("stream") is True,
    )


def _tokens(asked: ModelRequest) -> tuple[int, int, int]:
    """Of what was given, of the answer, and of both."""
    given = len(asked.whole) // _LETTERS_PER_TOKEN + 1
    return given, _OUTPUT_TOKENS, given + _OUTPUT_TOKENS


def _lines(rows: Iterable[Row]) -> Iterator[str]:
    for one in rows:
        head = f"event: {one['type']}\n" if "type" in one else ""
        yield f"{head}data: {json.dumps(one)}"


def asked_of_messages(body: Row, _: str = "") -> ModelRequest:
    rows = object_rows(body.get("messages"))
    blocks = [block for one in rows for block in object_rows(one.get("content"))]
    results = [plain_text(one.get("content")) for one in blocks if one.get("type") == "tool_result"]
    tools = (one.get("name", "") for one in object_rows(body.get("tools")))
    found = _request(body, rows, tools, results)
    return replace(found, instructions=plain_text(body.get("system")))


def message(asked: ModelRequest, turn: Turn) -> Row:
    blocks: list[Row] = [
        {"type": "tool_use", "id": f"toolu_{next(_numbers):020}", "name": use.tool}
        | {"input": dict(use.input)}
        for use in turn.uses
    ]
    given, made, _ = _tokens(asked)
    return {
        "id": f"msg_{next(_numbers):08}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": blocks or [{"type": "text", "text": turn.words}],
        "stop_reason": "tool_use" if turn.uses else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": given, "output_tokens": made},
    }


def _message_events(asked: ModelRequest, turn: Turn) -> Iterator[Row]:
    whole = message(asked, turn)
    begun = {**whole, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(object_rows(whole["content"])):
        empty, delta = _start_and_rest(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": whole["usage"]}
    yield {"type": "message_stop"}


def _start_and_rest(block: Row) -> tuple[Row, Row]:
    """A block as it starts, and the one piece in which the rest of it comes."""
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    written = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": written}


def asked_of_chat(body: Row, _: str = "") -> ModelRequest:
    rows = object_rows(body.get("messages"))
    tools = object_rows([one.get("function") for one in object_rows(body.get("tools"))])
    results = [plain_text(one.get("content")) for one in rows if one.get("role") == "tool"]
    return _request(body, rows, (one.get("name", "") for one in tools), results)


def completion(asked: ModelRequest, turn: Turn) -> dict[str, object]:
    calls = [
        {
            "index": at,
            "id": f"call_{next(_numbers):012}",
            "type": "function",
            "function": {"name": use.tool, "arguments": json.dumps(dict(use.input))},
        }
        for at, use in enumerate(turn.uses)
    ]
    said = {"role": "assistant", "content": turn.words or None}
    given, made, both = _tokens(asked)
    return {
        "id": f"chatcmpl-{next(_numbers)}",
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "choices": [
            {
                "index": 0,
                "message": {**said, "tool_calls": calls} if calls else said,
                "finish_reason": "tool_calls" if calls else "stop",
            }
        ],
        "usage": {"prompt_tokens": given, "completion_tokens": made, "total_tokens": both},
    }


def _completion_lines(asked: ModelRequest, turn: Turn) -> Iterator[str]:
    whole = completion(asked, turn)
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    (choice,) = object_rows(whole["choices"])
    said = {"index": 0, "delta": choice["message"], "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    chunks = ({"choices": [said]}, {"choices": [end]}, {"choices": [], "usage": whole["usage"]})
    yield from (f"data: {json.dumps(head | one)}" for one in chunks)
    yield "data: [DONE]"


def asked_of_input(body: Row, _: str = "") -> ModelRequest:
    """In OpenAI's responses several rows may be one turn, and rows before the first are its
    opening."""
    rows = object_rows(body.get("input"))
    first = takewhile(lambda one: not _is_the_models(one), rows)
    results = (_output(one) for one in rows if one.get("type") in _RESULTS)
    found = _request(body, rows, _tools_offered(body), results)
    return replace(
        found,
        opening=_text_of(one for one in first if one.get("role") == "user"),
        answered=sum(own for own, _ in groupby(rows, _is_the_models)),
        instructions=f"{plain_text(body.get('instructions'))}\n{found.instructions}",
    )


def response(asked: ModelRequest, turn: Turn) -> Row:
    body: object = json.loads(asked.whole)
    offered = _tools_offered(body if isinstance(body, dict) else {})
    said = [{"type": "output_text", "text": turn.words, "annotations": []}]
    words = {"type": "message", "id": f"msg_{next(_numbers)}", "role": "assistant", "content": said}
    given, made, both = _tokens(asked)
    return {
        "id": f"resp_{next(_numbers)}",
        "object": "response",
        "model": asked.model,
        "status": "completed",
        "output": [_call(use, offered.get(use.tool, "")) for use in turn.uses] or [words],
        "usage": {"input_tokens": given, "output_tokens": made, "total_tokens": both},
    }


def _response_events(asked: ModelRequest, turn: Turn) -> Iterator[Row]:
    whole = response(asked, turn)
    yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
    for index, item in enumerate(object_rows(whole["output"])):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": whole}


def _is_the_models(row: Row) -> bool:
    return row.get("role") == "assistant" or row.get("type") in _OWN


def _output(row: Row) -> str:
    """Of a call: text, or parts of it, or an object that has it as its content."""
    match row.get("output"):
        case {"content": content}:
            return plain_text(content)
        case found:
            return plain_text(found)


def _tools_offered(body: Row) -> dict[str, str]:
    """Each tool by its name, with `custom` where it takes a text instead of an object, or with the
    name of the group that it belongs to."""
    found: dict[str, str] = {}
    for one in object_rows(body.get("tools")):
        name = str(one.get("name", ""))
        if one.get("type") == "namespace":
            found |= {str(row.get("name")): name for row in object_rows(one.get("tools"))}
        else:
            found[name] = _CUSTOM if one.get("type") == _CUSTOM else ""
    return found


def _call(use: ToolUse, kind: str) -> Row:
    number = next(_numbers)
    named = {"id": f"item_{number}", "call_id": f"call_{number:012}", "name": use.tool}
    if kind == _CUSTOM:
        return {"type": "custom_tool_call", **named, "input": "".join(map(str, use.input.values()))}
    group = {"namespace": kind} if kind else {}
    return {"type": "function_call", **named, **group, "arguments": json.dumps(dict(use.input))}


def asked_of_contents(body: Row, path: str) -> ModelRequest:
    """A request for an answer in a schema of its own is made by the agent for itself: it counts as
    one without tools."""
    given = object_rows(body.get("contents"))
    first = next((one for one in given if one.get("role") == "user"), {})
    parts = [part for one in given for part in object_rows(one.get("parts"))]
    declared = (one.get("functionDeclarations") for one in object_rows(body.get("tools")))
    tools = {str(one.get("name", "")) for rows in declared for one in object_rows(rows)}
    system = body.get("systemInstruction")
    return ModelRequest(
        tools=frozenset() if _wants_a_schema(body) else frozenset(tools),
        opening=plain_text(first.get("parts")),
        answered=sum(one.get("role") == "model" for one in given),
        results=tuple(text for part in parts for text in _contents_results(part)),
        instructions=plain_text(system.get("parts") if isinstance(system, Mapping) else system),
        whole=json.dumps(body, ensure_ascii=False),
        model=path.rpartition("/")[2].partition(":")[0],
        streamed=path.endswith(":streamGenerateContent"),
    )


def generation(asked: ModelRequest, turn: Turn) -> Row:
    calls: list[Row] = [
        {"functionCall": {"id": f"call-{next(_numbers)}", "name": use.tool, "args": use.input}}
        for use in turn.uses
    ]
    content = {"role": "model", "parts": calls or [{"text": turn.words}]}
    given, made, both = _tokens(asked)
    counted = {"promptTokenCount": given, "candidatesTokenCount": made, "totalTokenCount": both}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": counted,
        "modelVersion": asked.model,
    }


def _wants_a_schema(body: Row) -> bool:
    match body.get("generationConfig"):
        case {"responseJsonSchema": found} | {"responseSchema": found}:
            return bool(found)
        case _:
            return False


def _contents_results(part: Row) -> Iterator[str]:
    match part.get("functionResponse"):
        case {"response": {"output": str(text)}} | {"response": {"error": str(text)}}:
            yield text
        case {"response": answer}:
            yield json.dumps(answer, ensure_ascii=False)
        case _:
            pass


WIRES = (
    Wire("/messages", asked_of_messages, message, lambda *one: _lines(_message_events(*one))),
    Wire("enerateContent", asked_of_contents, generation, lambda *one: _lines([generation(*one)])),
    Wire("/responses", asked_of_input, response, lambda *one: _lines(_response_events(*one))),
    Wire("/chat/completions", asked_of_chat, completion, _completion_lines),
)
