"""Google's generateContent format. Its prompt cache needs no marks: equal prefixes are found."""

from collections.abc import Mapping
from urllib.parse import quote

from automode.llm.adapter import UnknownShape
from automode.llm.known_models import Traits
from automode.llm.model import Ask, Prompt, Reply, Usage
from automode.llm.payload import at, count_at, list_at, text_at
from automode.llm.probabilities import of_choices

_ALTERNATIVES = 5


def path(model_id: str) -> str:
    return f"/v1beta/models/{quote(model_id, safe='')}:generateContent"


def body(model_id: str, prompt: Prompt, ask: Ask, traits: Traits) -> dict[str, object]:
    generation: dict[str, object] = {"maxOutputTokens": ask.max_tokens}
    if traits.temperature:
        generation["temperature"] = 0
    if traits.thinking:
        generation["thinkingConfig"] = dict(traits.thinking)
    if ask.schema is not None and traits.schema:
        generation["responseMimeType"] = "application/json"
        generation["responseJsonSchema"] = dict(ask.schema)
    if ask.choices and traits.probabilities:
        generation |= {"responseLogprobs": True, "logprobs": _ALTERNATIVES}
    parts = [{"text": text} for text in (prompt.context, prompt.question) if text]
    written: dict[str, object] = {
        "contents": [{"role": "user", "parts": parts}],
        "generationConfig": generation,
    }
    if prompt.system:
        written["systemInstruction"] = {"parts": [{"text": prompt.system}]}
    return written


def reply(payload: Mapping[str, object], ask: Ask) -> Reply:
    usage = _usage(payload)
    blocked = text_at(payload, "promptFeedback", "blockReason")
    if blocked:
        return Reply("", complete=False, usage=usage, stop=blocked)
    candidate = at(payload, "candidates", 0)
    if not isinstance(candidate, Mapping):
        raise UnknownShape("there is no `candidates[0]`")
    stop = text_at(candidate, "finishReason") or ""
    parts = [part for part in list_at(candidate, "content", "parts") if not at(part, "thought")]
    first = list_at(candidate, "logprobsResult", "topCandidates", 0, "candidates")
    return Reply(
        text="".join(text_at(part, "text") or "" for part in parts),
        complete=stop == "STOP",
        usage=usage,
        stop=stop,
        probabilities=of_choices(ask.choices, first, "token", "logProbability"),
    )


def _usage(payload: Mapping[str, object]) -> Usage:
    read = count_at(payload, "usageMetadata", "cachedContentTokenCount")
    return Usage(
        input=max(0, count_at(payload, "usageMetadata", "promptTokenCount") - read),
        output=count_at(payload, "usageMetadata", "candidatesTokenCount")
        + count_at(payload, "usageMetadata", "thoughtsTokenCount"),
        cache_read=read,
    )
