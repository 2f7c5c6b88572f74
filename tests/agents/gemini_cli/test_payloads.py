"""Gemini CLI's own payloads, recorded from the real program, and what its hooks answer."""

import json
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import CallFinished, CallProposed, Ignored, Moment, Remarks, Speaker
from automode.agents.gemini_cli.payloads import LONGEST_ERROR, GeminiCli
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall
from automode.core.transcript import Outcome
from tests.agents.recordings import decisions, values

CALL = {
    "session_id": "s1",
    "cwd": "/home/dev/shop",
    "hook_event_name": "BeforeTool",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "ls"},
}
NAMES = [*CALL, "prompt", "prompt_response", "tool_response", "transcript_path", "mcp_context"]


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


@given(st.sampled_from(Moment), st.text(max_size=60))
def test_a_closing_answer_closes_where_a_call_waits(moment: Moment, reason: str) -> None:
    answer = GeminiCli().closed(moment, reason)

    assert answer.stderr.strip()  # without a word there, the status 2 would be a yes
    if moment is not Moment.PROPOSED:
        assert answer.exit == 0
        assert bool(answer.stdout) == (moment is Moment.FINISHED)
        return
    assert (answer.exit, json.loads(answer.stdout)["decision"]) == (2, "deny")


def test_a_long_error_is_left_as_it_is() -> None:
    event = CallFinished(
        Speaker("s1", "/"), "", "web_fetch", {}, Outcome.ERROR, "x" * (LONGEST_ERROR + 1)
    )

    said = json.loads(GeminiCli().render(event, None, Remarks(warning="look out")).stdout)

    assert said["hookSpecificOutput"]["additionalContext"] == "look out"


@given(
    st.dictionaries(st.sampled_from(NAMES), values),
    st.sampled_from(["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart"]),
)
def test_any_payload_is_an_event_or_a_bad_call(changes: Mapping[str, object], hook: str) -> None:
    try:
        event = GeminiCli().parse({**CALL, "hook_event_name": hook, **changes})
    except BadCall:
        return
    answer = GeminiCli().render(event, None, Remarks("look out", "psst", "no", "well"))
    assert answer.stdout.isascii()
    assert answer.exit == 0
