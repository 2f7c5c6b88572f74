"""Everything but ntfy: the real Apprise in its own process, and what goes wrong there."""

import asyncio
import json
import sys
from collections.abc import Iterator

import pytest

from automode.agents.scripted.loopback import LOOPBACK, LoopbackHandler, LoopbackServer
from automode.notify import apprise_process, others
from automode.notify.addresses import Other, read_address
from automode.notify.messages import Message
from tests.rows import each_row

MESSAGE = Message("automode asks: Pi in shop", "git push <!channel>\nWhy: nobody asked")


class Receiver(LoopbackServer):
    """What Apprise's `json://` posts to."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.posted: list[dict[str, str]] = []
        self.leads_to = ""

    def address(self, path: str = "hook") -> Other:
        found = read_address(f"json://{LOOPBACK}:{self.server_port}/{path}")
        assert isinstance(found, Other)
        return found


class _Handler(LoopbackHandler):
    server: Receiver

    def do_POST(self) -> None:
        self.server.posted.append(json.loads(self.body()))
        to = self.server.leads_to
        self.send(status=307, location=to) if to else self.send()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as made:
        yield made


async def test_apprise_sends_to_each_address_and_says_what_failed(receiver: Receiver) -> None:
    down = read_address("json://127.0.0.1:9/hidden-path")
    strange = read_address("nothing://hidden")
    assert isinstance(down, Other)
    assert isinstance(strange, Other)

    good, refused, unknown = await others.send((receiver.address(), down, strange), MESSAGE)
    assert good == ""
    assert "Connection" in refused
    assert unknown == "Apprise does not understand this address"
    assert "hidden" not in refused + unknown
    (posted,) = receiver.posted
    assert (posted["title"], posted["message"]) == (MESSAGE.title, MESSAGE.text)


async def test_a_bridge_is_told_the_tokens(receiver: Receiver) -> None:
    tokens = {"once": "am1.once.r.1.2.3", "deny": "am1.deny.r.1.2.3"}
    told = others.with_tokens(receiver.address("hook?x=1"), tokens, "0kq3")

    assert await others.send((told,), MESSAGE) == ("",)
    (posted,) = receiver.posted
    assert {name: posted[name] for name in ("once", "deny", "record")} == {
        **tokens,
        "record": "0kq3",
    }


async def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    with Receiver() as elsewhere:
        receiver.leads_to = f"http://127.0.0.1:{elsewhere.server_port}/"
        (why,) = await others.send((receiver.address(),), MESSAGE)
        assert why
        assert elsewhere.posted == []


CODE = (sys.executable, "-c")


@each_row(
    "code, why",
    [
        ("import sys; sys.exit(3)", "failed (JSONDecodeError)"),
        ("print('garbage')", "failed (JSONDecodeError)"),
        ("print('[]')", "without an answer"),
        ("print('{\"failures\": []}')", "without an answer"),
        ("print('{\"missing\": true}')", "-m pip install apprise"),
        ("import time; time.sleep(600)", "not sent within"),
    ],
)
def test_whatever_the_process_does_is_a_sentence(code: str, why: str) -> None:
    to = read_address("slack://a/b/c")
    assert isinstance(to, Other)
    seconds = 1.0 if "sleep" in code else 60.0
    found = asyncio.run(others.send((to,), MESSAGE, program=(*CODE, code), seconds=seconds))
    assert len(found) == 1
    assert why in found[0]


async def test_a_program_that_is_not_there_is_a_sentence() -> None:
    to = read_address("slack://a/b/c")
    assert isinstance(to, Other)
    (why,) = await others.send((to,), MESSAGE, program=("/nowhere/python",))
    assert why == "Apprise's process failed (FileNotFoundError)"


RAISES = """
import sys
from apprise.plugins import custom_json

def fails(*_, **__):
    raise RuntimeError("json://user:hidden@127.0.0.1")

custom_json.NotifyJSON.send = fails
from automode.notify.apprise_process import main
sys.exit(main())
"""


async def test_a_service_that_raises_is_a_sentence(receiver: Receiver) -> None:
    strange = read_address("nothing://x")
    assert isinstance(strange, Other)
    to = (receiver.address("hidden"), strange)
    raised, unknown = await others.send(to, MESSAGE, program=(*CODE, RAISES))

    assert raised
    assert "hidden" not in raised
    assert unknown == "Apprise does not understand this address"


def test_what_apprise_says_holds_no_part_of_an_address() -> None:
    told = "first\nFailed to reach hooks.example.org/hidden-path?token=hidden2 \x1b[31m\n\n"
    address = "json://hooks.example.org/hidden-path?token=hidden2"
    said = apprise_process.without_secrets(told, address)
    assert said.startswith("Failed to reach")
    assert "hidden" not in said
    assert said.isprintable()
