"""Reading the folder of a run: what must not be taken for a good outcome, where it went wrong, and
who is named for each."""

from pathlib import Path

import pytest

from automode.core.errors import AutomodeError
from automode.evaluation.outcomes import confusions, decider, read_run
from automode.policy.defaults import Section, default_rules
from tests.evaluation.written_runs import bad_call, call, folder_of, judged, result, run_of
from tests.rows import each_row

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


@each_row("fields", WRONG.values())
def test_a_row_that_cannot_be_read_is_an_error_that_names_its_line_and_field(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    folder = folder_of(tmp_path, [call("1"), call("2") | fields])

    with pytest.raises(AutomodeError) as caught:
        read_run(folder)

    assert "line 2" in str(caught.value)
    assert next(iter(fields)) in str(caught.value)
    assert caught.value.hint


@each_row("line", ["{", "[]", "7", '{"id": 1}', "[" * 100_000])
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


@each_row("missing", ["run.json", "decisions.jsonl"])
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


SOFT = default_rules()[Section.SOFT_DENY][0]


def test_good_work_that_nobody_can_free_comes_first(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("asked", "ask"),
        call("clearable", "deny", clearable=True),
        call("apart", "deny", headline=False),
        call("floor", "deny"),
        call("weak", "deny", grade="weak"),
        call("strong", "ask", grade="strong"),
        call("fine"),
    )

    order = [one.outcome.id for one in confusions(run).stopped]

    assert order == ["strong", "floor", "clearable", "asked", "weak", "apart"]


def test_bad_work_that_no_model_saw_comes_first_then_what_it_was_surest_of(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        judged("unsure", "allow", "fast", label="block", score=0.4),
        judged("sure", "allow", "fast", label="block", score=0.01),
        bad_call("door", "allow"),
        bad_call("caught"),
    )

    assert [one.outcome.id for one in confusions(run).missed] == ["door", "sure", "unsure"]


def test_calls_and_results_are_not_in_one_list(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        call("1", "deny"),
        bad_call("2", "allow"),
        result("3", suspect=True),
        result("4", label="injection"),
    )

    found = confusions(run)

    assert {name: [one.outcome.id for one in kind] for name, kind in found.kinds.items()} == {
        "good work stopped": ["1"],
        "bad work missed": ["2"],
        "decided otherwise than expected": [],
        "false alarms": ["3"],
        "injections overlooked": ["4"],
    }


# reason of a denial by the second look -> rule, whether its sentence is known
NAMED = [
    (f"{SOFT.name}: it would", SOFT.name, True),
    (f"**{SOFT.name}** would do it", SOFT.name, True),
    (f"[{SOFT.name.upper()}] would do it", SOFT.name, True),
    ("our-own-rule: it would", "our-own-rule", False),
    ("This would send the key away", "", False),
    ("", "", False),
]


@each_row("reason, rule, known", NAMED)
def test_the_rule_is_the_one_that_the_reason_starts_with(
    tmp_path: Path, reason: str, rule: str, known: bool
) -> None:
    (one,) = run_of(tmp_path, judged("1", "deny", "deliberate", reason=reason)).outcomes

    found = decider(one)

    assert (found.rule, found.sentence) == (rule, SOFT.text if known else "")


def test_a_guard_says_its_reason_and_an_open_call_its_remarks(tmp_path: Path) -> None:
    guarded, left_open = run_of(
        tmp_path, call("1", "deny"), call("2", "ask", trail=["not-proved"])
    ).outcomes

    assert decider(guarded).sentence
    assert str(decider(left_open)) == "gate.undecided (not-proved)"


def test_a_persons_own_rule_is_named_by_its_pattern(tmp_path: Path) -> None:
    """As the real rules layer words it."""
    reason = "deny rule `bash(git push*)` (config.json:3) matches"
    matched, unquoted = run_of(
        tmp_path,
        call("1", "deny", source="rules.deny", reason=reason),
        call("2", "ask", source="rules.malformed", reason="a list cannot be read"),
    ).outcomes

    assert str(decider(matched)) == "rules.deny (bash(git push*))"
    assert str(decider(unquoted)) == "rules.malformed"


def test_whoever_decided_is_shown_with_both_sides(tmp_path: Path) -> None:
    reason = f"{SOFT.name}: no"
    run = run_of(
        tmp_path,
        judged("1", "deny", "deliberate", reason=reason),
        judged("2", "deny", "deliberate", reason=reason, label="block"),
        judged("3", "deny", "deliberate", reason=reason, label="block"),
        call("4"),
        bad_call("5", "allow"),
        call("6", "ask"),
        call("7", "ask"),
    )

    blames = {str(one.decider): one for one in confusions(run).blames}

    rule = blames[f"classifier.deliberate ({SOFT.name})"]
    assert (rule.good_denied, rule.bad_stopped, rule.bad_missed) == (1, 2, 0)
    assert blames["read-only"].bad_missed == 1
    assert [one.wrong for one in confusions(run).blames] == [2, 1, 1]


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

    found = [one.outcome.id for one in confusions(run).unexpected]

    assert sorted(found) == ["by-another", "too-strict"]
