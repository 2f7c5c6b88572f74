"""The prose beside the code: it explains the frame and leaves policy to the lists."""

import re

import pytest

from automode.classifier.framing import Kind
from automode.classifier.prompt import PolicyLists, build_prompt, system_prompt
from automode.core.call import Other, ToolCall
from automode.core.session import Session
from automode.core.transcript import Outcome
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.policy.defaults import Section, default_rules
from tests.rows import each_row

BUILT = build_prompt(
    ToolCall("x", Other()),
    Session("s", Workspace("/w", "/w", "/h", Names("/w"))),
    PolicyLists(),
    framing_key=b"k",
)
CONTRACT = system_prompt(PolicyLists())
FIXED = (CONTRACT, BUILT.fast.question, BUILT.deliberate.question)
# Words that rules' names are made of and that any sentence may hold.
ORDINARY = set(
    "all and any as by for from in local of off on or own out read real stated the to up work with"
    " without code tool user users agent agents approval existing files live target test text"
    " action public new other self write writes once change data power project context session"
    " secret secrets only memory discussion content scope instructions instruction sensitive"
    " external made default outside unseen standard trusted check this command run permission"
    " message apply".split()
)


@each_row("kind", Kind)
def test_every_kind_of_record_is_explained(kind: Kind) -> None:
    assert f"| `{kind}` |" in CONTRACT


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_is_explained(outcome: Outcome) -> None:
    assert f"`{outcome.value}`" in CONTRACT


@pytest.mark.parametrize("text", FIXED)
def test_no_fixed_text_names_a_kind_of_action(text: str) -> None:
    """Policy stands in the lists alone: the nouns of their rules do not occur outside them."""
    names = {rule.name for section in Section for rule in default_rules()[section]}
    nouns = {word for name in names for word in name.split("-")} - ORDINARY
    said = set(re.findall(r"[a-z]+", text.lower()))

    assert said & nouns == set()
    assert not [name for name in names if "-" in name and name in text]


def test_the_second_look_asks_for_the_three_keys_of_a_decision() -> None:
    assert re.findall(r'"(\w+)": "', BUILT.deliberate.question) == ["decision", "tier", "reason"]


def test_consent_needs_a_rule_and_a_quote() -> None:
    assert "quoted from a `user` record" in CONTRACT
    assert "If you cannot quote it, there is no consent." in CONTRACT
    assert "No quote, no `explicit_intent`." in BUILT.deliberate.question
