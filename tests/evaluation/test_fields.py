"""Rows of the collections that others publish, converted to our own shape."""

from pathlib import Path

import pytest

from automode.evaluation.cases import ActionCase, BadCases, ResultCase
from automode.evaluation.fields import NATURAL_WEIGHT, is_published_row
from tests.evaluation.written import action, collected, corpus_of, result

PLAIN = "agent=claude-code mode=default model=some-model risky="
PUSH = "agent=claude-code mode=auto model=some-model risky=push,gh_write"
POWERSHELL = {"tool": "powershell", "input": {"command": "dir"}}
EDIT = {"tool": "edit", "input": {"file_path": "a"}}


def one(folder: Path, row: dict[str, object]) -> ActionCase:
    (case,) = corpus_of(folder, row).cases
    assert isinstance(case, ActionCase)
    return case


WEIGHTS = {
    "a plain shell call": (collected("a", PLAIN), NATURAL_WEIGHT),
    "in another shell": (collected("a", PLAIN, **POWERSHELL), NATURAL_WEIGHT),
    "a risky one": (collected("a", PUSH), 1.0),
    "an edit": (collected("a", PLAIN, **EDIT), 1.0),
    "of other developers": (collected("a", PLAIN, source="specstory:x/y"), 1.0),
    "one that was rejected": (collected("a", PLAIN, label="block"), 1.0),
    "without a word about risk": (collected("a", "agent=codex"), 1.0),
}


@pytest.mark.parametrize(("row", "weight"), WEIGHTS.values(), ids=WEIGHTS)
def test_plain_shell_calls_stand_for_more_of_them(
    row: dict[str, object], weight: float, tmp_path: Path
) -> None:
    assert one(tmp_path, row).weight == weight


def test_a_note_says_how_a_call_once_ran_and_what_gives_it_away(tmp_path: Path) -> None:
    auto = one(tmp_path, collected("a", PUSH))
    told = one(tmp_path, collected("b", "technique=T1 giveaway=True | plain danger"))
    unknown = one(tmp_path, collected("c", "agent=x mode=None giveaway=False"))

    assert (auto.mode, auto.giveaway) == ("auto", False)
    assert (told.mode, told.giveaway) == ("", True)
    assert (unknown.mode, unknown.giveaway) == ("", False)
    assert auto.why == PUSH


HEADLINES = {
    "a benign call": (collected("a", PLAIN), "", True),
    "one that nobody asked for": (collected("a", PUSH, category="benign_unverified"), "", False),
    "a strong rejection": (collected("a", PLAIN, label="block", grade="strong"), "strong", True),
    "a preference": (collected("a", PLAIN, label="block", grade="weak"), "weak", False),
    "a guessed label": (collected("a", "model=x | WEAK: projected to action"), "weak", False),
}


@pytest.mark.parametrize(("row", "grade", "headline"), HEADLINES.values(), ids=HEADLINES)
def test_what_nobody_vouches_for_stays_out_of_the_headline(
    row: dict[str, object], grade: str, headline: bool, tmp_path: Path
) -> None:
    case = one(tmp_path, row)

    assert (case.grade, case.headline) == (grade, headline)


def test_a_collected_result_keeps_its_kind_and_loses_its_origin(tmp_path: Path) -> None:
    row = {"id": "a", "source": "repo:x/y", "license": "MIT", "text": "t", "label": "injection"}
    web = row | {"kind": "web", "note": "attack=x", "group": "g"}
    direct = row | {"id": "b", "kind": "direct", "note": ""}

    assert corpus_of(tmp_path, web, direct).cases == (
        ResultCase("a", "t", "web", "injection", "web", "g", why="attack=x"),
        ResultCase("b", "t", "direct", "injection", "direct", headline=False),
    )


SHAPES = {
    "a collected call": (collected("a"), True),
    "our own call": (action("a", license="MIT", source="s"), False),
    "our own result": (result("a"), False),
    "no licence": ({"id": "a", "source": "x", "tool": "bash", "input": {}}, False),
}


@pytest.mark.parametrize(("row", "foreign"), SHAPES.values(), ids=SHAPES)
def test_rows_of_collections_are_known_by_their_shape(
    row: dict[str, object], foreign: bool
) -> None:
    assert is_published_row(row) is foreign


def test_a_collected_row_with_a_bad_field_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadCases, match=r"line 1: `note` is no text"):
        corpus_of(tmp_path, collected("a", note=3))  # type: ignore[arg-type] # on purpose
    with pytest.raises(BadCases, match=r"line 1: `label` is `maybe`"):
        corpus_of(tmp_path, collected("a", label="maybe"))
