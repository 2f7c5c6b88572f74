"""Wildcards: what they cover, and that no input makes them work long."""

import fnmatch
import re
import time

from hypothesis import given
from hypothesis import strategies as st

from automode.rules.pattern import (
    STEPS_LIMIT,
    _automaton,
    _expression,
    could_match,
    matches,
    matches_path,
)
from automode.shell.script import HOLE
from tests.rows import each_row, rows

PLAIN = rows("rules", "glob-plain")

COULD = rows("rules", "glob-could")

PATHS = rows("rules", "glob-paths")

PIECES = st.text(alphabet="ab*?/", max_size=12)
TEXTS = st.text(alphabet="ab/" + HOLE, max_size=12)


@each_row("glob, text, covered", PLAIN)
def test_a_star_is_anything_and_a_question_mark_one_character(
    glob: str, text: str, *, covered: bool
) -> None:
    assert matches(glob, text) is covered


@each_row("glob, text, covered", COULD)
def test_a_hole_stands_for_any_text(glob: str, text: str, *, covered: bool) -> None:
    assert could_match(glob, text) is covered


@each_row("glob, path, covered", PATHS)
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
def test_no_pattern_and_no_text_take_long(glob: str) -> None:
    begun = time.process_time()

    for length in (40, 900, 5_000, 100_000):
        assert not matches(glob, "a" * length)
        assert matches(glob, "a" * max(length, 1000) + "b")

    assert time.process_time() - begun < 3


@given(PIECES, TEXTS)
def test_both_ways_of_matching_agree(glob: str, text: str) -> None:
    by_automaton = _automaton(glob, paths=False).accepts(text, holes=False)
    assert (_expression(glob).match(text) is not None) is by_automaton


def test_past_the_limit_a_rule_that_tightens_counts_as_possible() -> None:
    glob = "x" * 4000
    text = "a" * (STEPS_LIMIT // len(glob) + 1) + HOLE

    assert could_match(glob, text)
