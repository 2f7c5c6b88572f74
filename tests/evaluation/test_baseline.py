"""The accepted state: no regression passes in silence, and our own cases hold it now."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.errors import AutomodeError
from automode.evaluation.baseline import (
    FILE,
    Kind,
    baseline_of,
    differences,
    own_corpora,
    read,
    text_of,
    write,
)
from automode.evaluation.outcomes import Outcome, Run, read_run
from automode.evaluation.running import RunPlan, run
from automode.evaluation.suites import suites
from tests.evaluation.written import usual_settings
from tests.evaluation.written_runs import Row, bad_call, call, judged, result, run_of

ROOT = Path(__file__).parent.parent.parent
OWN = ("calls", "results")
ALWAYS: tuple[Row, ...] = (call("always"), result("always"))

# what was accepted, what comes now, and what that is
MOVES: list[tuple[Row | None, Row | None, Kind, bool]] = [
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
    (call("1"), call("1", source="rules.allow"), Kind.OTHER_SOURCE, False),
]


@pytest.mark.parametrize(("was", "now", "kind", "refused"), MOVES)
def test_every_difference_has_a_name_and_regressions_are_refused(
    tmp_path: Path, was: Row | None, now: Row | None, kind: Kind, refused: bool
) -> None:
    before = run_of(tmp_path, *filter(None, (*ALWAYS, was)))
    after = run_of(tmp_path, *filter(None, (*ALWAYS, now)))

    (found,) = differences(baseline_of(before, OWN), after, OWN)

    assert (found.kind, found.refused) == (kind, refused)
    assert "/1" in str(found)


def test_regressions_come_first(tmp_path: Path) -> None:
    before = run_of(tmp_path, *ALWAYS, call("1", "ask"), call("2"))
    after = run_of(tmp_path, *ALWAYS, call("1"), call("2", "deny"))

    found = differences(baseline_of(before, OWN), after, OWN)

    assert [one.kind for one in found] == [Kind.WORSE, Kind.BETTER]


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    accepted = baseline_of(
        run_of(tmp_path / "run", call("1"), bad_call("2"), result("3", suspect=True)), OWN
    )

    write(accepted, tmp_path / FILE)

    assert read(tmp_path / FILE) == accepted
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [FILE]
    assert json.loads(text_of(accepted))["counts"] == {
        "calls": {"good": 1, "denied": 0, "asked": 0, "bad": 1, "missed": 0},
        "results": {"good": 1, "denied": 1, "asked": 0, "bad": 0, "missed": 0},
    }


UNFIT: dict[str, tuple[Row | None, str]] = {
    "a model's word": (judged("1", "allow", "fast"), "judged by a model"),
    "foreign cases": (call("1", corpus="actions_entire_bash"), "not ours"),
    "a part of our own": (None, "holds no case of `results`"),
    "an outage": (call("1", "ask", source="gate.x", error="unavailable"), "could not be decided"),
}


@pytest.mark.parametrize(("row", "told"), UNFIT.values(), ids=UNFIT.keys())
def test_an_unfit_run_is_neither_accepted_nor_passed(
    tmp_path: Path, row: Row | None, told: str
) -> None:
    accepted = baseline_of(run_of(tmp_path, *ALWAYS), OWN)
    unfit = run_of(tmp_path, *((ALWAYS[0],) if row is None else (*ALWAYS, row)))

    for attempt in (lambda: baseline_of(unfit, OWN), lambda: differences(accepted, unfit, OWN)):
        with pytest.raises(AutomodeError, match=told) as caught:
            attempt()
        assert caught.value.hint


def test_an_unfinished_run_is_not_accepted(tmp_path: Path) -> None:
    corpora = [{"name": "calls", "actions": 2, "results": 0}]

    with pytest.raises(AutomodeError, match="unfinished"):
        baseline_of(run_of(tmp_path, call("1"), plan={"sample": None}, corpora=corpora), ["calls"])


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


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_baseline_accepts_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)

    with pytest.raises(AutomodeError) as caught:
        read(tmp_path / FILE)

    assert "--accept" in caught.value.hint


def test_a_missing_baseline_accepts_nothing(tmp_path: Path) -> None:
    with pytest.raises(AutomodeError, match="cannot be read"):
        read(tmp_path / FILE)


outcomes = st.dictionaries(
    st.sampled_from("abcdef"),
    st.tuples(st.booleans(), st.sampled_from(["allow", "ask", "deny"])),
    min_size=1,
)
Verdicts = dict[str, tuple[bool, str]]


def decided(verdicts: Verdicts) -> Run:
    rows = (
        Outcome(name, "calls", good, verdict, "read-only", group=name)
        for name, (good, verdict) in sorted(verdicts.items())
    )
    return Run("x", {}, tuple(rows))


@given(outcomes, outcomes)
def test_where_nothing_is_refused_no_accepted_case_went_wrong_that_was_right(
    before: Verdicts, after: Verdicts
) -> None:
    own = ("calls",)
    found = differences(baseline_of(decided(before), own), decided(after), own)

    if not any(one.refused for one in found):
        for name, (good, verdict) in before.items():
            now_good, now = after[name]
            assert now_good == good
            assert not (good and verdict == "allow" and now != "allow")
            assert not (not good and verdict != "allow" and now == "allow")
    else:
        assert found[0].refused


def test_our_own_cases_are_decided_at_least_as_well_as_accepted(tmp_path: Path) -> None:
    """If it fails, read the cases; what is meant is accepted with `automode eval baseline`."""
    plan = RunPlan(suites(None).corpora)
    run(plan, tmp_path / "own", usual_settings(), stream=io.StringIO())

    found = differences(read(ROOT / "evals" / FILE), read_run(tmp_path / "own"), own_corpora())

    assert [str(one) for one in found if one.refused] == []
