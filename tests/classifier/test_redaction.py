"""Secrets by name, by place and by shape; what a judge must read stays."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.redaction import Redactor, find_settings
from tests.rows import each_row, rows, texts

KEY = b"k" * 32
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEabc/+9\n" * 400 + "-----END RSA PRIVATE KEY-----"

HIDDEN = [
    *rows("classifier", "redaction-hidden"),
    (f"cat > k <<E\n{PEM}\nE", "MIIEabc"),
    (PEM[:800], "MIIEabc"),
    (PEM[800:], "MIIEabc"),
]


@each_row("text, secret", HIDDEN)
def test_a_secret_is_replaced(text: str, secret: str) -> None:
    redactor = Redactor(KEY)

    shown = redactor.text(text)

    assert secret not in shown
    assert "[secret:" in shown


NAMES = (
    *("password", "token", "API_TOKEN", "DB_PASSWORD", "DB_PASS", "api_key", "clientSecret"),
    *("db.password", "dbPass", "aws_secret_access_key", "connection-string"),
)
# `N` is the name, `@` the secret.
SHAPES = texts("classifier", "redaction-shapes")
SECRETS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=12)


@given(st.sampled_from(SHAPES), st.sampled_from(NAMES), SECRETS, st.sampled_from(("", "cd x && ")))
def test_whatever_the_secret_and_its_name_no_shape_shows_it(
    shape: str, name: str, secret: str, before: str
) -> None:
    text = before + shape.replace("N", name, 1).replace("@", secret, shape.count("@@") or -1)

    assert secret not in Redactor(KEY).text(text)


@each_row("text", texts("classifier", "redaction-readable"))
def test_what_is_no_secret_stays_readable(text: str) -> None:
    assert Redactor(KEY).text(text) == text


@each_row("row", rows("classifier", "redaction-commands"))
def test_what_a_shell_may_run_stays_readable(row: list[str]) -> None:
    text, *commands = row

    shown = Redactor(KEY).text(text)

    assert [one for one in commands if one not in shown] == []


def test_the_same_secret_has_the_same_placeholder_and_another_another() -> None:
    redactor = Redactor(KEY)
    one = redactor.text("A_TOKEN=first1 B_TOKEN=second2 C_TOKEN=first1")
    shown = [word.partition("=")[2] for word in one.split()]

    assert shown[0] == shown[2] != shown[1]
    assert Redactor(KEY).text("Z_TOKEN=first1") == f"Z_TOKEN={shown[0]}"
    assert Redactor(b"other").text("Z_TOKEN=first1") != f"Z_TOKEN={shown[0]}"


def test_a_tools_input_keeps_its_shape() -> None:
    given = {"url": "https://x", "headers": [{"api_key": "abc123"}], "n": 3, "ok": True, "e": None}

    shown = Redactor(KEY).value(given)

    assert isinstance(shown, dict)
    assert shown["headers"][0]["api_key"].startswith("[secret:key#")
    assert shown | {"headers": 0} == given | {"headers": 0}


def test_switched_off_it_changes_nothing() -> None:
    redactor = Redactor(KEY, enabled=False)

    assert redactor.text("A_TOKEN=first1") == "A_TOKEN=first1"
    assert redactor.value({"password": "x1y2z3"}) == {"password": "x1y2z3"}


@pytest.mark.parametrize(
    "text", ["lftp -u me,swordfish h", "docker login -p a:swordfish -u b:swordfish", "-u a:\\"]
)
def test_a_placeholder_is_not_taken_for_a_secret(text: str) -> None:
    once = Redactor(KEY).text(text)

    assert "[secret:[secret:" not in once
    assert Redactor(KEY).text(once) == once


@each_row("offset", range(1150, 1250, 7))
def test_a_secret_across_a_cut_leaves_nothing_of_itself(offset: int) -> None:
    secret = "ghp_" + "Q7" * 20
    text = "x" * (offset - 500) + " " + secret + " " + "y" * 20_000

    assert "Q7Q7" not in Redactor(KEY).excerpt(text, 1200)


@given(st.text(alphabet="aK=:\"' \n@/-_1.", max_size=80))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = Redactor(KEY).text(text + " A_TOKEN=first1 ghp_" + "Q7" * 20)

    assert Redactor(KEY).text(once) == once


@each_row("piece", texts("classifier", "redaction-hostile"))
def test_a_flood_of_beginnings_is_searched_once(piece: str) -> None:
    """Takes minutes if every beginning is followed to the end."""
    assert Redactor(KEY).text("token " + piece * 30_000)


@each_row("text, expected", rows("classifier", "secret-settings"))
def test_what_is_found_behind_names(text: str, expected: list[str]) -> None:
    assert [text[one.start : one.stop] for one in find_settings(text)] == expected


def test_a_long_value_that_is_none_is_read_once() -> None:
    """Takes minutes if it is read anew behind each name in it."""
    assert list(find_settings("token:" * 170_000)) == []


SECRET = "correcthorsebattery"


@each_row("text", texts("classifier", "fields-with-secrets"))
def test_a_secret_in_a_field_is_replaced(text: str) -> None:
    shown = json.dumps(Redactor(b"k").value(json.loads(text.replace("@", SECRET))))

    assert SECRET not in shown
    assert "[secret:" in shown


@each_row("text", texts("classifier", "fields-without-secrets"))
def test_a_field_without_a_secret_stays(text: str) -> None:
    given = json.loads(text.replace("@", SECRET))

    assert Redactor(b"k").value(given) == given
