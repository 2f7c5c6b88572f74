"""Where a run went wrong: the order of the examples, and who is named for each."""

from pathlib import Path

import pytest

from automode.evaluation.confusions import confusions, decider
from automode.policy.defaults import Section, default_rules
from tests.evaluation.written_runs import bad_call, call, judged, result, run_of

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


@pytest.mark.parametrize(("reason", "rule", "known"), NAMED)
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
