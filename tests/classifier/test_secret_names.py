"""Names that say their value is a secret, and values that may be one."""

import pytest

from automode.classifier.secret_names import kind, secret_name, secret_value
from tests.rows import each_row

SECRET = (
    *("password", "DB_PASSWORD", "db.password", "api-key", "clientSecret", "X-Api-Key", "AWS_KEY"),
    *("pass", "PASS", "DB_PASS", "smtp-pass", "dbPass", "user.pass", "proxy_pass", "storepass"),
)
HARMLESS = (
    *("compass", "COMPASS", "bypass", "BYPASS", "by_pass", "passed", "PASSED", "passing"),
    *("first_pass", "render-pass", "low_pass", "test_pass", "shouldPass", "must_pass", "pass_rate"),
    *("max_tokens", "key", "primary_key", "tokenizer", "author", ""),
)


@each_row("name", SECRET)
def test_a_name_that_says_so(name: str) -> None:
    assert secret_name(name)


@each_row("name", HARMLESS)
def test_a_name_that_only_looks_so(name: str) -> None:
    assert not secret_name(name)


KINDS = (("DB_PASS", "password"), ("api-key", "key"), ("authToken", "token"), ("X_AUTH", "secret"))


@pytest.mark.parametrize(("name", "expected"), KINDS)
def test_a_placeholder_says_which_kind_it_stands_for(name: str, expected: str) -> None:
    assert kind(name) == expected


VALUES = (
    ("password", "1234", True),
    ("pass", "1234", False),  # how many tests did
    ("pass", "90210902109", True),
    ("pass", "all of them", False),
    ("pass", "hunter2", True),
    ("password", "$PASSWORD", False),
    ("authorization", "Bearer {token}", False),
    ("password", "x[secret:token#1234]", False),
)


@each_row("name, value, expected", VALUES)
def test_what_can_be_a_secret(name: str, value: str, expected: bool) -> None:
    assert secret_value(name, value) is expected
