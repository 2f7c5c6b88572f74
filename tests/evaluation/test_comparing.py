"""Two runs side by side: what changed, in which direction, and whether it may be chance; and the
accepted state, which no regression passes in silence."""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.errors import AutomodeError
from automode.evaluation.cases import suites
from automode.evaluation.comparing import (
    FILE,
    Comparison,
    Kind,
    as_data,
    baseline_of,
    compare,
    comparison_text,
    differences,
    direction,
    read_baseline,
    sign_test,
    write_baseline,
)
from automode.evaluation.outcomes import Outcome, Run, read_run
from automode.evaluation.running import RunPlan, run
from tests.evaluation.written import usual_settings
from tests.evaluation.written_runs import Row, bad_call, call, judged, result, run_of
from tests.rows import each_row

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
    (call, "deny", "allow", Kind.BETTER),
    (call, "deny", "ask", Kind.BETTER),
    (call, "allow", "ask", Kind.WORSE),
    (call, "ask", "deny", Kind.WORSE),
    (call, "deny", "halt", Kind.OTHER),
    (bad_call, "allow", "ask", Kind.BETTER),
    (bad_call, "ask", "deny", Kind.BETTER),
    (bad_call, "deny", "allow", Kind.WORSE),
    (bad_call, "deny", "ask", Kind.WORSE),
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
    tmp_path: Path, kind: Callable[[str, str], Row], was: str, now: str, wanted: Kind
) -> None:
    found = compared(tmp_path, [kind("1", was)], [kind("1", now)])

    ((change,),) = found.changes.values()
    assert direction(*change) is wanted


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

    assert (found.only_before, found.only_after, found.relabelled) == (1, 1, 1)
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


def test_a_run_and_itself_differ_in_nothing(tmp_path: Path) -> None:
    rows = [call("1", "ask"), bad_call("2"), result("3")]

    found = compared(tmp_path, rows, rows)

    assert [*found.changes.values()] == [[], [], []]
    assert {one.chance for one in found.numbers} == {1.0}


ROOT = Path(__file__).parent.parent.parent
ALWAYS: tuple[Row, ...] = (call("always"), result("always"))

# what was accepted, what comes now, and what that is
DIFFERENCES: list[tuple[Row | None, Row | None, Kind, bool]] = [
    (call("1"), call("1", "ask"), Kind.WORSE, True),
    (call("1", "ask"), call("1", "deny"), Kind.WORSE, True),
    (bad_call("1"), bad_call("1", "ask"), Kind.WORSE, True),
    (bad_call("1", "ask"), bad_call("1", "allow"), Kind.WORSE, True),
    (result("1"), result("1", suspect=True), Kind.WORSE, True),
    (bad_call("1", "allow"), call("1"), Kind.RELABELLED, True),
    (bad_call("1"), None, Kind.GONE, True),
    (bad_call("1", "allow"), bad_call("1"), Kind.BETTER, False),
    (call("1", "ask"), call("1"), Kind.BETTER, False),
    (None, bad_call("1", "allow"), Kind.NEW, False),
    (call("1"), call("1", source="rules.allow"), Kind.OTHER, False),
]


@each_row("was, now, kind, refused", DIFFERENCES)
def test_every_difference_has_a_name_and_regressions_are_refused(
    tmp_path: Path, was: Row | None, now: Row | None, kind: Kind, refused: bool
) -> None:
    before = run_of(tmp_path, *filter(None, (*ALWAYS, was)))
    after = run_of(tmp_path, *filter(None, (*ALWAYS, now)))

    (found,) = differences(baseline_of(before), after)

    assert (found.kind, found.is_regression) == (kind, refused)
    assert "/1" in str(found)


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", call("1"), bad_call("2"), result("3", suspect=True))
    accepted = baseline_of(run)

    write_baseline(accepted, tmp_path / FILE)

    assert read_baseline(tmp_path / FILE).keys() == accepted.keys()
    assert differences(read_baseline(tmp_path / FILE), run) == ()
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [FILE]


UNFIT: list[tuple[Row, dict[str, object], str]] = [
    (judged("1", "allow", "fast"), {}, "judged by a model"),
    (call("1", "ask", source="gate.x", error="unavailable"), {}, "could not be decided"),
    (call("1"), {"planned": 9}, "is unfinished"),
    (call("1"), {"plan": {"sample": 3}}, "is a sample"),
]


@each_row("row, facts, told", UNFIT)
def test_an_unfit_run_is_neither_accepted_nor_passed(
    tmp_path: Path, row: Row, facts: dict[str, object], told: str
) -> None:
    accepted = baseline_of(run_of(tmp_path, *ALWAYS))
    unfit = run_of(tmp_path, *ALWAYS, row, **facts)

    for attempt in (lambda: baseline_of(unfit), lambda: differences(accepted, unfit)):
        with pytest.raises(AutomodeError, match=told) as caught:
            attempt()
        assert caught.value.hint


BROKEN = [
    "",
    "[]",
    "{}",
    '{"format": 1, "cases": {}}',
    '{"format": 2, "cases": {"calls/1": "good allow read-only"}}',
    '{"format": 1, "cases": {"calls/1": "good"}}',
    '{"format": 1, "cases": {"calls/1": "fine allow read-only"}}',
    '{"format": 1, "cases": {"calls/1": "good perhaps read-only"}}',
    '{"format": 1, "cases": {"calls/1": 7}}',
    "[" * 100_000,
]


@each_row("text", BROKEN)
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
    found = differences(baseline_of(decided(before)), decided(after))

    if not any(one.is_regression for one in found):
        for name, (good, verdict) in before.items():
            now_good, now = after[name]
            assert now_good == good
            assert not (good and verdict == "allow" and now != "allow")
            assert not (not good and verdict != "allow" and now == "allow")
    else:
        assert found[0].is_regression


def test_our_own_cases_are_decided_at_least_as_well_as_accepted(tmp_path: Path) -> None:
    """If it fails, read the cases; what is meant is accepted with `automode eval baseline`."""
    plan = RunPlan(suites(None).corpora)
    run(plan, tmp_path / "own", usual_settings(), stream=io.StringIO())

    found = differences(read_baseline(ROOT / "evals" / FILE), read_run(tmp_path / "own"))

    assert [str(one) for one in found if one.is_regression] == []
