"""OpenAI's Responses wire format from the provider's side: what was asked, and how to answer."""

import json
from collections.abc import Iterator, Mapping
from itertools import count, groupby, takewhile

from automode.agents.scripted.model_wire import Asked, object_rows, plain_text, token_counts
from automode.agents.scripted.script import ToolUse, Turn

RESPONDS = "/responses"  # how the address ends
_RESULTS = ("function_call_output", "custom_tool_call_output")
_OWN = ("function_call", "custom_tool_call", "reasoning")
_ABOVE = ("system", "developer")
CUSTOM = "custom"
_numbers = count(1)


def asked_of_input(body: Mapping[str, object]) -> Asked:
    rows = object_rows(body.get("input"))
    above = [one for one in rows if one.get("role") in _ABOVE]
    first = takewhile(lambda one: not _is_the_models(one), rows)
    told = [
        plain_text(body.get("instructions")),
        *(plain_text(one.get("content")) for one in above),
    ]
    return Asked(
        tools=frozenset(_offered(body)),
        opening="\n".join(
            plain_text(one.get("content")) for one in first if one.get("role") == "user"
        ),
        answered=sum(own for own, _ in groupby(rows, _is_the_models)),
        results=tuple(_output(one) for one in rows if one.get("type") in _RESULTS),
        instructions="\n".join(told),
        whole=json.dumps(body, ensure_ascii=False),
        model=str(body.get("model", "")),
        streamed=body.get("stream") is True,
    )


def response(asked: Asked, turn: Turn) -> dict[str, object]:
    """The whole answer."""
    body: object = json.loads(asked.whole)
    offered = _offered(body if isinstance(body, dict) else {})
    calls = [_call(use, offered.get(use.tool, "")) for use in turn.uses]
    given, made = token_counts(asked)
    return {
        "id": f"resp_{next(_numbers)}",
        "object": "response",
        "model": asked.model,
        "status": "completed",
        "output": calls or [_words(turn.words)],
        "usage": {"input_tokens": given, "output_tokens": made, "total_tokens": given + made},
    }


def response_events(asked: Asked, turn: Turn) -> Iterator[Mapping[str, object]]:
    whole = response(asked, turn)
    begun = {**whole, "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": begun}
    for index, item in enumerate(object_rows(whole["output"])):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": whole}


def _is_the_models(row: Mapping[str, object]) -> bool:
    return row.get("role") == "assistant" or row.get("type") in _OWN


def _output(row: Mapping[str, object]) -> str:
    """Of a call: text, or parts of it, or an object that has it as its content."""
    match row.get("output"):
        case {"content": content}:
            return plain_text(content)
        case found:
            return plain_text(found)


def _offered(body: Mapping[str, object]) -> dict[str, str]:
    """Each tool by its name, with `custom` where it takes a text instead of an object, or with the
    name of the group that it belongs to."""
    found: dict[str, str] = {}
    for one in object_rows(body.get("tools")):
        name = str(one.get("name", ""))
        if one.get("type") == "namespace":
            found |= {str(row.get("name")): name for row in object_rows(one.get("tools"))}
        else:
            found[name] = CUSTOM if one.get("type") == CUSTOM else ""
    return found


def _call(use: ToolUse, kind: str) -> dict[str, object]:
    number = next(_numbers)
    named = {"id": f"item_{number}", "call_id": f"call_{number:012}", "name": use.tool}
    if kind == CUSTOM:
        return {"type": "custom_tool_call", **named, "input": "".join(map(str, use.input.values()))}
    group = {"namespace": kind} if kind else {}
    return {"type": "function_call", **named, **group, "arguments": json.dumps(dict(use.input))}


def _words(text: str) -> dict[str, object]:
    said = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": f"msg_{next(_numbers)}", "role": "assistant", "content": said}
