"""Gemini CLI's own payloads, recorded from the real program, and what its hooks answer."""

import json

from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import CallFinished, CallProposed, Ignored, Remarks, Speaker
from automode.agents.gemini_cli.payloads import LONGEST_ERROR, GeminiCli
from automode.core.decision import Decision, Verdict
from automode.core.transcript import Outcome
from tests.agents.recordings import decisions


def test_an_event_of_no_use_is_ignored() -> None:
    assert GeminiCli().parse({"hook_event_name": "BeforeModel"}) == Ignored("BeforeModel")


@given(decisions, st.booleans())
def test_only_an_enforced_allow_allows_and_nobody_is_asked_who_is_not_there(
    decision: Decision, attended: bool
) -> None:
    proposed = CallProposed(Speaker("s1", "/", attended=attended), "run_shell_command", {})

    answer = GeminiCli().render(proposed, decision)

    assert answer.stdout.isascii()
    if not decision.enforced:
        assert answer.stdout == ""
        return
    said = json.loads(answer.stdout)
    expected = {Verdict.ALLOW: "allow", Verdict.ASK: "ask" if attended else "deny"}
    assert said["decision"] == expected.get(decision.verdict, "deny")
    assert (said.get("continue") is False) == (decision.verdict is Verdict.HALT)


def test_a_long_error_is_left_as_it_is() -> None:
    event = CallFinished(
        Speaker("s1", "/"), "", "web_fetch", {}, Outcome.ERROR, "x" * (LONGEST_ERROR + 1)
    )

    said = json.loads(GeminiCli().render(event, None, Remarks(warning="look out")).stdout)

    assert said["hookSpecificOutput"]["additionalContext"] == "look out"
