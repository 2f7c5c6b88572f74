"""Two runs side by side: what changed, in which direction, and whether it may be chance."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.errors import AutomodeError
from automode.evaluation.comparing import (
    Comparison,
    Number,
    Side,
    as_data,
    compare,
    comparison_text,
    sign_test,
)
from tests.evaluation.written_runs import Row, bad_call, call, result, run_of

# better, worse, and twice the tail of a fair coin, on paper
KNOWN = [
    (0, 0, 1.0),
    (1, 0, 1.0),
    (5, 0, 2 / 32),
    (6, 0, 2 / 64),
    (8, 2, 2 * 56 / 1024),
    (5, 5, 1.0),
    (0, 10, 2 / 1024),
]

# before and after, of good and of bad work: better, worse or neither
MOVES = [
    (call, "deny", "allow", "better"),
    (call, "deny", "ask", "better"),
    (call, "allow", "ask", "worse"),
    (call, "ask", "deny", "worse"),
    (call, "deny", "halt", "neither"),
    (bad_call, "allow", "ask", "better"),
    (bad_call, "ask", "deny", "better"),
    (bad_call, "deny", "allow", "worse"),
    (bad_call, "deny", "ask", "worse"),
]


def compared(folder: Path, before: Sequence[Row], after: Sequence[Row]) -> Comparison:
    return compare(run_of(folder / "before", *before), run_of(folder / "after", *after))


def only(found: Comparison) -> Side:
    (side,) = found.sides
    return side


@pytest.mark.parametrize(("better", "worse", "chance"), KNOWN)
def test_the_sign_test_is_what_paper_says(better: int, worse: int, chance: float) -> None:
    assert sign_test(better, worse).chance == pytest.approx(chance)


@given(st.integers(0, 300), st.integers(0, 300))
def test_it_makes_no_difference_which_run_is_called_the_first(better: int, worse: int) -> None:
    found = sign_test(better, worse)

    assert 0 < found.chance <= 1
    assert found.chance == sign_test(worse, better).chance


def test_thousands_of_changes_can_be_tested() -> None:
    assert sign_test(6000, 5000).chance < 1e-20


@pytest.mark.parametrize(("kind", "was", "now", "word"), MOVES)
def test_every_change_has_a_direction(
    tmp_path: Path, kind: object, was: str, now: str, word: str
) -> None:
    assert callable(kind)
    found = only(compared(tmp_path, [kind("1", was)], [kind("1", now)]))

    (change,) = found.changes
    assert (change.better, change.worse) == (word == "better", word == "worse")


def number(found: Comparison, name: str) -> Number:
    return next(one for side in found.sides for one in side.numbers if one.name == name)


def test_what_helps_good_work_and_hurts_bad_work_shows_as_both(tmp_path: Path) -> None:
    before = [call("1", "ask"), call("2", "ask"), bad_call("3", "ask"), bad_call("4")]
    after = [call("1"), call("2"), bad_call("3", "allow"), bad_call("4")]

    found = compared(tmp_path, before, after)

    good, bad = number(found, "good work stopped"), number(found, "bad work missed")
    assert (good.rows.better, good.rows.worse) == (2, 0)
    assert (bad.rows.better, bad.rows.worse) == (0, 1)
    assert [rate.share for rate in (good.before, good.after) if rate] == [1, 0]
    assert [rate.share for rate in (bad.before, bad.after) if rate] == [0, 0.5]


def test_each_number_is_tested_by_what_moved_it(tmp_path: Path) -> None:
    """From ask to deny: good work is stopped as before, but denied; bad work is still caught."""
    before = [call("1", "ask"), bad_call("2", "ask")]
    after = [call("1", "deny"), bad_call("2")]

    found = compared(tmp_path, before, after)

    moved = {
        one.name: (one.rows.better, one.rows.worse) for side in found.sides for one in side.numbers
    }
    assert moved == {
        "good work denied": (0, 1),
        "good work stopped": (0, 0),
        "bad work missed": (0, 0),
    }
    assert [len(side.changes) for side in found.sides] == [1, 1]


def test_what_is_not_in_the_headline_moves_no_number_but_is_shown(tmp_path: Path) -> None:
    found = compared(
        tmp_path,
        [call("1", "ask", headline=False), call("2")],
        [call("1", headline=False), call("2")],
    )

    assert number(found, "good work stopped").rows.better == 0
    assert [change.before.id for change in only(found).changes] == ["1"]


def test_a_session_counts_once_however_many_of_its_calls_changed(tmp_path: Path) -> None:
    before = [call(f"{n}", "ask", group=f"s{n % 2}") for n in range(20)]
    after = [call(f"{n}", group=f"s{n % 2}") for n in range(20)]

    found = number(compared(tmp_path, before, after), "good work stopped")

    assert found.rows.chance < 0.001
    assert (found.groups.better, found.groups.worse, found.groups.chance) == (2, 0, 0.5)


def test_only_what_both_decided_is_compared(tmp_path: Path) -> None:
    before = [call("1"), call("2"), call("4", "ask")]
    after = [call("1", "deny"), call("3"), bad_call("4")]

    found = compared(tmp_path, before, after)

    assert (found.only_before, found.only_after, found.relabelled) == (1, 1, ("calls/4",))
    assert only(found).cases == 1


def test_the_same_verdict_by_another_source_is_told(tmp_path: Path) -> None:
    found = compared(tmp_path, [call("1")], [call("1", source="rules.allow")])

    assert (found.other_source, only(found).changes) == (1, ())
    assert "other source: 1" in comparison_text(found)


def test_a_changed_verdict_names_the_rule_that_made_it(tmp_path: Path) -> None:
    allowed = "allow rule `bash(git push origin *)` covers it"
    found = compared(
        tmp_path,
        [call("1", "ask", trail=["not-proved"])],
        [call("1", source="rules.allow", reason=allowed)],
    )

    assert "rule: bash(git push origin *)" in comparison_text(found)
    assert "rule: not-proved" not in comparison_text(found)


def test_runs_without_a_common_case_cannot_be_compared(tmp_path: Path) -> None:
    with pytest.raises(AutomodeError, match="no case in common") as caught:
        compared(tmp_path, [call("1")], [call("2")])

    assert caught.value.hint


def test_results_are_compared_too(tmp_path: Path) -> None:
    before = [result("1", label="injection"), result("2")]
    after = [result("1", label="injection", suspect=True), result("2")]

    found = compared(tmp_path, before, after)

    assert number(found, "injections missed").rows.better == 1
    assert number(found, "false alarms").rows.better == 0


def test_the_worst_changes_are_printed_first(tmp_path: Path) -> None:
    before = [call("a", "deny"), call("b"), call("c"), call("d")]
    after = [call("a"), call("b", "ask"), call("c", "deny", action="rm -rf build"), call("d")]

    text = comparison_text(compared(tmp_path, before, after), most=2)

    lines = [line for line in text.splitlines() if "->" in line]
    assert [line.split()[0] for line in lines] == ["worse", "worse"]
    assert "calls/c" in lines[0]
    assert "rm -rf build" in text
    assert "3 verdicts changed, the first 2" in text


def test_a_comparison_is_data_too(tmp_path: Path) -> None:
    found = as_data(compared(tmp_path, [call("1", "ask")], [call("1")]))

    read = json.loads(json.dumps(found))
    assert read["before"] == "before"
    assert read["sides"][0]["changes"][0]["after"] == ["allow", "read-only"]
    denied, stopped = read["sides"][0]["numbers"]
    assert denied["groups"] == {"better": 0, "worse": 0, "chance": 1.0}
    assert stopped["groups"] == {"better": 1, "worse": 0, "chance": 1.0}
    assert stopped["before"]["share"] == 1


def test_a_run_and_itself_differ_in_nothing(tmp_path: Path) -> None:
    rows = [call("1", "ask"), bad_call("2"), result("3")]

    found = compared(tmp_path, rows, rows)

    assert [side.changes for side in found.sides] == [(), (), ()]
    assert {one.groups.chance for side in found.sides for one in side.numbers} == {1.0}


def test_what_can_hardly_be_chance_is_not_told_as_zero(tmp_path: Path) -> None:
    before = [call(f"{n}", "ask") for n in range(2000)]
    after = [call(f"{n}") for n in range(2000)]

    assert "< 1e-06" in comparison_text(compared(tmp_path, before, after))
