"""Tool inputs in which another field, or the argument before it, says that a value is secret."""

import json

from automode.classifier.redaction import Redactor
from tests.rows import each_row

SECRET = "correcthorsebattery"

HIDDEN: tuple[object, ...] = (
    {"name": "DB_PASSWORD", "value": SECRET},
    {"value": SECRET, "Name": "DB_PASS"},
    {"env": [{"key": "API_TOKEN", "value": SECRET}, {"key": "HOME", "value": "/root"}]},
    {"ParameterKey": "DbPassword", "ParameterValue": SECRET},
    {"headers": {"Cookie": f"sid={SECRET}; theme=dark"}},
    {"cookies": [{"name": "sid", "value": SECRET, "domain": "e.com"}]},
    {"cookies": {"sid": SECRET}},
    {"args": ["--token", SECRET, "--port", "80"]},
    {"argv": ["docker", "login", "-u", "me", "-p", SECRET]},
    {"argv": ["mysql", f"-p{SECRET}", "app"]},
    {"argv": ["bash", "-lc", f"cd x; mysql -p{SECRET} app"]},
)


@each_row("given", HIDDEN)
def test_a_secret_is_replaced(given: object) -> None:
    shown = json.dumps(Redactor(b"k").value(given))

    assert SECRET not in shown
    assert "[secret:" in shown


READABLE: tuple[object, ...] = (
    {"name": "HOME", "value": SECRET},
    {"name": "DB_PASSWORD", "valueFrom": SECRET},
    {"name": "DB_PASSWORD", "value": 3},
    {"key": 1, "value": SECRET},
    {"cookie": True},
    {"argv": ["mkdir", "-p", SECRET]},
    {"argv": ["bash", "-lc", "cd x && ls"]},
    [1, None, "", "--token"],
    [],
    {},
)


@each_row("given", READABLE)
def test_what_is_no_secret_stays(given: object) -> None:
    assert Redactor(b"k").value(given) == given
