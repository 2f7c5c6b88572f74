"""Two wire formats of model providers, from the provider's side: what was asked, and how to answer.

Anthropic's messages and OpenAI's chat completions, each at once and as a stream of events.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from automode.agents.scripted.script import ToolUse, Turn

_LETTERS_PER_TOKEN = 3  # few enough that nobody takes the request for cut short
_OUTPUT_TOKENS = 5
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to the model, as far as a script needs it."""

    tools: frozenset[str]
    opening: str  # the first message in the user's place
    answered: int  # how many turns of the model stand in the conversation already
    results: tuple[str, ...]  # what its calls came back with, as it reads them
    instructions: str  # the system prompt
    whole: str  # everything, as text
    model: str = ""
    streamed: bool = False


def asked_of_messages(body: Mapping[str, object]) -> Asked:
    return _asked(
        body,
        object_rows(body.get("tools")),
        _results_in_blocks,
        instructions=plain_text(body.get("system")),
    )


def asked_of_chat(body: Mapping[str, object]) -> Asked:
    tools = [one["function"] for one in object_rows(body.get("tools")) if "function" in one]
    own = [one for one in object_rows(body.get("messages")) if one.get("role") in _ABOVE]
    told = "\n".join(plain_text(one.get("content")) for one in own)
    return _asked(body, object_rows(tools), _results_in_rows, instructions=told)


_ABOVE = ("system", "developer")


def _asked(
    body: Mapping[str, object],
    tools: Sequence[Mapping[str, object]],
    results: Callable[[Mapping[str, object]], list[str]],
    *,
    instructions: str,
) -> Asked:
    rows = object_rows(body.get("messages"))
    first = next((one for one in rows if one.get("role") == "user"), {})
    return Asked(
        tools=frozenset(str(one.get("name", "")) for one in tools),
        opening=plain_text(first.get("content")),
        answered=sum(one.get("role") == "assistant" for one in rows),
        results=tuple(text for one in rows for text in results(one)),
        instructions=instructions,
        whole=json.dumps(body, ensure_ascii=False),
        model=str(body.get("model", "")),
        streamed=body.get("stream") is True,
    )


def _results_in_blocks(row: Mapping[str, object]) -> list[str]:
    blocks = object_rows(row.get("content"))
    return [plain_text(one.get("content")) for one in blocks if one.get("type") == "tool_result"]


def _results_in_rows(row: Mapping[str, object]) -> list[str]:
    return [plain_text(row.get("content"))] if row.get("role") == "tool" else []


def object_rows(value: object) -> list[Mapping[str, object]]:
    match value:
        case [*rows]:
            return [row for row in rows if isinstance(row, Mapping)]
        case _:
            return []


def plain_text(content: object) -> str:
    match content:
        case str():
            return content
        case [*_]:
            texts = (row.get("text") for row in object_rows(content))
            return "\n".join(text for text in texts if isinstance(text, str))
        case _:
            return ""


def message(asked: Asked, turn: Turn) -> dict[str, object]:
    """The whole answer in Anthropic's format."""
    blocks = [_block(use) for use in turn.uses] or [{"type": "text", "text": turn.words}]
    return {
        "id": f"msg_{next(_numbers):08}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": blocks,
        "stop_reason": "tool_use" if turn.uses else "end_turn",
        "stop_sequence": None,
        "usage": _usage(asked),
    }


def message_events(asked: Asked, turn: Turn) -> Iterator[tuple[str, Mapping[str, object]]]:
    whole = message(asked, turn)
    begun = {**whole, "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": begun}
    for index, block in enumerate(object_rows(whole["content"])):
        empty, delta = _begun(block)
        start = {"type": "content_block_start", "index": index, "content_block": empty}
        yield "content_block_start", start
        more = {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_delta", more
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": end, "usage": _usage(asked)}
    yield "message_stop", {"type": "message_stop"}


def token_counts(asked: Asked) -> tuple[int, int]:
    """Of what was given, and of the answer."""
    return len(asked.whole) // _LETTERS_PER_TOKEN + 1, _OUTPUT_TOKENS


def _usage(asked: Asked) -> dict[str, int]:
    given, made = token_counts(asked)
    return {"input_tokens": given, "output_tokens": made}


def _chat_usage(asked: Asked) -> dict[str, int]:
    given = _usage(asked)["input_tokens"]
    return {
        "prompt_tokens": given,
        "completion_tokens": _OUTPUT_TOKENS,
        "total_tokens": given + _OUTPUT_TOKENS,
    }


def _block(use: ToolUse) -> dict[str, object]:
    number = next(_numbers)
    return {
        "type": "tool_use",
        "id": f"toolu_{number:020}",
        "name": use.tool,
        "input": dict(use.input),
    }


def _begun(block: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """A block as it starts, and the one piece in which the rest of it comes."""
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    written = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": written}


def completion(asked: Asked, turn: Turn) -> dict[str, object]:
    """The whole answer in OpenAI's chat format."""
    said: dict[str, object] = {"role": "assistant", "content": turn.words or None}
    if turn.uses:
        said["tool_calls"] = [_chat_call(use) for use in turn.uses]
    choice = {"index": 0, "message": said, "finish_reason": _finish(turn)}
    head = _chat_head(asked, "chat.completion")
    return {**head, "choices": [choice], "usage": _chat_usage(asked)}


def completion_chunks(asked: Asked, turn: Turn) -> Iterator[Mapping[str, object]]:
    head = _chat_head(asked, "chat.completion.chunk")
    said: dict[str, object] = {"role": "assistant", "content": turn.words or None}
    if turn.uses:
        calls = [{**_chat_call(use), "index": at} for at, use in enumerate(turn.uses)]
        said["tool_calls"] = calls
    yield {**head, "choices": [{"index": 0, "delta": said, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _finish(turn)}]}
    yield {**head, "choices": [], "usage": _chat_usage(asked)}


def _chat_head(asked: Asked, kind: str) -> dict[str, object]:
    number = next(_numbers)
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 0, "model": asked.model}


def _chat_call(use: ToolUse) -> dict[str, object]:
    called = {"name": use.tool, "arguments": json.dumps(dict(use.input))}
    return {"id": f"call_{next(_numbers):012}", "type": "function", "function": called}


def _finish(turn: Turn) -> str:
    return "tool_calls" if turn.uses else "stop"
