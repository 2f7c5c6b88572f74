"""Secrets behind names: in values of other names, behind escaped quotes, named by another field."""

from automode.classifier.secret_settings import find_settings
from tests.rows import each_row

FOUND: tuple[tuple[str, list[str]], ...] = (
    ("--env=DB_PASSWORD=hunter2", ["hunter2"]),
    ("https://e.com/?token=first1&api_key=second", ["first1", "second"]),
    ('msg = "password=hunter2"', ["hunter2"]),
    (r'-d "{\"password\":\"hunter2\"}"', ["hunter2"]),
    (r'-d "{\\\"password\\\": \\\"hunter2\\\"}"', ["hunter2"]),
    (r'{"password": "ab\"cd"}', [r"ab\"cd"]),
    (r'{"password": "ab\\", "x": "y"}', [r"ab\\"]),
    (r'password="ends in a \" and no more', ["ends in a " + "\\"]),
    ('password="open', []),
    ("password=b'hunter2'", ["hunter2"]),
    (r'"https://e.com/?token=hunter2\"', ["hunter2"]),
    ("secret:password=correcthorse", ["correcthorse"]),
    ('{"name": "DB_PASSWORD", "value": "hunter"}', ["hunter"]),
    ("- name: DB_PASSWORD\n  value: hunter\n", ["hunter"]),
    ("ParameterKey=DbPassword,ParameterValue=hunter", ["hunter"]),
    ("- name: HOME\n  value: hunter2hunter\n", []),
    ("- name: DB_PASSWORD\n" + " " * 300 + "value: hunter2hunter\n", []),
    ("name: DB_PASSWORD\nother: 1\nvalue: hunter2hunter", []),
    ("Authorization=Bearer [secret:authorization#1234]", []),
    ("--- PASS: TestLogin12 (0.01s)", []),
    ("PASS: 1204 FAIL: 3, PASS=1204", []),
    ("token=$TOKEN", []),
)


@each_row("text, expected", FOUND)
def test_what_is_found(text: str, expected: list[str]) -> None:
    assert [text[one.start : one.stop] for one in find_settings(text)] == expected


def test_a_long_value_that_is_none_is_read_once() -> None:
    """Takes minutes if it is read anew behind each name in it."""
    assert list(find_settings("token:" * 170_000)) == []
