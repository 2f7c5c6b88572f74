"""A model behind a server: one request, one answer, every failure a sentence."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from json import JSONDecodeError, dumps, loads

from automode.llm.adapter import Adapter, UnknownShape
from automode.llm.endpoints import Endpoint
from automode.llm.failures import Failures
from automode.llm.known_models import Traits
from automode.llm.model import Ask, ModelError, Prompt, Reply, Trouble
from automode.llm.parcel import Parcel
from automode.llm.wire import Wire

# Every word is at least one token, so a server that counted clearly fewer has cut the prompt.
_TOKENS_PER_WORD_AT_LEAST = 0.8


@dataclass(frozen=True, slots=True)
class HostedModel:
    """A `Model`."""

    endpoint: Endpoint
    model_id: str
    traits: Traits
    adapter: Adapter
    wire: Wire

    @property
    def name(self) -> str:
        return f"{self.endpoint.provider.name}/{self.model_id}"

    @property
    def reasons(self) -> bool:
        return self.traits.reasons

    @property
    def context_tokens(self) -> int:
        return self.traits.context_tokens

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        helper = self.endpoint.helper
        if helper is None:
            return await self._complete(self.endpoint, prompt, ask)
        keyed = replace(self.endpoint, key=await asyncio.to_thread(helper.key), helper=None)
        try:
            return await self._complete(keyed, prompt, ask)
        except ModelError as error:
            if error.trouble is Trouble.BAD_KEY:
                helper.forget()
            raise

    async def _complete(self, endpoint: Endpoint, prompt: Prompt, ask: Ask) -> Reply:
        body = dumps(self.adapter.body(self.model_id, prompt, ask, self.traits), ensure_ascii=False)
        failures = Failures(
            endpoint.provider.title,
            self.model_id,
            endpoint.key or "",
            (prompt.system, prompt.context, prompt.question),
        )
        path = self.adapter.path(self.model_id)
        answer = await self.wire.post(Parcel(endpoint, path, body, ask.timeout_seconds), failures)
        if answer.status != 200:
            raise failures.status(answer.status, answer.headers, answer.body)
        payload = _payload(answer.body, failures)
        if payload.get("error"):
            raise failures.inside(payload, answer.body)
        try:
            reply = self.adapter.reply(payload, ask)
        except UnknownShape as error:
            raise failures.unreadable(str(error)) from None
        if _cut(prompt, reply):
            raise failures.cut(reply.usage.prompt)
        return reply


def _payload(body: bytes, failures: Failures) -> Mapping[str, object]:
    try:
        payload = loads(body)
    except (JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise failures.unreadable("it is not JSON") from None
    if not isinstance(payload, dict):
        raise failures.unreadable("it is not a JSON object")
    return payload


def _cut(prompt: Prompt, reply: Reply) -> bool:
    """Some local servers drop the beginning of a prompt that does not fit, without a word."""
    words = sum(len(part.split()) for part in (prompt.system, prompt.context, prompt.question))
    return 0 < reply.usage.prompt < words * _TOKENS_PER_WORD_AT_LEAST
