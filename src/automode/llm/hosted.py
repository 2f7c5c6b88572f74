"""A model behind a server: one request, one answer, every failure a sentence."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from json import JSONDecodeError, dumps, loads
from ssl import SSLContext
from typing import TYPE_CHECKING

from automode.llm.endpoints import Endpoint
from automode.llm.failures import Failures
from automode.llm.formats import FORMATS, UnknownShape
from automode.llm.gguf.child import Children
from automode.llm.model import Ask, ModelError, ModelFault, Prompt, Reply
from automode.llm.program import Programs
from automode.llm.providers import Traits

if TYPE_CHECKING:
    # Loaded with the first request: 80 ms, which a call that no model judges should not pay.
    import httpx2

RESPONSE_BYTES_LIMIT = 4 * 1024 * 1024
# Every word is at least one token, so a server that counted clearly fewer has cut the prompt.
_TOKENS_PER_WORD_AT_LEAST = 0.8


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes


class Wire:
    """Posts requests. With `keep_alive` connections stay open between requests of one event loop,
    and its maker has to close it there. `children` are the processes of model files,
    `programs` those of subscriptions, which live as long."""

    def __init__(
        self,
        *,
        trust_environment: bool = False,
        keep_alive: bool = False,
        programs_below: str | None = None,
    ) -> None:
        self._trust_environment = trust_environment  # its proxies and certificates
        self._keep_alive = keep_alive
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.children = Children(kept=keep_alive)
        self.programs = Programs(kept=keep_alive, below=programs_below)

    async def post(
        self, endpoint: Endpoint, path: str, body: str, seconds: float, failures: Failures
    ) -> Answer:
        """Sends to `endpoint`, with its key, and nowhere else. Bounded in time and size, never
        redirected, over verified TLS."""
        import httpx2

        try:
            async with asyncio.timeout(seconds), self._open_client() as client:
                return await _exchange(client, endpoint, path, body, failures)
        except TimeoutError:
            raise failures.timeout(seconds) from None
        # The cause would carry the request, and with it the key, into a log.
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
            raise failures.unreachable(endpoint.host, _why(error)) from None

    async def close(self) -> None:
        await self.children.close()
        await self.programs.close()
        client, self._client, self._loop = self._client, None, None
        if client is not None:
            await client.aclose()

    @asynccontextmanager
    async def _open_client(self) -> "AsyncIterator[httpx2.AsyncClient]":
        if not self._keep_alive:
            async with _new_client(trust_environment=self._trust_environment) as client:
                yield client
            return
        if self._client is None or self._loop is not asyncio.get_running_loop():
            # Connections of another event loop cannot be used, nor closed, from this one.
            self._client = _new_client(trust_environment=self._trust_environment)
            self._loop = asyncio.get_running_loop()
        yield self._client


def _new_client(*, trust_environment: bool) -> "httpx2.AsyncClient":
    import httpx2

    return httpx2.AsyncClient(
        verify=_certificates(trust_environment=trust_environment),
        trust_env=trust_environment,
        follow_redirects=False,
        timeout=None,  # the exchange as a whole has one
    )


@cache
def _certificates(*, trust_environment: bool) -> SSLContext:
    import httpx2

    return httpx2.create_ssl_context(trust_env=trust_environment)


async def _exchange(
    client: "httpx2.AsyncClient", endpoint: Endpoint, path: str, body: str, failures: Failures
) -> Answer:
    headers = endpoint.headers() | {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",  # what is not compressed cannot be a bomb
        "user-agent": "automode",
    }
    url = endpoint.base_url + path
    async with client.stream("POST", url, headers=headers, content=body.encode()) as got:
        if got.headers.get("content-encoding", "identity") != "identity":
            raise failures.unreadable("it is compressed, which was not asked for")
        read = bytearray()
        async for chunk in got.aiter_raw():
            read += chunk
            if len(read) > RESPONSE_BYTES_LIMIT:
                raise failures.too_large(RESPONSE_BYTES_LIMIT)
        named = {name.lower(): value for name, value in got.headers.items()}
        return Answer(got.status_code, named, bytes(read))


_WHY = {
    "ConnectError": "no connection",
    "RemoteProtocolError": "the answer broke off",
    "ProxyError": "the proxy failed",
}


def _why(error: Exception) -> str:
    name = type(error).__name__
    return _WHY.get(name, name)


@dataclass(frozen=True, slots=True)
class HostedModel:
    """A `Model`."""

    endpoint: Endpoint
    model_id: str
    wire: Wire

    @property
    def name(self) -> str:
        return f"{self.endpoint.provider.name}/{self.model_id}"

    @property
    def traits(self) -> Traits:
        return self.endpoint.provider.traits(self.model_id)

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
            if error.kind is ModelFault.BAD_KEY:
                helper.forget()
            raise

    async def _complete(self, endpoint: Endpoint, prompt: Prompt, ask: Ask) -> Reply:
        wire_format = FORMATS[endpoint.provider.api]
        body = dumps(wire_format.body(self.model_id, prompt, ask, self.traits), ensure_ascii=False)
        title, key = endpoint.provider.title, endpoint.key or ""
        failures = Failures(title, self.model_id, key, prompt.parts)
        path = wire_format.path_of(self.model_id)
        answer = await self.wire.post(endpoint, path, body, ask.timeout_seconds, failures)
        if answer.status != 200:
            raise failures.status(answer.status, answer.headers, answer.body)
        payload = _payload(answer.body, failures)
        if payload.get("error"):
            raise failures.inside(payload, answer.body)
        try:
            reply = wire_format.reply(payload, ask)
        except UnknownShape as error:
            raise failures.unreadable(str(error)) from None
        if _was_cut(prompt, reply):
            raise failures.cut_off(reply.usage.prompt)
        return reply


def _payload(body: bytes, failures: Failures) -> Mapping[str, object]:
    try:
        payload = loads(body)
    except (JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise failures.unreadable("it is not JSON") from None
    if not isinstance(payload, dict):
        raise failures.unreadable("it is not a JSON object")
    return payload


def _was_cut(prompt: Prompt, reply: Reply) -> bool:
    """Some local servers drop the beginning of a prompt that does not fit, without a word."""
    words = sum(len(part.split()) for part in prompt.parts)
    return 0 < reply.usage.prompt < words * _TOKENS_PER_WORD_AT_LEAST
