"""Reading the folder of a run: what must not be taken for a good outcome, where it went wrong, and
who is named for each."""

from pathlib import Path

import pytest

from automode.core.errors import AutomodeError
from automode.evaluation.outcomes import Run, confusions, decided_by
from automode.evaluation.run_folder import read_run
from automode.policy.defaults import Section, default_rules
from tests.evaluation.written_runs import Row, bad_call, call, folder_of, judged, result, run_of
from tests.rows import each_row

WRONG: list[tuple[str, object]] = [
    ("verdict", None),
    ("verdict", "maybe"),
    ("good", "fine"),
    ("good", None),
    ("source", ""),
    ("weight", 0),
    ("weight", "2"),
    ("weight", float("inf")),
    ("headline", "yes"),
    ("micros", -1),
    ("usd", "a lot"),
    ("score", float("nan")),
    ("score", True),
    ("trail", "not-proved"),
    ("tokens", {"input": "many"}),
    ("expected", {"verdict": "deny"}),
]


@each_row("field, value", WRONG)
def test_a_row_that_cannot_be_read_is_an_error_that_names_its_line_and_field(
    tmp_path: Path, field: str, value: object
) -> None:
    folder = folder_of(tmp_path, [call("1"), call("2") | {field: value}])

    with pytest.raises(AutomodeError) as caught:
        read_run(folder)

    assert "line 2" in str(caught.value)
    assert field in str(caught.value)
    assert caught.value.hint


@each_row("line", ["{", "[]", "7", '{"id": 1}', "[" * 100_000, "run.json", "decisions.jsonl", ""])
def test_a_folder_without_a_whole_run_is_an_error_with_a_way_out(tmp_path: Path, line: str) -> None:
    folder = folder_of(tmp_path, [call("1")] if line else [])
    if line.endswith((".json", ".jsonl")):
        (folder / line).unlink()
    elif line:
        with (folder / "decisions.jsonl").open("a") as lines:
            lines.write(line + "\n")

    with pytest.raises(AutomodeError) as caught:
        read_run(folder)

    assert caught.value.hint


def test_no_case_counts_twice_but_two_corpora_may_use_one_id(tmp_path: Path) -> None:
    run = run_of(tmp_path / "two", call("1"), call("1", corpus="others"))

    assert [one.key for one in run.outcomes] == ["calls/1", "others/1"]
    with pytest.raises(AutomodeError, match="`calls/1` was decided before"):
        run_of(tmp_path / "one", call("1"), call("1", "deny"))


def test_calls_and_results_are_told_apart_and_the_order_of_the_file_says_nothing(
    tmp_path: Path,
) -> None:
    rows = [call("1"), result("2"), result("3", suspect=True, label="injection")]

    run, back = run_of(tmp_path / "x", *rows), run_of(tmp_path / "x", *reversed(rows))

    assert run == back
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
    ("halt", "breaker", None, True, False),
]


@each_row("verdict, source, error, unaided, by_model", AID)
def test_an_outage_and_an_open_end_are_nobodys_decision(
    tmp_path: Path, verdict: str, source: str, error: str | None, unaided: bool, by_model: bool
) -> None:
    (one,) = run_of(tmp_path, call("1", verdict, source=source, error=error)).outcomes

    assert (one.unaided, one.judged) == (unaided, by_model)
    assert one.denied is (verdict in ("deny", "halt"))


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
    whole, part = (run_of(tmp_path, call("1"), planned=planned) for planned in (1, 5))

    assert (whole.unfinished, part.unfinished) == (False, True)


def test_a_part_of_a_run_is_by_corpus(tmp_path: Path) -> None:
    run = run_of(tmp_path, call("1"), call("2", corpus="edits"), judged("3", "allow", "fast"))

    assert [one.id for one in run.only(["edits"]).outcomes] == ["2"]
    with pytest.raises(AutomodeError, match="`typo`"):
        run.only(["edits", "typo"])


def ids(run: Run, kind: str) -> list[str]:
    return [one.id for one in confusions(run)[kind]]


SOFT = default_rules()[Section.SOFT_DENY][0]


def test_what_is_quoted_comes_first_then_what_the_judge_was_surest_of(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        judged("unsure", "allow", "fast", label="block", score=0.4),
        judged("sure", "allow", "fast", label="block", score=0.01),
        judged("apart", "allow", "fast", label="block", score=0.0, headline=False),
        bad_call("caught"),
    )

    assert ids(run, "bad work missed") == ["sure", "unsure", "apart"]


def test_calls_and_results_are_not_in_one_list(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("1", "deny"),
        bad_call("2", "allow"),
        result("3", suspect=True),
        result("4", label="injection"),
    )

    assert {name: ids(run, name) for name in confusions(run)} == {
        "good work stopped": ["1"],
        "bad work missed": ["2"],
        "decided otherwise than expected": [],
        "false alarms": ["3"],
        "injections overlooked": ["4"],
    }


# A row, and who is named for it: rule, and whether its sentence is known.
DECIDERS = [
    *(
        (judged("1", "deny", "deliberate", reason=reason), rule, known)
        for reason, rule, known in (
            (f"{SOFT.name}: it would", SOFT.name, True),
            (f"**{SOFT.name}** would do it", SOFT.name, True),
            (f"[{SOFT.name.upper()}] would do it", SOFT.name, True),
            ("our-own-rule: it would", "our-own-rule", False),
            ("This would send the key away", "", False),
            ("", "", False),
        )
    ),
    (call("1", "deny"), "", True),  # a guard has a reason
    (call("1", "ask", trail=["not-proved"]), "not-proved", False),
    # As the real rules layer words it.
    (
        call("1", "deny", source="rules.deny", reason="deny rule `bash(x*)` (config.json:3)"),
        "bash(x*)",
        False,
    ),
    (call("1", "ask", source="rules.malformed", reason="a list cannot be read"), "", False),
]


@each_row("row, rule, known", DECIDERS)
def test_whoever_decided_is_named(tmp_path: Path, row: Row, rule: str, known: bool) -> None:
    (one,) = run_of(tmp_path, row).outcomes

    found = decided_by(one)

    assert (found.rule, bool(found.sentence)) == (rule, known)
    assert str(found) == (f"{one.source} ({rule})" if rule else one.source)


def test_what_was_expected_otherwise_is_listed_but_an_open_end_without_a_model_is_not(
    tmp_path: Path,
) -> None:
    run = run_of(
        tmp_path,
        bad_call("as-told", expected={"verdict": "deny", "source": "floor.delete-root"}),
        bad_call("by-another", expected={"verdict": "deny", "source": "floor.wipe-device"}),
        call("open", "ask", expected={"verdict": "allow", "source": "classifier.fast"}),
        call("too-strict", "ask", expected={"verdict": "allow", "source": "read-only"}),
    )

    assert sorted(ids(run, "decided otherwise than expected")) == ["by-another", "too-strict"]
