"""Addresses: what they mean, and that none is shown whole."""

import pytest

from automode.core.errors import BadSettings
from automode.notify.addresses import Ntfy, Other, read_address
from tests.rows import each_row

KEY = bytes(32)


@each_row(
    "text, server, topic, authorization",
    [
        ("ntfys://ntfy.example.org/a-Topic_1", "https://ntfy.example.org", "a-Topic_1", ""),
        ("ntfy://127.0.0.1:8080/t", "http://127.0.0.1:8080", "t", ""),
        ("ntfy://My-Topic", "https://ntfy.sh", "My-Topic", ""),
        ("ntfy://ntfy.sh/t", "https://ntfy.sh", "t", ""),
        ("ntfys://tk_abc@h/t", "https://h", "t", "Bearer tk_abc"),
        ("ntfys://h/t?token=tk_abc", "https://h", "t", "Bearer tk_abc"),
        ("ntfys://me:p%40ss@h/t", "https://h", "t", "Basic bWU6cEBzcw=="),
    ],
)
def test_an_ntfy_address_is_read_as_apprise_reads_it(
    text: str, server: str, topic: str, authorization: str
) -> None:
    found = read_address(text)

    assert isinstance(found, Ntfy)
    assert (found.server, found.topic, found.authorization) == (server, topic, authorization)


@each_row(
    "text",
    [
        "no address",
        "ntfys://secrethost/secrettopic/another",
        "ntfys://secrethost/secret.topic",
        "ntfys://",
        "ntfys://secrethost/secrettopic?verify=no",
        "ntfys://secrethost/secrettopic?priority=loud",
    ],
)
def test_a_bad_address_is_refused_without_being_quoted(text: str) -> None:
    with pytest.raises(BadSettings) as caught:
        read_address(text)
    assert "secret" not in f"{caught.value} {caught.value.hint}".replace("a-secret-topic", "")
    assert caught.value.hint


@each_row(
    "text",
    [
        "ntfys://user:hidden@ntfy.example.org/hidden-topic?token=tk_hidden",
        "ntfy://hidden-topic",
        "slack://hiddenA/hiddenB/hiddenC",
        "tgram://hidden:hidden/123",
        "mailto://me:hidden@example.org",
    ],
)
def test_no_address_is_shown_whole(text: str) -> None:
    assert "hidden" not in read_address(text).shown


def test_two_addresses_of_one_service_are_told_apart() -> None:
    assert read_address("slack://a/b/c").shown != read_address("slack://a/b/d").shown


def test_only_a_json_address_is_a_bridge() -> None:
    found = [read_address(one) for one in ("json://h/x", "jsons://h/x", "slack://a/b/c")]
    assert [isinstance(one, Other) and one.bridge for one in found] == [True, True, False]


def test_the_reply_topic_is_one_of_ntfys_and_changes_with_the_key() -> None:
    found = read_address(f"ntfys://h/{'t' * 64}")
    assert isinstance(found, Ntfy)

    topic = found.reply_topic(KEY)
    assert len(topic) == 64
    assert topic.startswith("t" * 47 + "-")
    assert topic != found.reply_topic(bytes(range(32)))


@each_row(
    "text, encrypted",
    [
        ("ntfys://h/t", True),
        ("ntfy://t", True),
        ("ntfy://127.0.0.1:1/t", True),
        ("ntfy://localhost/t", True),
        ("ntfy://10.0.0.1/t", False),
    ],
)
def test_what_leaves_the_machine_in_the_clear_is_known(text: str, *, encrypted: bool) -> None:
    found = read_address(text)
    assert isinstance(found, Ntfy)
    assert found.encrypted is encrypted
