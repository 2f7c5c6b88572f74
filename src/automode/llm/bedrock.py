"""Amazon Bedrock's Converse format, one for all model families it serves."""

from collections.abc import Mapping
from json import dumps
from urllib.parse import quote

from automode.llm.adapter import UnknownShape
from automode.llm.known_models import Traits
from automode.llm.model import Ask, Prompt, Reply, Usage
from automode.llm.payload import at, count_at, list_at, text_at

_CACHED: dict[str, object] = {"cachePoint": {"type": "default"}}


def path(model_id: str) -> str:
    return f"/model/{quote(model_id, safe='')}/converse"


def body(model_id: str, prompt: Prompt, ask: Ask, traits: Traits) -> dict[str, object]:
    limits: dict[str, object] = {"maxTokens": ask.max_tokens}
    if traits.temperature:
        limits["temperature"] = 0
    content = [*_shared(prompt.context, traits), {"text": prompt.question}]
    written: dict[str, object] = {
        "messages": [{"role": "user", "content": content}],
        "inferenceConfig": limits,
    }
    if prompt.system:
        written["system"] = _shared(prompt.system, traits)
    if ask.schema is not None and traits.schema:
        described = {"name": "answer", "schema": dumps(dict(ask.schema))}
        shape = {"type": "json_schema", "structure": {"jsonSchema": described}}
        written["outputConfig"] = {"textFormat": shape}
    return written


def reply(payload: Mapping[str, object], ask: Ask) -> Reply:
    blocks = at(payload, "output", "message", "content")
    if not isinstance(blocks, list):
        raise UnknownShape("there is no `output.message.content`")
    stop = text_at(payload, "stopReason") or ""
    return Reply(
        text="".join(text_at(block, "text") or "" for block in list_at(blocks)),
        complete=stop == "end_turn",
        usage=Usage(
            input=count_at(payload, "usage", "inputTokens"),
            output=count_at(payload, "usage", "outputTokens"),
            cache_read=count_at(payload, "usage", "cacheReadInputTokens"),
            cache_write=count_at(payload, "usage", "cacheWriteInputTokens"),
        ),
        stop=stop,
    )


def _shared(text: str, traits: Traits) -> list[dict[str, object]]:
    if not text:
        return []
    return [{"text": text}, _CACHED] if traits.cache_marks else [{"text": text}]
