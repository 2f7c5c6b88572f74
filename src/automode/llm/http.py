"""One POST: bounded in time and size, never redirected, over verified TLS."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from ssl import SSLContext

import httpx2

from automode.llm.failures import Failures
from automode.llm.parcel import Answer, Parcel

RESPONSE_BYTES_LIMIT = 4 * 1024 * 1024


class Http:
    """A `Carrier`."""

    def __init__(self, *, trust_environment: bool, keep_alive: bool) -> None:
        self._trust_environment = trust_environment
        self._keep_alive = keep_alive
        self._kept: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(self, parcel: Parcel, failures: Failures) -> Answer:
        try:
            async with asyncio.timeout(parcel.timeout_seconds), self._client() as client:
                return await _exchange(client, parcel, failures)
        except TimeoutError:
            raise failures.timeout(parcel.timeout_seconds) from None
        # The cause would carry the request, and with it the key, into a log.
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
            raise failures.unreachable(parcel.endpoint.host, _why(error)) from None

    async def close(self) -> None:
        kept, self._kept, self._loop = self._kept, None, None
        if kept is not None:
            await kept.aclose()

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[httpx2.AsyncClient]:
        if not self._keep_alive:
            async with self._new() as client:
                yield client
            return
        if self._kept is None or self._loop is not asyncio.get_running_loop():
            # Connections of another event loop cannot be used, nor closed, from this one.
            self._kept, self._loop = self._new(), asyncio.get_running_loop()
        yield self._kept

    def _new(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            verify=_certificates(trust_environment=self._trust_environment),
            trust_env=self._trust_environment,
            follow_redirects=False,
            timeout=None,  # the exchange as a whole has one
        )


async def _exchange(client: httpx2.AsyncClient, parcel: Parcel, failures: Failures) -> Answer:
    headers = parcel.endpoint.headers() | {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",  # what is not compressed cannot be a bomb
        "user-agent": "automode",
    }
    url = parcel.endpoint.base_url + parcel.path
    async with client.stream("POST", url, headers=headers, content=parcel.body.encode()) as got:
        if got.headers.get("content-encoding", "identity") != "identity":
            raise failures.unreadable("it is compressed, which was not asked for")
        body = bytearray()
        async for chunk in got.aiter_raw():
            body += chunk
            if len(body) > RESPONSE_BYTES_LIMIT:
                raise failures.oversized(RESPONSE_BYTES_LIMIT)
        answered = {name.lower(): value for name, value in got.headers.items()}
        return Answer(got.status_code, answered, bytes(body))


@cache
def _certificates(*, trust_environment: bool) -> SSLContext:
    return httpx2.create_ssl_context(trust_env=trust_environment)


def _why(error: Exception) -> str:
    match error:
        case httpx2.ConnectError():
            return "no connection"
        case httpx2.RemoteProtocolError():
            return "the answer broke off"
        case httpx2.ProxyError():
            return "the proxy failed"
        case _:
            return type(error).__name__
