"""`automode notify`: what is set up, nothing of it whole; a test that shows both ways."""

import json
from collections.abc import Callable, Iterator

import pytest
from click.testing import Result
from conformance.scripted_ntfy import NtfyServer, press_soon

from automode.notify.trial import PRESS
from tests.cli.conftest import words_of

Run = Callable[..., Result]
Write = Callable[[object], None]
TOPIC = "hidden-topic"


@pytest.fixture
def server() -> Iterator[NtfyServer]:
    with NtfyServer() as made:
        yield made


def asks(*addresses: str, **more: object) -> dict[str, object]:
    return {"autoMode": {"asks": {"hold": 300, "notify": addresses, **more}}}


def test_without_an_address_it_says_how_to_name_one(automode: Run) -> None:
    shown, tried = automode("notify"), automode("notify", "--test")

    assert shown.exit_code == 0
    assert "no address is set up: name one in `autoMode.asks.notify`" in words_of(shown.stdout)
    assert tried.exit_code == 1
    assert "nothing was sent" in tried.stderr


def test_what_is_set_up_is_shown_without_secrets(automode: Run, settings: Write) -> None:
    addresses = (
        "ntfys://me:hidden@ntfy.example.org/hidden-topic",
        "ntfy://10.0.0.1/hidden-topic",
        "slack://hiddenA/hiddenB/hiddenC",
        "json://127.0.0.1:1/hidden",
        "hidden",
    )
    settings(asks(*addresses, quietHours="22:00-07:00", webhook=True))
    shown = automode("notify")
    data = json.loads(automode("notify", "--json").stdout)

    assert shown.exit_code == 0
    text = words_of(shown.stdout)
    for words in (
        "ntfy, with buttons",
        "NOT ENCRYPTED",
        "Apprise, without buttons",
        "is told the tokens",
        "300 seconds",
        "22:00-07:00",
        "30 messages an hour",
    ):
        assert words in text
    assert "does not begin like `service://`" in shown.stderr
    assert "hidden" not in shown.output + json.dumps(data)
    assert [len(one["address"]) > 8 for one in data["addresses"]] == [True] * 4
    assert "hidden" not in automode("config").output.replace("(hidden)", "")


def test_nothing_waits_is_a_warning(automode: Run, settings: Write) -> None:
    settings(asks("ntfys://ntfy.example.org/t", hold=0))

    assert "`autoMode.asks.hold` is 0" in automode("notify").stderr


def test_a_test_shows_that_a_press_comes_back(
    automode: Run, settings: Write, server: NtfyServer, a_person: None
) -> None:
    server.on_message = press_soon(PRESS, TOPIC)
    settings(asks(server.address(TOPIC)))
    tried = automode("notify", "--test")

    assert tried.exit_code == 0, tried.output
    assert "sent" in tried.stdout
    assert "the press came back" in tried.stdout
    assert TOPIC not in tried.output


def test_a_test_says_what_failed_for_each_address(
    automode: Run, settings: Write, server: NtfyServer, a_person: None
) -> None:
    server.status = 403
    settings(asks(server.address(TOPIC), "json://127.0.0.1:9/hidden"))
    tried = automode("notify", "--test", "--json")
    ntfy, bridge = json.loads(tried.stdout)["tried"]

    assert tried.exit_code == 1
    assert ntfy["sent"] == "the server does not permit this topic (403)"
    assert "Connection" in bridge["sent"]
    assert "hidden" not in tried.output


def test_a_button_that_nobody_presses_is_not_waited_for_longer(
    automode: Run, settings: Write, server: NtfyServer, a_person: None
) -> None:
    settings(asks(server.address(TOPIC)))
    waited = automode("notify", "--test", "--wait", "1")
    without = automode("notify", "--test", "--wait", "0")

    assert waited.exit_code == 1
    assert "no press came within 1 seconds" in words_of(waited.stdout)
    assert without.exit_code == 0
    assert [len(str(one["actions"])) > 2 for one in server.messages(TOPIC)] == [True, False]
