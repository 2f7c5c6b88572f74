"""Patterns against URLs and JSON."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Delegate, Other, ToolCall
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.rules.input_match import (
    canonical_json,
    input_covered,
    input_match,
    url,
    url_covered,
    url_match,
)
from automode.rules.pattern import Match
from tests.rows import each_row, rows

WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))


@each_row("typed, text", rows("rules", "url-spellings"))
def test_a_url_has_one_spelling(typed: str, text: str) -> None:
    assert url(typed).text == text


@each_row("glob, typed", rows("rules", "other-match-found"))
def test_a_rule_that_tightens_finds_any_reading(glob: str, typed: str) -> None:
    assert url_match(glob, typed) is Match.YES


@each_row("glob, typed", rows("rules", "other-match-not-found"))
def test_other_addresses_are_left_alone(glob: str, typed: str) -> None:
    assert url_match(glob, typed) is Match.NO
    assert not url_covered(glob, typed)


@each_row("glob, typed", [*rows("rules", "url-two-readings"), (None, "file:///etc/passwd")])
def test_an_address_with_two_readings_is_never_covered(glob: str | None, typed: str) -> None:
    assert not url_covered(glob, typed)


def test_an_ordinary_address_is_covered() -> None:
    assert url_covered("domain:example.com", "https://docs.example.com/a?b#c")
    assert url_covered("https://example.com/*", "https://example.com/a")
    assert url_covered(None, "https://example.com")


@given(st.text(), st.text())
def test_reading_urls_never_raises(glob: str, typed: str) -> None:
    assert url_match(glob, typed) in Match
    assert url_covered(glob, typed) in (True, False)


def test_other_inputs_are_matched_as_canonical_json() -> None:
    call = ToolCall("mcp__db__query", Other(), {"sql": "DROP TABLE a", "db": 1})

    assert canonical_json(dict(call.input)) == '{"db":1,"sql":"DROP TABLE a"}'
    assert input_match("*DROP TABLE*", call) is Match.YES
    assert input_match('*"db": 1*', call) is Match.YES
    assert input_match("*DELETE*", call) is Match.NO


def test_a_prompt_is_matched_too() -> None:
    assert input_match("deploy*", ToolCall("Task", Delegate("deploy it"), {"p": 1})) is Match.YES


@pytest.mark.parametrize("value", [{"a": {1, 2}}, {"a": "x" * 1_100_000}])
def test_an_input_that_cannot_be_written_down_could_match(value: dict[str, object]) -> None:
    call = ToolCall("mcp__a__b", Other(), value)

    assert input_match("*x*", call) is Match.COULD
    assert not input_covered(None, call, WORKSPACE, lambda path: False)


def test_an_allowed_tool_does_not_reach_protected_paths() -> None:
    def protected(path: str) -> bool:
        return path.startswith("/w/.git")

    ordinary = ToolCall("mcp__fs__write", Other(), {"path": "src/a", "more": [{"x": "text"}]})
    tricky = ToolCall("mcp__fs__write", Other(), {"to": [{"path": "src/../.git/config"}]})

    assert input_covered(None, ordinary, WORKSPACE, protected)
    assert not input_covered('*"x"*', tricky, WORKSPACE, protected)
    assert not input_covered(None, tricky, WORKSPACE, protected)
