"""What agents and people read of a decision."""

import pytest
from hypothesis import given

from automode.agents.shared.wording import LONGEST, shown, summary, told
from automode.core.decision import Decision, Verdict, allow, ask, deny
from tests.agents.recordings import decisions

SENTENCES = [
    (allow("read-only", "only reads"), "automode (read-only): only reads."),
    (ask("rules.ask", "a rule asks"), "automode (rules.ask): a rule asks."),
    (
        deny("floor.x", "it cannot be undone", "name one folder"),
        "automode (floor.x): it cannot be undone. Name one folder."
        " Do not work around this: find a safer way, or ask the person.",
    ),
    (
        deny("classifier.fast", "Not asked for.", "Do not work around it: ask the person."),
        "automode (classifier.fast): Not asked for. Do not work around it: ask the person.",
    ),
]


@pytest.mark.parametrize(("decision", "text"), SENTENCES)
def test_a_decision_is_told_in_sentences(decision: Decision, text: str) -> None:
    assert told(decision) == text


@given(decisions)
def test_what_is_told_is_bounded_and_moves_no_cursor(decision: Decision) -> None:
    text = told(decision)

    assert len(text) <= LONGEST + 1
    assert text.removeprefix(f"automode ({decision.source})").isprintable()


def test_a_denial_however_long_keeps_its_last_sentence() -> None:
    text = told(deny("classifier.fast", "because " * 2000))

    assert text.endswith("Do not work around this: find a safer way, or ask the person.")
    assert len(summary(Decision(Verdict.HALT, "breaker.total", "x" * 9000))) == LONGEST


def test_text_that_would_turn_the_writing_round_is_taken_out() -> None:
    assert shown("a\x1b[31m\u202eb\r\nc\u200bd") == "a [31m b  c d"
