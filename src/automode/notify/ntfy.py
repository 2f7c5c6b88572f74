"""ntfy: publishes a message with buttons, and reads what their presses publish on another topic.

Nothing is followed to another address: the message holds tokens, and the request may hold a login.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import TYPE_CHECKING

from automode.core.errors import AutomodeError
from automode.notify.addresses import Ntfy
from automode.notify.messages import Message

if TYPE_CHECKING:
    # Loaded with the first message: 80 ms, in a thread, so that no decision waits for it.
    import httpx2

SEND_SECONDS = 20.0
SILENT_SECONDS = 150.0
"""A server says that it lives every 45 seconds, unless it is configured otherwise."""
LONGEST_ANSWER = 64 * 1024
LONGEST_LINE = 8 * 1024
_STATUS = {
    401: "the server wants a login (401)",
    403: "the server does not permit this topic (403)",
    404: "the server does not know this address (404)",
    413: "the message is too large for the server (413)",
    429: "the server has had too many messages (429)",
}


class NotSent(AutomodeError):
    """Names neither the address nor what was to be sent."""


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    body: str  # what is published on the reply topic when it is pressed


async def publish(
    to: Ntfy, message: Message, buttons: Sequence[Button] = (), reply_topic: str = ""
) -> None:
    """Raises NotSent."""
    actions = [
        {
            "action": "http",
            "label": button.label,
            "url": f"{to.server}/{reply_topic}",
            "method": "POST",
            "body": button.body,
            "clear": True,
        }
        for button in buttons
    ]
    said = {
        "topic": to.topic,
        "title": message.title,
        "message": message.text,
        "priority": to.priority,
        "actions": actions,
    }
    async with (
        _failures(SEND_SECONDS),
        _client() as client,
        client.stream("POST", f"{to.server}/", headers=_headers(to), json=said) as answer,
    ):
        _check(answer.status_code)
        await _read_out(answer)


@dataclass(frozen=True, slots=True)
class Heard:
    """A line of a topic. Both are empty for what is no message of ntfy's."""

    id: str = ""
    text: str = ""


async def replies(to: Ntfy, topic: str, since_seconds: float) -> AsyncGenerator[Heard | None, None]:
    """What a topic says, the last `since_seconds` first; None for what the server says of itself.
    Raises NotSent when it breaks off."""
    url = f"{to.server}/{topic}/json?since={max(1, round(since_seconds))}s"
    async with (
        _failures(None),
        _client() as client,
        client.stream("GET", url, headers=_headers(to)) as answer,
    ):
        _check(answer.status_code)
        async for line in _lines(answer):
            yield _heard(line)


@asynccontextmanager
async def _failures(seconds: float | None) -> AsyncIterator[None]:
    """Every failure as a sentence. The cause would carry the request into a log."""
    await asyncio.to_thread(_certificates)
    import httpx2

    try:
        async with asyncio.timeout(seconds):
            yield
    except (TimeoutError, httpx2.TimeoutException):
        raise NotSent("the server did not answer in time") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
        known = {"ConnectError": "no connection", "RemoteProtocolError": "the answer broke off"}
        name = type(error).__name__
        raise NotSent(known.get(name, name)) from None


def _check(status: int) -> None:
    if 300 <= status < 400:
        raise NotSent(
            f"the server leads elsewhere ({status}), and automode does not follow",
            "write the address that it leads to",
        )
    if status != 200:
        raise NotSent(_STATUS.get(status, f"the server refused ({status})"))


async def _read_out(answer: "httpx2.Response") -> None:
    read = 0
    async for chunk in answer.aiter_raw():
        read += len(chunk)
        if read > LONGEST_ANSWER:
            raise NotSent("the server's answer is no answer of ntfy's")


async def _lines(answer: "httpx2.Response") -> AsyncIterator[bytes]:
    """Lines without their ends. One that is too long is handed over as an empty one."""
    held, drops = bytearray(), False
    async for chunk in answer.aiter_raw():
        parts = chunk.split(b"\n")
        for at, part in enumerate(parts):
            if not drops:
                held += part
            if len(held) > LONGEST_LINE:
                held.clear()
                drops = True
            if at < len(parts) - 1:
                yield bytes(held)
                held.clear()
                drops = False


_OTHER_EVENTS = ("open", "keepalive", "poll_request")


def _heard(line: bytes) -> Heard | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    match found:
        case {"event": "message", "id": str(name), "message": str(text)}:
            return Heard(name, text)
        case {"event": str(event)} if event in _OTHER_EVENTS:
            return None
        case _:
            return Heard()


def _headers(to: Ntfy) -> dict[str, str]:
    login = {"authorization": to.authorization} if to.authorization else {}
    return {"accept-encoding": "identity", "user-agent": "automode", **login}


def _client() -> "httpx2.AsyncClient":
    import httpx2

    return httpx2.AsyncClient(
        verify=_certificates(),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(SILENT_SECONDS, connect=SEND_SECONDS),
    )


@cache
def _certificates() -> SSLContext:
    import httpx2

    return httpx2.create_ssl_context(trust_env=False)
