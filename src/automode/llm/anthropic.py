"""Anthropic's Messages format. It has no token probabilities."""

from collections.abc import Mapping

from automode.llm.adapter import UnknownShape
from automode.llm.known_models import Traits
from automode.llm.model import Ask, Prompt, Reply, Usage
from automode.llm.payload import at, count_at, list_at, text_at

# What is marked is re-read by the next request that begins alike, also by the other stage's.
_CACHED = {"type": "ephemeral"}


def path(model_id: str) -> str:
    return "/v1/messages"


def body(model_id: str, prompt: Prompt, ask: Ask, traits: Traits) -> dict[str, object]:
    content = [_block(prompt.context, cached=True), _block(prompt.question, cached=False)]
    written: dict[str, object] = {
        "model": model_id,
        "max_tokens": ask.max_tokens,
        "messages": [{"role": "user", "content": [block for block in content if block["text"]]}],
    }
    if prompt.system:
        written["system"] = [_block(prompt.system, cached=True)]
    if traits.temperature:
        written["temperature"] = 0
    if ask.schema is not None and traits.schema:
        written["output_config"] = {"format": {"type": "json_schema", "schema": dict(ask.schema)}}
    return written


def reply(payload: Mapping[str, object], ask: Ask) -> Reply:
    if not isinstance(at(payload, "content"), list):
        raise UnknownShape("there is no `content`")
    blocks = list_at(payload, "content")
    stop = text_at(payload, "stop_reason") or ""
    return Reply(
        text="".join(
            text_at(block, "text") or "" for block in blocks if at(block, "type") == "text"
        ),
        complete=stop == "end_turn",
        usage=Usage(
            input=count_at(payload, "usage", "input_tokens"),
            output=count_at(payload, "usage", "output_tokens"),
            cache_read=count_at(payload, "usage", "cache_read_input_tokens"),
            cache_write=count_at(payload, "usage", "cache_creation_input_tokens"),
        ),
        stop=stop,
    )


def _block(text: str, *, cached: bool) -> dict[str, object]:
    block: dict[str, object] = {"type": "text", "text": text}
    return block | {"cache_control": _CACHED} if cached else block
