"""Reading patterns, and which calls they speak of."""

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Other, Read, Shell, ToolCall, Write
from automode.core.errors import BadPattern
from automode.core.tools import tool_call
from automode.rules.pattern import (
    MAX_CHARACTERS,
    STEPS_LIMIT,
    Pattern,
    Rule,
    _automaton,
    _expression,
    could_match,
    matches,
    matches_path,
    parse,
)
from automode.shell.script import HOLE
from tests.rows import each_row, rows

PIECES = st.text(alphabet="ab*?/", max_size=12)
TEXTS = st.text(alphabet="ab/" + HOLE, max_size=12)


@each_row("glob, text, covered", rows("rules", "glob-plain"))
def test_a_star_is_anything_and_a_question_mark_one_character(
    glob: str, text: str, *, covered: bool
) -> None:
    assert matches(glob, text) is covered


@each_row("glob, text, covered", rows("rules", "glob-could"))
def test_a_hole_stands_for_any_text(glob: str, text: str, *, covered: bool) -> None:
    assert could_match(glob, text) is covered


@each_row("glob, path, covered", rows("rules", "glob-paths"))
def test_in_paths_one_star_stays_in_its_folder(glob: str, path: str, *, covered: bool) -> None:
    assert matches_path(glob, path) is covered


@given(PIECES, st.text(alphabet="ab/", max_size=12))
def test_plain_matching_agrees_with_the_standard_library(glob: str, text: str) -> None:
    assert matches(glob, text) is bool(re.fullmatch(fnmatch.translate(glob), text))


@given(PIECES, TEXTS, st.lists(st.text(alphabet="ab/", max_size=3), min_size=12, max_size=12))
def test_what_matches_with_the_holes_filled_in_could_match(
    glob: str, text: str, fillings: list[str]
) -> None:
    filled = text
    for filling in fillings:
        filled = filled.replace(HOLE, filling, 1)

    if matches(glob, text) or matches(glob, filled):
        assert could_match(glob, text)


@given(st.text(), st.text())
def test_matching_never_raises(glob: str, text: str) -> None:
    assert matches(glob, text) in (True, False)
    assert could_match(glob, text) in (True, False)
    assert matches_path(glob, text) in (True, False)


SLOW = ["a*" * 10 + "b", "a*" * 1000 + "b", "*" + "a" * 1000 + "b", "*" + "a" * 1000 + "b*", "*?*b"]


@each_row("glob", SLOW)
def test_patterns_that_invite_backtracking_are_answered(glob: str) -> None:
    """One that tries every way would not end in a lifetime."""
    for length in (40, 900, 5_000, 100_000):
        assert not matches(glob, "a" * length)
        assert matches(glob, "a" * max(length, 1000) + "b")


@given(PIECES, TEXTS)
def test_both_ways_of_matching_agree(glob: str, text: str) -> None:
    by_automaton = _automaton(glob, paths=False).accepts(text, holes=False)
    assert (_expression(glob).match(text) is not None) is by_automaton


def test_past_the_limit_a_rule_that_tightens_counts_as_possible() -> None:
    glob = "x" * 4000
    text = "a" * (STEPS_LIMIT // len(glob) + 1) + HOLE

    assert could_match(glob, text)


UNREADABLE = [
    *("", " ", "()", "bash(", "bash(ls", "bash ls", "bash)ls(", "git push(x)", "bash(a\0)"),
    "bash(" + "x" * MAX_CHARACTERS + ")",
]


@each_row("text, parts", rows("rules", "patterns-read"))
def test_a_pattern_is_a_tool_and_maybe_an_argument(text: str, parts: list[str]) -> None:
    assert parse(Rule(text)) == Pattern(Rule(text), *parts)


@each_row("text", UNREADABLE)
def test_what_is_no_pattern_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(BadPattern) as refused:
        parse(Rule(text))

    assert refused.value.hint


@given(st.text(max_size=50))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tool = parse(Rule(text)).tool
    except BadPattern as refused:
        tool = refused.hint

    assert tool


@each_row(
    "text, call, about, permits",
    [
        ("shell", tool_call("Bash", {"command": "ls"}), True, True),
        ("bash", ToolCall("my_console", Shell("ls")), True, True),
        ("my_console", ToolCall("my_console", Shell("ls")), True, False),
        ("bash", tool_call("PowerShell", {"command": "ls"}), False, False),
        ("edit", tool_call("Write", {"path": "a"}), True, False),
        ("write", tool_call("apply_patch", {"input": "*** Add File: a"}), True, False),
        ("read", tool_call("Grep", {"path": "a"}), True, False),
        ("read", tool_call("Glob", {"path": "a"}), False, False),
        ("read", tool_call("str_replace_editor", {"command": "view", "path": "a"}), True, False),
        ("read", ToolCall("peek", Read(("a",))), True, True),
        ("write", ToolCall("poke", Write(("a",))), True, True),
        ("mcp__x__*", tool_call("mcp:X/Y", {}), True, True),
        ("read", tool_call("mcp__x__read", {}), False, False),
        ("read", ToolCall("read", Other()), True, False),
        ("run_*", tool_call("run_shell_command", {"command": "ls"}), True, False),
        ("*", tool_call("TodoWrite", {}), True, True),
    ],
)
def test_rules_that_tighten_know_every_name_and_rules_that_allow_only_one(
    text: str, call: ToolCall, *, about: bool, permits: bool
) -> None:
    pattern = parse(Rule(text))

    assert (pattern.about(call), pattern.permits(call)) == (about, permits)
