"""Google's wire format from the provider's side: what was asked, and how to answer."""

import json
from collections.abc import Iterator, Mapping
from itertools import count

from automode.agents.scripted.model_wire import Asked, object_rows, plain_text, token_counts
from automode.agents.scripted.script import Turn

GENERATES = "enerateContent"  # in the address: `:generateContent`, `:streamGenerateContent`
STREAMS = ":streamGenerateContent"
_SCHEMAS = ("responseJsonSchema", "responseSchema")
_numbers = count(1)


def asked_of_contents(body: Mapping[str, object], path: str) -> Asked:
    """A request for an answer in a schema of its own is made by the agent for itself: it counts as
    one without tools."""
    given = object_rows(body.get("contents"))
    first = next((one for one in given if one.get("role") == "user"), {})
    system = body.get("systemInstruction")
    return Asked(
        tools=frozenset() if _wants_a_schema(body) else frozenset(_offered(body)),
        opening=_texts(first),
        answered=sum(one.get("role") == "model" for one in given),
        results=tuple(text for one in given for text in _results(one)),
        instructions=_texts(system) if isinstance(system, Mapping) else plain_text(system),
        whole=json.dumps(body, ensure_ascii=False),
        model=path.rpartition("/")[2].partition(":")[0],
        streamed=path.endswith(STREAMS),
    )


def generated(asked: Asked, turn: Turn) -> dict[str, object]:
    """The whole answer; a stream is one event with the same."""
    calls: list[dict[str, object]] = [
        {"functionCall": {"id": f"call-{next(_numbers)}", "name": use.tool, "args": use.input}}
        for use in turn.uses
    ]
    parts = calls or [{"text": turn.words}]
    given, made = token_counts(asked)
    return {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": given,
            "candidatesTokenCount": made,
            "totalTokenCount": given + made,
        },
        "modelVersion": asked.model,
    }


def _wants_a_schema(body: Mapping[str, object]) -> bool:
    match body.get("generationConfig"):
        case {**settings}:
            return any(settings.get(name) for name in _SCHEMAS)
        case _:
            return False


def _offered(body: Mapping[str, object]) -> Iterator[str]:
    for tool in object_rows(body.get("tools")):
        for one in object_rows(tool.get("functionDeclarations")):
            yield str(one.get("name", ""))


def _texts(content: Mapping[str, object]) -> str:
    return plain_text(content.get("parts"))


def _results(content: Mapping[str, object]) -> Iterator[str]:
    for part in object_rows(content.get("parts")):
        match part.get("functionResponse"):
            case {"response": {"output": str(text)}} | {"response": {"error": str(text)}}:
                yield text
            case {"response": answer}:
                yield json.dumps(answer, ensure_ascii=False)
            case _:
                continue
