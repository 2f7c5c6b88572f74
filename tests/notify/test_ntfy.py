"""Publishing and hearing ntfy, on a scripted server and on a real one."""

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from contextlib import aclosing

import pytest
from conformance.scripted_ntfy import NtfyServer, press

from automode.notify.addresses import Ntfy, read_address
from automode.notify.messages import Message
from automode.notify.ntfy import LONGEST_LINE, Button, Heard, NotSent, publish, replies
from tests.notify.conftest import free_port
from tests.rows import each_row

MESSAGE = Message("automode asks: Pi in shop", "git push\nWhy: nobody asked")
BUTTONS = (Button("Allow once", "am1.once"), Button("Deny", "am1.deny"))
KEY = bytes(32)


def ntfy(server: NtfyServer, topic: str = "t") -> Ntfy:
    found = read_address(server.address(topic))
    assert isinstance(found, Ntfy)
    return found


async def heard(to: Ntfy, count: int) -> list[Heard]:
    """The first messages of the reply topic."""
    found: list[Heard] = []
    async with aclosing(replies(to, to.reply_topic(KEY), 60)) as lines:
        async for line in lines:
            if line is not None:
                found.append(line)
            if len(found) == count:
                break
    return found


@pytest.fixture
def server() -> Iterator[NtfyServer]:
    with NtfyServer() as made:
        yield made


async def test_a_pressed_button_comes_back(server: NtfyServer) -> None:
    to = ntfy(server)
    await publish(to, MESSAGE, BUTTONS, to.reply_topic(KEY))
    (message,) = server.wait_for("t")

    await asyncio.to_thread(press, message, "Deny")
    assert message["title"] == MESSAGE.title
    assert message["message"] == MESSAGE.text
    assert [one.text for one in await heard(to, 1)] == ["am1.deny"]


async def test_the_login_goes_to_the_server_and_not_into_a_button(server: NtfyServer) -> None:
    found = read_address(f"ntfy://tk_hidden@127.0.0.1:{server.server_port}/t")
    assert isinstance(found, Ntfy)

    await publish(found, MESSAGE, BUTTONS, "reply")
    _, _, headers = server.requests[0]
    assert headers["authorization"] == "Bearer tk_hidden"
    assert "tk_hidden" not in str(server.messages("t"))


@each_row(
    "wrong, why",
    [
        ({"status": 401}, "wants a login"),
        ({"status": 403}, "does not permit"),
        ({"status": 429}, "too many"),
        ({"status": 500}, "refused \\(500\\)"),
        ({"leads_to": "http://127.0.0.1:1/"}, "leads elsewhere"),
    ],
)
def test_a_server_that_refuses_is_a_sentence(wrong: dict[str, object], why: str) -> None:
    with NtfyServer() as server:
        for name, value in wrong.items():
            setattr(server, name, value)
        with pytest.raises(NotSent, match=why):
            asyncio.run(publish(ntfy(server), MESSAGE))
        with pytest.raises(NotSent, match=why):
            asyncio.run(heard(ntfy(server), 1))


async def test_nothing_follows_a_redirect_to_another_server(server: NtfyServer) -> None:
    with NtfyServer() as elsewhere:
        server.leads_to = f"{elsewhere.url}/"
        with pytest.raises(NotSent):
            await publish(ntfy(server), MESSAGE, BUTTONS, "reply")
        with pytest.raises(NotSent):
            await heard(ntfy(server), 1)
        assert elsewhere.requests == []


async def test_without_a_server_it_is_not_sent() -> None:
    to = read_address(f"ntfy://127.0.0.1:{free_port()}/hidden")
    assert isinstance(to, Ntfy)

    with pytest.raises(NotSent, match="no connection") as caught:
        await publish(to, MESSAGE)
    assert "hidden" not in str(caught.value)


async def test_a_server_that_never_answers_is_left(
    server: NtfyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.silent = True
    monkeypatch.setattr("automode.notify.ntfy.SEND_SECONDS", 0.1)
    with pytest.raises(NotSent, match="in time"):
        await publish(ntfy(server), MESSAGE)


@each_row(
    "noise, garbage",
    [
        (b"not json\n", 1),
        (b"\xff\xfe\x00\n\n", 2),
        (b'{"event":"message","id":7,"message":[]}\n', 1),
        (b"[" * 100_000 + b"\n", 1),
        (b'{"event":"message","id":"a","message":"' + b"x" * LONGEST_LINE + b'"}\n', 1),
        (b'"just text"\n{}\n', 2),
    ],
)
def test_garbage_is_told_apart_from_messages(noise: bytes, garbage: int) -> None:
    with NtfyServer(noise=noise) as server:
        to = ntfy(server)
        server.publish(to.reply_topic(KEY), "after it")
        found = asyncio.run(heard(to, garbage + 1))
    assert found[:-1] == [Heard()] * garbage
    assert found[-1].text == "after it"


def read_topic(to: Ntfy) -> list[dict[str, object]]:
    """What the app on a phone gets."""
    login = {"authorization": to.authorization}
    request = urllib.request.Request(f"{to.server}/{to.topic}/json?poll=1", headers=login)
    with urllib.request.urlopen(request) as answer:
        return [json.loads(line) for line in answer.read().splitlines()]


@pytest.mark.real
async def test_a_real_server_takes_the_message_and_brings_the_press_back(real_server: Ntfy) -> None:
    to, topic = real_server, real_server.reply_topic(KEY)
    await publish(to, MESSAGE, BUTTONS, topic)
    [message] = read_topic(to)

    assert message["message"] == MESSAGE.text
    await asyncio.to_thread(press, message, "Allow once")
    assert [one.text for one in await heard(to, 1)] == ["am1.once"]


@pytest.mark.real
async def test_a_real_server_refuses_a_stranger(real_server: Ntfy) -> None:
    stranger = read_address(real_server.server.replace("http:", "ntfy:") + "/t")
    assert isinstance(stranger, Ntfy)

    with pytest.raises(NotSent, match=r"permit|login"):
        await publish(stranger, MESSAGE)
    with pytest.raises(NotSent, match=r"permit|login"):
        await heard(stranger, 1)
