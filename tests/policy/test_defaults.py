"""The built-in prose rules: well formed, and printed as people read them."""

import json
import re

import pytest

from automode.policy.defaults import DEFAULTS, Section, as_data, render, texts
from automode.policy.rule import PolicyRule
from tests.rows import each_row

MOST_WORDS = 90
RULES = [rule for rules in DEFAULTS.values() for rule in rules]
each_rule = each_row("rule", RULES)
each_section = pytest.mark.parametrize("section", list(Section))


def test_names_are_unique_over_all_sections() -> None:
    names = [rule.name for rule in RULES]

    assert len(names) == len(set(names))


@each_rule
def test_names_are_kebab_case(rule: PolicyRule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)


@each_rule
def test_a_rule_is_short_enough_to_be_judged(rule: PolicyRule) -> None:
    assert len(rule.text.split()) <= MOST_WORDS


@each_rule
def test_a_rule_names_its_benign_look_alikes(rule: PolicyRule) -> None:
    assert rule.covers.endswith(".")
    assert rule.excludes
    assert not rule.excludes.endswith(".")


@each_rule
def test_a_rule_is_one_line_of_printable_text(rule: PolicyRule) -> None:
    assert rule.text.isprintable()
    assert "  " not in rule.text


@each_row("rule", DEFAULTS[Section.SOFT_DENY])
def test_a_soft_rule_asks_for_an_action_and_a_target(rule: PolicyRule) -> None:
    action, found, target = rule.must_name.partition(", and ")

    assert action
    assert found
    assert target


@pytest.mark.parametrize("section", [Section.ENVIRONMENT, Section.ALLOW, Section.HARD_DENY])
def test_only_soft_rules_can_be_cleared_by_naming(section: Section) -> None:
    assert [rule.name for rule in DEFAULTS[section] if rule.must_name] == []


def test_hard_rules_stay_few() -> None:
    assert len(DEFAULTS[Section.HARD_DENY]) <= 10


@each_section
def test_a_section_renders_one_bullet_per_rule(section: Section) -> None:
    lines = render(section).splitlines()

    assert lines == [f"- {text}" for text in texts(section)]
    assert len(lines) == len(DEFAULTS[section])


def test_the_data_survives_json_and_keeps_every_rule() -> None:
    data = json.loads(json.dumps(as_data()))

    assert list(data) == ["environment", "allow", "soft_deny", "hard_deny"]
    assert [PolicyRule(**rule) for rules in data.values() for rule in rules] == RULES


def test_a_section_is_found_by_the_word_that_configuration_uses() -> None:
    assert Section("soft_deny") is Section.SOFT_DENY
