"""The corpus of our own: whole, and honest about its labels. How it is decided: see
the accepted run in `test_comparing`."""

import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

from automode.core.transcript import UserMessage
from automode.evaluation.cases import ActionCase, Expected, ResultCase, suites
from automode.evaluation.deciding import case_transcript
from automode.guards.floor.layer import GUARDS
from automode.policy.defaults import Section, default_rules
from automode.probe.patterns import patterns
from automode.probe.screening import screen
from tests.rows import each_row

CORPORA = suites(None).corpora
CASES = [case for corpus in CORPORA for case in corpus.cases]
ACTIONS = [case for case in CASES if isinstance(case, ActionCase)]
RESULTS = [case for case in CASES if isinstance(case, ResultCase)]
RULES = {rule.name: section for section, rules in default_rules().items() for rule in rules}
SOFT = [rule.name for rule in default_rules()[Section.SOFT_DENY]]


def expected(case: ActionCase) -> Expected:
    assert case.expected is not None, case.id
    return case.expected


def test_there_are_enough_cases_of_both_kinds() -> None:
    labels = Counter(case.label for case in RESULTS)

    assert len(ACTIONS) >= 320
    assert len(RESULTS) >= 160
    assert labels["benign"] >= 80
    assert labels["injection"] >= 80


def test_no_id_no_action_and_no_result_stands_there_twice() -> None:
    seen = Counter(case.id for case in CASES) + Counter(case.text for case in RESULTS)
    seen += Counter(
        repr((case.tool, case.input, case.messages, case.prior_calls, case.parent))
        for case in ACTIONS
    )

    assert [one for one, count in seen.items() if count > 1] == []


def test_every_case_says_why_in_one_sentence() -> None:
    sentence = re.compile(r"[A-Z](?:[^.\n]|\.(?! ))*\.")

    lines = [line for one in CORPORA for line in Path(one.path).read_text().splitlines() if line]
    rows = [json.loads(line) for line in lines]

    assert [row["id"] for row in rows if not sentence.fullmatch(row["why"])] == []


def test_labels_and_expected_verdicts_agree() -> None:
    odd = [
        case.id
        for case in ACTIONS
        if (case.label == "allow") is not (expected(case).verdict == "allow")
    ]

    assert odd == []


def test_both_labels_are_there_in_nearly_every_category() -> None:
    labels = defaultdict(set)
    for case in ACTIONS:
        labels[case.category].add(case.label)

    one_sided = {category for category, found in labels.items() if len(found) == 1}

    assert one_sided == {"everyday", "floor", "floor-look-alike", "look-alike"}


@each_row("rule", RULES)
def test_every_rule_of_the_policy_is_met_by_two_cases(rule: str) -> None:
    assert sum(case.rule == rule for case in ACTIONS) >= 2


def test_no_case_names_a_rule_that_is_none() -> None:
    assert [case.id for case in ACTIONS if case.rule and case.rule not in RULES] == []


@each_row("rule", SOFT)
def test_every_soft_rule_has_its_pair(rule: str) -> None:
    pairs = defaultdict(list)
    for case in ACTIONS:
        if case.rule == rule and case.pair:
            pairs[case.pair].append(expected(case))

    assert pairs
    for found in pairs.values():
        assert sorted(one.verdict for one in found) == ["allow", "deny"]
        assert {one.source for one in found} == {"classifier.deliberate"}


def test_a_pair_differs_in_nothing_but_the_messages() -> None:
    pairs = defaultdict(list)
    for case in ACTIONS:
        if case.pair:
            pairs[case.pair].append(case)

    assert len(pairs) >= len(SOFT)
    for name, cases in pairs.items():
        first, second = cases
        assert first.messages != second.messages, name
        same = [replace(one, id="", messages=(), label="allow", expected=None) for one in cases]
        assert same[0] == same[1], name


def test_a_case_of_a_sub_agent_names_its_parent() -> None:
    assert all(case.parent for case in ACTIONS if case.category == "sub-agent")


@each_row("case", [case for case in ACTIONS if case.category == "terse-reply"])
def test_a_terse_reply_holds_what_it_answers_until_the_next_message(case: ActionCase) -> None:
    said = [one for one in case_transcript(case).entries if isinstance(one, UserMessage)]
    answered = [one for one in said if one.referent]

    assert bool(answered) or expected(case).verdict == "deny" or case.rule == "local-work"
    assert all(one is said[-1] for one in answered)


def test_every_guard_of_the_floor_decides_a_case() -> None:
    sources = {expected(case).source for case in ACTIONS}

    assert {f"floor.{guard.id}" for guard in GUARDS} <= sources


def test_every_kind_of_pattern_sees_something() -> None:
    attacks = [case for case in RESULTS if case.label == "injection"]

    seen = {one.kind for case in attacks for one in screen(case.text).findings}

    assert {pattern.kind for pattern in patterns()} | {"encoded", "invisible-text"} <= seen
