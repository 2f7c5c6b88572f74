"""Reading the folder of a run: what is there, and what must not be taken for a good outcome."""

import json
from pathlib import Path

import pytest

from automode.core.errors import AutomodeError
from automode.evaluation.outcomes import read_run
from tests.evaluation.written_runs import bad_call, call, folder_of, judged, result, run_of

WRONG = {
    "no verdict": {"verdict": None},
    "a verdict nobody knows": {"verdict": "maybe"},
    "a label nobody knows": {"label": "fine"},
    "no label": {"label": None},
    "a result's label on a call": {"label": "benign"},
    "no source": {"source": ""},
    "a weight of nothing": {"weight": 0},
    "a weight that is no number": {"weight": "2"},
    "a weight past all numbers": {"weight": float("inf")},
    "a headline that is neither": {"headline": "yes"},
    "a time before its start": {"micros": -1},
    "money that is no number": {"usd": "a lot"},
    "a score that is no number": {"score": float("nan")},
    "a truth as a score": {"score": True},
    "a trail that is no list": {"trail": "not-proved"},
    "tokens that are no numbers": {"tokens": {"input": "many"}},
    "an expectation without a source": {"expected": {"verdict": "deny"}},
}


@pytest.mark.parametrize("fields", WRONG.values(), ids=WRONG.keys())
def test_a_row_that_cannot_be_read_is_an_error_that_names_its_line_and_field(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    folder = folder_of(tmp_path, [call("1"), call("2") | fields])

    with pytest.raises(AutomodeError) as caught:
        read_run(folder)

    assert "line 2" in str(caught.value)
    assert next(iter(fields)) in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("line", ["{", "[]", "7", '{"id": 1}', "[" * 100_000])
def test_a_line_that_is_no_row_is_an_error(tmp_path: Path, line: str) -> None:
    folder = folder_of(tmp_path, [call("1")])
    with (folder / "decisions.jsonl").open("a") as lines:
        lines.write(line + "\n")

    with pytest.raises(AutomodeError) as caught:
        read_run(folder)

    assert caught.value.hint


def test_a_result_that_does_not_say_whether_it_is_suspect_is_an_error(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, [result("1") | {"suspect": "no"}])

    with pytest.raises(AutomodeError, match="suspect"):
        read_run(folder)


def test_half_a_line_at_the_end_does_not_count(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, [call("1"), call("2")])
    with (folder / "decisions.jsonl").open("a") as lines:
        lines.write(json.dumps(call("3"))[:-20])

    assert [one.id for one in read_run(folder).outcomes] == ["1", "2"]


@pytest.mark.parametrize("missing", ["run.json", "decisions.jsonl"])
def test_a_folder_without_a_run_is_an_error_with_a_way_out(tmp_path: Path, missing: str) -> None:
    folder = folder_of(tmp_path, [call("1")])
    (folder / missing).unlink()

    with pytest.raises(AutomodeError) as caught:
        read_run(folder)

    assert caught.value.hint


def test_a_run_without_a_decision_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AutomodeError, match="no decision"):
        run_of(tmp_path)


def test_no_case_counts_twice_but_two_corpora_may_use_one_id(tmp_path: Path) -> None:
    run = run_of(tmp_path / "two", call("1"), call("1", corpus="others"))

    assert [one.key for one in run.outcomes] == ["calls/1", "others/1"]
    with pytest.raises(AutomodeError, match="`calls/1` was decided before"):
        run_of(tmp_path / "one", call("1"), call("1", "deny"))


def test_the_order_of_the_file_says_nothing(tmp_path: Path) -> None:
    rows = [call("b"), bad_call("a"), result("c")]

    forth, back = run_of(tmp_path / "x", *rows), run_of(tmp_path / "x", *reversed(rows))

    assert forth == back


def test_calls_and_results_are_told_apart(tmp_path: Path) -> None:
    run = run_of(tmp_path, call("1"), result("2"), result("3", suspect=True, label="injection"))

    assert [one.id for one in run.actions] == ["1"]
    assert [(one.verdict, one.source, one.good) for one in run.results] == [
        ("pass", "probe", True),
        ("warn", "probe.override", False),
    ]


# verdict, source, error: is it decided without a model? by one?
AID = [
    ("allow", "read-only", None, True, False),
    ("deny", "floor.delete-root", None, True, False),
    ("ask", "rules.ask", None, True, False),
    ("ask", "gate.undecided", None, False, False),
    ("ask", "gate.floor-failed", None, False, False),
    ("allow", "classifier.fast", None, False, True),
    ("deny", "classifier.deliberate", None, False, True),
    ("ask", "classifier.fast", "unavailable", False, False),
]


@pytest.mark.parametrize(("verdict", "source", "error", "unaided", "by_model"), AID)
def test_an_outage_and_an_open_end_are_nobodys_decision(
    tmp_path: Path, verdict: str, source: str, error: str | None, unaided: bool, by_model: bool
) -> None:
    (one,) = run_of(tmp_path, call("1", verdict, source=source, error=error)).outcomes

    assert (one.unaided, one.judged) == (unaided, by_model)


def test_a_halt_is_a_denial(tmp_path: Path) -> None:
    (one,) = run_of(tmp_path, call("1", "halt")).outcomes

    assert (one.allowed, one.asked, one.denied) == (False, False, True)


def test_sessions_go_across_corpora_and_a_lone_group_is_none(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("1", group="s1"),
        call("2", group="s2"),
        call("3", corpus="edits", group="s1"),
        call("4", corpus="edits", group="s9"),
        call("5", corpus="lone", group="lone"),
        call("6", corpus="lone", group="lone"),
        call("7"),
    )

    groups = {one.id: one.group for one in run.outcomes}
    assert groups["1"] == groups["3"] == "s1"
    assert len({groups[name] for name in ("5", "6", "7")}) == 3


def test_a_run_knows_whether_cases_are_left(tmp_path: Path) -> None:
    corpora = [{"name": "calls", "actions": 5, "results": 0}]

    sampled = run_of(tmp_path, call("1"), plan={"sample": 1}, corpora=corpora)
    whole = run_of(tmp_path, call("1"), plan={"sample": None}, corpora=corpora)

    assert (sampled.planned, sampled.unfinished) == (1, False)
    assert (whole.planned, whole.unfinished) == (5, True)


def test_a_part_of_a_run_is_by_corpus(tmp_path: Path) -> None:
    run = run_of(tmp_path, call("1"), call("2", corpus="edits"), judged("3", "allow", "fast"))

    assert [one.id for one in run.only(["edits"]).outcomes] == ["2"]
    with pytest.raises(AutomodeError, match="`typo`"):
        run.only(["edits", "typo"])
