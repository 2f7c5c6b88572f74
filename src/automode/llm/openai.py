"""OpenAI's Chat Completions format, which most other servers speak too."""

from collections.abc import Mapping
from hashlib import sha256

from automode.llm.adapter import UnknownShape
from automode.llm.known_models import Traits
from automode.llm.model import Ask, Prompt, Reply, Usage
from automode.llm.payload import at, count_at, list_at, text_at
from automode.llm.probabilities import of_choices

_ALTERNATIVES = 20  # the most that OpenAI lists


def path(model_id: str) -> str:
    return "/chat/completions"


def body(model_id: str, prompt: Prompt, ask: Ask, traits: Traits) -> dict[str, object]:
    written: dict[str, object] = {
        "model": model_id,
        "messages": _messages(prompt, traits),
        traits.token_limit: ask.max_tokens,
        **traits.thinking,
    }
    if traits.temperature:
        written["temperature"] = 0
    if traits.cache_key:
        # Requests that share a key land where the prefix is already cached.
        written["prompt_cache_key"] = "automode-" + sha256(prompt.system.encode()).hexdigest()[:32]
    if ask.schema is not None and traits.schema:
        described = {"name": "answer", "strict": True, "schema": dict(ask.schema)}
        written["response_format"] = {"type": "json_schema", "json_schema": described}
    if ask.choices and traits.probabilities:
        written |= {"logprobs": True, "top_logprobs": _ALTERNATIVES}
    return written


def reply(payload: Mapping[str, object], ask: Ask) -> Reply:
    choice = at(payload, "choices", 0)
    message = at(choice, "message")
    if not isinstance(message, Mapping):
        raise UnknownShape("there is no `choices[0].message`")
    stop = text_at(choice, "finish_reason") or ""
    refused = bool(text_at(message, "refusal"))
    first = at(choice, "logprobs", "content", 0)
    return Reply(
        text=_text(at(message, "content")),
        complete=stop == "stop" and not refused,
        usage=_usage(payload),
        stop="refusal" if refused else stop,
        probabilities=of_choices(
            ask.choices, [*list_at(first, "top_logprobs"), first], "token", "logprob"
        ),
    )


def _messages(prompt: Prompt, traits: Traits) -> list[dict[str, object]]:
    system: object = prompt.system
    user: object = "\n\n".join(part for part in (prompt.context, prompt.question) if part)
    if traits.cache_marks:
        system = [_marked(prompt.system)]
        user = [_marked(prompt.context), {"type": "text", "text": prompt.question}]
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _marked(text: str) -> dict[str, object]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def _text(content: object) -> str:
    """Some servers answer in parts, of which only the text is the answer."""
    if isinstance(content, str):
        return content
    return "".join(
        text_at(part, "text") or "" for part in list_at(content) if at(part, "type") == "text"
    )


def _usage(payload: Mapping[str, object]) -> Usage:
    prompt = count_at(payload, "usage", "prompt_tokens")
    read = count_at(payload, "usage", "prompt_tokens_details", "cached_tokens")
    write = count_at(payload, "usage", "prompt_tokens_details", "cache_write_tokens")
    # A few servers leave thinking out of `completion_tokens` and count it in the total only.
    total = count_at(payload, "usage", "total_tokens")
    return Usage(
        input=max(0, prompt - read - write),
        output=max(count_at(payload, "usage", "completion_tokens"), total - prompt),
        cache_read=read,
        cache_write=write,
    )
