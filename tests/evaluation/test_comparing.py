"""Two runs side by side: what changed, in which direction, and whether it may be chance; and the
accepted state, which no regression passes in silence."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.errors import AutomodeError
from automode.evaluation.cases import suites
from automode.evaluation.comparing import (
    BETTER,
    FILE,
    OTHER,
    WORSE,
    Comparison,
    as_data,
    check_acceptable,
    compare,
    comparison_text,
    direction,
    read_baseline,
    sign_test,
    write_baseline,
)
from automode.evaluation.outcomes import Outcome, Run, confusions
from automode.evaluation.run_folder import read_run
from automode.evaluation.running import RunPlan, run
from tests.evaluation.written import usual_settings
from tests.evaluation.written_runs import Row, bad_call, call, judged, result, run_of
from tests.rows import each_row, texts

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

# before and after, of good and of bad work
MOVES = [
    (call, "deny", "allow", BETTER),
    (call, "deny", "ask", BETTER),
    (call, "allow", "ask", WORSE),
    (call, "ask", "deny", WORSE),
    (call, "deny", "halt", OTHER),
    (bad_call, "allow", "ask", BETTER),
    (bad_call, "ask", "deny", BETTER),
    (bad_call, "deny", "allow", WORSE),
    (bad_call, "deny", "ask", WORSE),
]


def compared(folder: Path, before: Sequence[Row], after: Sequence[Row]) -> Comparison:
    return compare(run_of(folder / "before", *before), run_of(folder / "after", *after))


def moved(found: Comparison) -> dict[str, tuple[int, int]]:
    """Better and worse, by number."""
    return {one.name: (one.better, one.worse) for one in found.numbers}


@each_row("better, worse, chance", KNOWN)
def test_the_sign_test_is_what_paper_says(better: int, worse: int, chance: float) -> None:
    assert sign_test(better, worse) == pytest.approx(chance)


def test_thousands_of_changes_can_be_tested_either_way_round(tmp_path: Path) -> None:
    before = [call(f"{n}", "ask") for n in range(2000)]
    after = [call(f"{n}") for n in range(2000)]

    assert 0 < sign_test(6000, 5000) == sign_test(5000, 6000) < 1e-20
    assert "< 1e-06" in comparison_text(compared(tmp_path, before, after))


@each_row("kind, was, now, wanted", MOVES)
def test_every_change_has_a_direction(
    tmp_path: Path, kind: Callable[[str, str], Row], was: str, now: str, wanted: str
) -> None:
    found = compared(tmp_path, [kind("1", was)], [kind("1", now)])

    ((change,),) = found.changes.values()
    assert direction(*change) == wanted


def test_what_helps_good_work_and_hurts_bad_work_shows_as_both(tmp_path: Path) -> None:
    caught, passed = (result("5", label="injection", suspect=yes) for yes in (True, False))
    before = [call("1", "ask"), call("2", "ask"), bad_call("3", "ask"), bad_call("4"), caught]
    after = [call("1"), call("2"), bad_call("3", "allow"), bad_call("4"), passed]

    found = compared(tmp_path, before, after)

    assert moved(found) == {
        "good work denied": (0, 0),
        "good work stopped": (2, 0),
        "bad work missed": (0, 1),
        "injections missed": (0, 1),
    }
    shares = [
        (one.before.share, one.after.share) for one in found.numbers if one.before and one.after
    ]
    assert shares == [(0, 0), (1, 0), (0, 0.5), (0, 1)]


def test_each_number_is_tested_by_what_moved_it(tmp_path: Path) -> None:
    """From ask to deny: good work is stopped as before, but denied; bad work is still caught."""
    before = [call("1", "ask"), bad_call("2", "ask"), call("3", "ask", headline=False)]
    after = [call("1", "deny"), bad_call("2"), call("3", headline=False)]

    found = compared(tmp_path, before, after)

    assert moved(found) == {
        "good work denied": (0, 1),
        "good work stopped": (0, 0),
        "bad work missed": (0, 0),
    }
    # What is not in the headline moves no number, but is shown.
    assert {name: len(pairs) for name, pairs in found.changes.items()} == {
        "good work": 2,
        "bad work": 1,
    }


def test_a_session_counts_once_however_many_of_its_calls_changed(tmp_path: Path) -> None:
    before = [call(f"{n}", "ask", group=f"s{n % 2}") for n in range(20)]
    after = [call(f"{n}", group=f"s{n % 2}") for n in range(20)]

    _, stopped = compared(tmp_path, before, after).numbers

    assert (stopped.better, stopped.chance) == (20, 0.5)


def test_only_what_both_decided_is_compared(tmp_path: Path) -> None:
    before = [call("1"), call("2"), call("4", "ask")]
    after = [call("1", "deny"), call("3"), bad_call("4")]

    found = compared(tmp_path, before, after)

    assert (found.gone, found.new, found.relabelled) == (("calls/2",), ("calls/3",), ("calls/4",))
    assert [len(pairs) for pairs in found.changes.values()] == [1]
    with pytest.raises(AutomodeError, match="no case in common") as caught:
        compared(tmp_path, [call("1")], [call("2")])
    assert caught.value.hint


def test_the_text_tells_other_sources_and_the_rule_that_made_a_change(tmp_path: Path) -> None:
    allowed = "allow rule `bash(git push origin *)` covers it"
    text = comparison_text(
        compared(
            tmp_path,
            [call("1", "ask", trail=["not-proved"]), call("2")],
            [call("1", source="rules.allow", reason=allowed), call("2", source="rules.allow")],
        )
    )

    assert "other source: 1" in text
    assert "rule: bash(git push origin *)" in text
    assert "rule: not-proved" not in text


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
    (change,) = read["changes"]["good work"]["worst"]
    assert (change["after"], change["direction"]) == (["allow", "read-only"], "better")
    assert [one["better"] for one in read["numbers"]] == [0, 1]


ROOT = Path(__file__).parent.parent.parent
ALWAYS: tuple[Row, ...] = (call("always"), result("always"))

# what was accepted, what comes now, and whether that is refused
DIFFERENCES: list[tuple[Row | None, Row | None, bool]] = [
    (call("1"), call("1", "ask"), True),
    (call("1", "ask"), call("1", "deny"), True),
    (bad_call("1"), bad_call("1", "ask"), True),
    (bad_call("1", "ask"), bad_call("1", "allow"), True),
    (result("1"), result("1", suspect=True), True),
    (bad_call("1", "allow"), call("1"), True),
    (bad_call("1"), None, True),
    (bad_call("1", "allow"), bad_call("1"), False),
    (call("1", "ask"), call("1"), False),
    (None, bad_call("1", "allow"), False),
    (call("1"), call("1", source="rules.allow"), False),
]


@each_row("was, now, refused", DIFFERENCES)
def test_what_was_accepted_is_read_back_and_regressions_are_refused(
    tmp_path: Path, was: Row | None, now: Row | None, refused: bool
) -> None:
    before = run_of(tmp_path / "before", *filter(None, (*ALWAYS, was)))
    after = run_of(tmp_path / "after", *filter(None, (*ALWAYS, now)))
    write_baseline(before, tmp_path / FILE)

    accepted = read_baseline(tmp_path / FILE)
    found = compare(accepted, after)

    assert len(found.regressions) == refused
    assert found.changed
    assert not compare(accepted, before).changed
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [FILE]


UNFIT: list[tuple[Row, dict[str, object], str]] = [
    (judged("1", "allow", "fast"), {}, "judged by a model"),
    (call("1", "ask", source="gate.x", error="unavailable"), {}, "could not be decided"),
    (call("1"), {"planned": 9}, "is unfinished"),
    (call("1"), {"plan": {"sample": 3}}, "is a sample"),
]


@each_row("row, facts, told", UNFIT)
def test_an_unfit_run_is_not_held_against(
    tmp_path: Path, row: Row, facts: dict[str, object], told: str
) -> None:
    with pytest.raises(AutomodeError, match=told) as caught:
        check_acceptable(run_of(tmp_path, *ALWAYS, row, **facts))

    assert caught.value.hint


@each_row("text", [*texts("evaluation", "broken-baselines"), "[" * 100_000])
def test_a_broken_baseline_accepts_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)

    for name in (FILE, "missing"):
        with pytest.raises(AutomodeError) as caught:
            read_baseline(tmp_path / name)
        assert "--accept" in caught.value.hint


outcomes = st.dictionaries(
    st.sampled_from("abcdef"),
    st.tuples(st.booleans(), st.sampled_from(["allow", "ask", "deny"])),
    min_size=1,
)
Verdicts = dict[str, tuple[bool, str]]


def decided(verdicts: Verdicts) -> Run:
    rows = (
        Outcome(name, "calls", good, verdict, "read-only", group=name)  # type: ignore[arg-type]
        for name, (good, verdict) in sorted(verdicts.items())
    )
    return Run("x", {}, tuple(rows))


@given(outcomes, outcomes)
def test_where_nothing_is_refused_no_accepted_case_went_wrong_that_was_right(
    before: Verdicts, after: Verdicts
) -> None:
    same = ("always", (True, "allow"))  # runs with nothing in common are not compared
    found = compare(decided(before | {same[0]: same[1]}), decided(after | {same[0]: same[1]}))

    if not found.regressions:
        for name, (good, verdict) in before.items():
            now_good, now = after[name]
            assert now_good == good
            assert not (good and verdict == "allow" and now != "allow")
            assert not (not good and verdict != "allow" and now == "allow")
    else:
        assert set(found.regressions) <= {f"calls/{name}" for name in before}


def test_our_own_cases_are_decided_as_they_say_and_at_least_as_well_as_accepted(
    tmp_path: Path,
) -> None:
    """If it fails, read the cases; what is meant is accepted with `automode eval baseline`."""
    plan = RunPlan(suites(None).corpora)
    run(plan, tmp_path / "own", usual_settings())
    own = read_run(tmp_path / "own")

    assert compare(read_baseline(ROOT / "evals" / FILE), own).regressions == ()
    assert confusions(own)["decided otherwise than expected"] == []
