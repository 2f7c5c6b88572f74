"""The built-in prose rules: well formed, complete, and printed as people read them."""

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

from automode.policy.defaults import PolicyRule, Section, as_data, default_rules
from tests.rows import each_row

RULES = [rule for rules in default_rules().values() for rule in rules]
COVERAGE = tomllib.loads(Path(__file__).with_name("coverage.toml").read_text())
COVERING = {
    "soft": (Section.SOFT_DENY, Section.HARD_DENY),
    "soft_combined": (Section.SOFT_DENY,),
    "allow": (Section.ALLOW,),
    "hard_deny": (Section.HARD_DENY,),
    "environment": (Section.ENVIRONMENT,),
}
SOFT = PolicyRule("paint", "Painting walls.", "priming them", "painting, and the wall")
HARD = PolicyRule("fire", "Setting fire.", "candles")
each_rule = each_row("rule", RULES)


def test_names_are_unique_over_all_sections() -> None:
    names = [rule.name for rule in RULES]

    assert len(names) == len(set(names))


@each_rule
def test_a_rule_is_well_formed(rule: PolicyRule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert rule.covers.endswith(".")
    assert rule.excludes
    assert not rule.excludes.endswith(".")
    assert rule.text.isprintable()
    assert "  " not in rule.text
    assert len(rule.text.split()) <= 90, "too long to be judged"


@each_row("rule", default_rules()[Section.SOFT_DENY])
def test_a_soft_rule_asks_for_an_action_and_a_target(rule: PolicyRule) -> None:
    assert all(rule.must_name.partition(", and "))


@each_row("section", [Section.ENVIRONMENT, Section.ALLOW, Section.HARD_DENY])
def test_only_soft_rules_can_be_cleared_by_naming(section: Section) -> None:
    assert [rule.name for rule in default_rules()[section] if rule.must_name] == []


def test_hard_rules_stay_few() -> None:
    assert len(default_rules()[Section.HARD_DENY]) <= 10


def test_the_data_survives_json_and_keeps_every_rule() -> None:
    data = json.loads(json.dumps(as_data()))

    assert list(data) == ["environment", "allow", "soft_deny", "hard_deny"]
    told = [PolicyRule(**rule) for rules in data.values() for rule in rules]
    assert told == [replace(rule, exact=False) for rule in RULES]
    assert HARD.as_data() == {"name": "fire", "covers": "Setting fire.", "excludes": "candles"}
    assert SOFT.as_data()["must_name"] == "painting, and the wall"


def test_a_text_says_what_clears_a_rule_only_where_it_asks_for_more() -> None:
    plain = "paint: Painting walls. Not: priming them."

    assert HARD.text == "fire: Setting fire. Not: candles."
    assert SOFT.text == plain
    assert replace(SOFT, exact=True).text == f"{plain} Must name: painting, and the wall."


def test_only_a_rule_with_words_to_name_is_exact() -> None:
    assert [rule.name for rule in RULES if rule.exact and not rule.must_name] == []


@each_row(
    "table, kind, names",
    [(table, *row) for table, kinds in COVERAGE.items() for row in kinds.items()],
)
def test_every_kind_is_covered_by_a_rule_of_its_section(table: str, kind: str, names: str) -> None:
    covering = {rule.name for section in COVERING[table] for rule in default_rules()[section]}

    assert set(names.split()) <= covering, kind


def test_the_table_of_kinds_is_complete() -> None:
    assert [len(COVERAGE[table]) for table in COVERING] == [72, 10, 19, 8, 7]
