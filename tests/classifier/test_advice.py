"""A stopped agent is told a way out, and what the user would have to name."""

from automode.classifier.layer import advice
from automode.classifier.reply import Tier
from automode.policy.defaults import PolicyRule, Section, default_rules, texts
from tests.rows import each_row

SOFT = default_rules()[Section.SOFT_DENY]


@each_row("rule", SOFT)
def test_every_built_in_soft_rule_is_found_by_its_name(rule: PolicyRule) -> None:
    text = advice(Tier.SOFT_DENY, f"[{rule.name}] would do harm", texts(Section.SOFT_DENY))

    assert text.endswith(f"They would have to name: {rule.must_name}.")


def test_a_reason_that_names_no_rule_gets_the_general_advice() -> None:
    assert advice(Tier.NONE, "odd", texts(Section.SOFT_DENY)).endswith("its target clear it.")


def test_what_nothing_lifts_is_not_said_to_be_liftable() -> None:
    name = SOFT[0].name

    assert "have to name" not in advice(Tier.HARD_DENY, name, texts(Section.SOFT_DENY))
