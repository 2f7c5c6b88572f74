"""The wire formats: how a request is written and where a response has its parts. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from json import dumps
from types import MappingProxyType
from urllib.parse import quote

from automode.llm.model import Ask, Prompt, Reply, Usage
from automode.llm.payload import at, chances, count_at, list_at, text_at
from automode.llm.providers import Api, Traits

Body = dict[str, object]


class UnknownShape(Exception):
    """The response is not what the provider documents; `str()` says what is missing."""


@dataclass(frozen=True, slots=True)
class Format:
    """Places in a response are written as `choices.0.message`. `answer` must be in every response,
    except where `refusal` holds text. `tokens`: input, output, read from and written to a cache,
    total; `whole` says that the input counts what was cached too. `alternatives` are the likeliest
    first tokens, with a log probability in their field `chance`."""

    path: str
    body: Callable[[str, Prompt, Ask, Traits], Body]
    answer: str
    text: str
    stop: str
    finished: str
    tokens: tuple[str, str, str, str, str]
    whole: bool = False
    refusal: str = ""
    alternatives: tuple[str, ...] = ()
    chance: str = ""

    def path_of(self, model_id: str) -> str:
        return self.path.replace("{model}", quote(model_id, safe=""))

    def reply(self, payload: Mapping[str, object], ask: Ask) -> Reply:
        """Reads a successful response, or raises UnknownShape."""
        refused = bool(_find(payload, self.refusal))
        if not refused and not isinstance(_find(payload, self.answer), Mapping | list):
            raise UnknownShape(f"there is no `{self.answer}`")
        stop = "refusal" if refused else str(_find(payload, self.stop) or "")
        return Reply(
            text=_text(_find(payload, self.text)),
            complete=stop == self.finished,
            usage=self._usage(payload),
            stop=stop,
            probabilities=self._probabilities(payload, ask.choices),
        )

    def _usage(self, payload: Mapping[str, object]) -> Usage:
        given, output, read, written, total = (
            count_at(_find(payload, place)) for place in self.tokens
        )
        return Usage(
            input=max(0, given - read - written) if self.whole else given,
            # Thinking is left out of the output by some, and counted in the total only.
            output=max(output, total - given),
            cache_read=read,
            cache_write=written,
        )

    def _probabilities(
        self, payload: Mapping[str, object], choices: tuple[str, ...]
    ) -> Mapping[str, float] | None:
        """Spellings of one choice (`1`, ` 1`) add up; one that is not listed was very unlikely."""
        places = [_find(payload, place) for place in self.alternatives]
        found = chances([one for place in places for one in list_at(place) or [place]], self.chance)
        if not choices or not found:
            return None
        return {
            choice: min(1.0, sum(p for spelling, p in found.items() if spelling.strip() == choice))
            for choice in choices
        }


def _find(payload: object, place: str) -> object:
    return at(payload, *(int(one) if one.isdigit() else one for one in place.split(".")))


def _text(content: object) -> str:
    """The text alone, without thoughts, where the answer comes in parts."""
    if isinstance(content, str):
        return content
    return "".join(
        text_at(part, "text") or ""
        for part in list_at(content)
        if at(part, "type") in (None, "text") and not at(part, "thought")
    )


# What is marked is re-read by the next request that begins alike, also by the other stage's.
_CACHED = {"cache_control": {"type": "ephemeral"}}
_CACHE_POINT: Body = {"cachePoint": {"type": "default"}}


def _part(text: str, *, cached: bool = False) -> Body:
    return {"type": "text", "text": text, **(_CACHED if cached else {})}


def _anthropic(model_id: str, prompt: Prompt, ask: Ask, traits: Traits) -> Body:
    content = [_part(prompt.context, cached=True), _part(prompt.question)]
    body: Body = {
        "model": model_id,
        "max_tokens": ask.max_tokens,
        "messages": [{"role": "user", "content": [part for part in content if part["text"]]}],
    }
    if prompt.system:
        body["system"] = [_part(prompt.system, cached=True)]
    if traits.temperature:
        body["temperature"] = 0
    if ask.schema is not None and traits.schema:
        body["output_config"] = {"format": {"type": "json_schema", "schema": dict(ask.schema)}}
    return body


def _openai(model_id: str, prompt: Prompt, ask: Ask, traits: Traits) -> Body:
    system: object = prompt.system
    user: object = "\n\n".join(part for part in (prompt.context, prompt.question) if part)
    if traits.cache_marks:
        system = [_part(prompt.system, cached=True)]
        user = [_part(prompt.context, cached=True), _part(prompt.question)]
    body: Body = {
        "model": model_id,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
        traits.token_limit: ask.max_tokens,
        **traits.thinking,
    }
    if traits.temperature:
        body["temperature"] = 0
    if traits.cache_key:
        # Requests that share a key land where the prefix is already cached.
        body["prompt_cache_key"] = "automode-" + sha256(prompt.system.encode()).hexdigest()[:32]
    if ask.schema is not None and traits.schema:
        described = {"name": "answer", "strict": True, "schema": dict(ask.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": described}
    if ask.choices and traits.probabilities:
        body |= {"logprobs": True, "top_logprobs": 20}  # the most that OpenAI lists
    return body


def _google(_model_id: str, prompt: Prompt, ask: Ask, traits: Traits) -> Body:
    generation: Body = {"maxOutputTokens": ask.max_tokens}
    if traits.temperature:
        generation["temperature"] = 0
    if traits.thinking:
        generation["thinkingConfig"] = dict(traits.thinking)
    if ask.schema is not None and traits.schema:
        generation["responseMimeType"] = "application/json"
        generation["responseJsonSchema"] = dict(ask.schema)
    if ask.choices and traits.probabilities:
        generation |= {"responseLogprobs": True, "logprobs": 5}
    parts = [{"text": text} for text in (prompt.context, prompt.question) if text]
    body: Body = {"contents": [{"role": "user", "parts": parts}], "generationConfig": generation}
    if prompt.system:
        body["systemInstruction"] = {"parts": [{"text": prompt.system}]}
    return body


def _bedrock(_model_id: str, prompt: Prompt, ask: Ask, traits: Traits) -> Body:
    def shared(text: str) -> list[Body]:
        parts: list[Body] = [{"text": text}, *([_CACHE_POINT] if traits.cache_marks else [])]
        return parts if text else []

    limits: Body = {"maxTokens": ask.max_tokens}
    if traits.temperature:
        limits["temperature"] = 0
    content = [*shared(prompt.context), {"text": prompt.question}]
    body: Body = {"messages": [{"role": "user", "content": content}], "inferenceConfig": limits}
    if prompt.system:
        body["system"] = shared(prompt.system)
    if ask.schema is not None and traits.schema:
        described = {"name": "answer", "schema": dumps(dict(ask.schema))}
        shape = {"type": "json_schema", "structure": {"jsonSchema": described}}
        body["outputConfig"] = {"textFormat": shape}
    return body


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        Api.ANTHROPIC: Format(
            "/v1/messages",
            _anthropic,
            answer="content",
            text="content",
            stop="stop_reason",
            finished="end_turn",
            tokens=(
                *("usage.input_tokens", "usage.output_tokens", "usage.cache_read_input_tokens"),
                *("usage.cache_creation_input_tokens", ""),
            ),
        ),
        # Most other servers speak it too.
        Api.OPENAI: Format(
            "/chat/completions",
            _openai,
            answer="choices.0.message",
            text="choices.0.message.content",
            stop="choices.0.finish_reason",
            finished="stop",
            tokens=(
                *("usage.prompt_tokens", "usage.completion_tokens"),
                "usage.prompt_tokens_details.cached_tokens",
                *("usage.prompt_tokens_details.cache_write_tokens", "usage.total_tokens"),
            ),
            whole=True,
            refusal="choices.0.message.refusal",
            alternatives=(
                *("choices.0.logprobs.content.0.top_logprobs", "choices.0.logprobs.content.0"),
            ),
            chance="logprob",
        ),
        # Its prompt cache needs no marks: equal prefixes are found.
        Api.GOOGLE: Format(
            "/v1beta/models/{model}:generateContent",
            _google,
            answer="candidates.0",
            text="candidates.0.content.parts",
            stop="candidates.0.finishReason",
            finished="STOP",
            tokens=(
                *("usageMetadata.promptTokenCount", "usageMetadata.candidatesTokenCount"),
                *("usageMetadata.cachedContentTokenCount", "", "usageMetadata.totalTokenCount"),
            ),
            whole=True,
            refusal="promptFeedback.blockReason",
            alternatives=("candidates.0.logprobsResult.topCandidates.0.candidates",),
            chance="logProbability",
        ),
        # One format for all model families that Bedrock serves.
        Api.BEDROCK: Format(
            "/model/{model}/converse",
            _bedrock,
            answer="output.message.content",
            text="output.message.content",
            stop="stopReason",
            finished="end_turn",
            tokens=(
                *("usage.inputTokens", "usage.outputTokens", "usage.cacheReadInputTokens"),
                *("usage.cacheWriteInputTokens", ""),
            ),
        ),
    }
)
