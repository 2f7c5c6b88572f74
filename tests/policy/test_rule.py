"""How one prose rule reads."""

from automode.policy.rule import PolicyRule

SOFT = PolicyRule("paint", "Painting walls.", "priming them", "painting, and the wall")
HARD = PolicyRule("fire", "Setting fire.", "candles")


def test_a_soft_rule_says_what_clears_it() -> None:
    assert SOFT.text == (
        "paint: Painting walls. Does not cover: priming them. "
        "To clear it the user must name: painting, and the wall."
    )


def test_a_rule_that_nothing_clears_does_not_mention_clearing() -> None:
    assert HARD.text == "fire: Setting fire. Does not cover: candles."


def test_data_leaves_out_what_a_rule_does_not_have() -> None:
    assert HARD.as_data() == {"name": "fire", "covers": "Setting fire.", "excludes": "candles"}
    assert SOFT.as_data()["must_name"] == "painting, and the wall"
