"""Qwen Code's own payloads, recorded from the real program, and what its hooks answer."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import CallProposed, Ignored, PromptTyped, Speaker
from automode.agents.qwen_code.payloads import QwenCode
from automode.core.decision import Decision, Verdict
from tests.agents.recordings import decisions

CALL = {
    "session_id": "s1",
    "cwd": "/home/dev/shop",
    "hook_event_name": "PreToolUse",
    "tool_name": "run_shell_command",
    "tool_input": {"command": "ls"},
}


def test_an_event_of_no_use_is_ignored() -> None:
    assert QwenCode().parse({"hook_event_name": "MessageDisplay"}) == Ignored("MessageDisplay")


@given(decisions, st.booleans())
def test_only_an_enforced_allow_allows_and_nobody_is_asked_who_is_not_there(
    decision: Decision, attended: bool
) -> None:
    proposed = CallProposed(Speaker("s1", "/", attended=attended), "run_shell_command", {})

    answer = QwenCode().render(proposed, decision)

    assert answer.stdout.isascii()
    if not decision.enforced:
        assert answer.stdout == ""
        return
    said = json.loads(answer.stdout)["hookSpecificOutput"]["permissionDecision"]
    expected = {Verdict.ALLOW: "allow", Verdict.ASK: "ask" if attended else "deny"}
    assert said == expected.get(decision.verdict, "deny")


TYPED = {
    "a person's": ({"prompt": "go on", "submitted_prompt": "go on"}, "go on", False),
    "with a file": ({"prompt": "see @a\nfile", "submitted_prompt": "see @a"}, "see @a", False),
    "the agent's own": ({"prompt": "yes, delete it"}, "yes, delete it", True),
    "to a sub-agent": ({"submitted_prompt": "go on", "agent_id": "a1"}, "go on", True),
}


@pytest.mark.parametrize(("said", "text", "machine"), TYPED.values(), ids=TYPED.keys())
def test_only_what_was_submitted_is_a_persons(
    said: Mapping[str, object], text: str, machine: bool
) -> None:
    event = QwenCode().parse({**CALL, "hook_event_name": "UserPromptSubmit", **said})

    assert isinstance(event, PromptTyped)
    assert (event.text, event.machine) == (text, machine)
