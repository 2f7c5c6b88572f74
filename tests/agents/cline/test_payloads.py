"""What Cline gives its hooks, recorded there, and what they answer: `cancel` ends the run."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given

from automode.agents.cline.payloads import Cline
from automode.agents.events import CallFinished, CallProposed, PromptTyped, Speaker
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall
from automode.core.tool_input import canonical, harmless
from automode.core.transcript import Outcome
from tests.agents.recordings import decisions

CALL: Mapping[str, object] = {
    "hookName": "tool_call",
    "taskId": "t1",
    "sessionContext": {"rootSessionId": "s1"},
    "workspaceRoots": ["/home/dev/shop"],
    "agent_id": "a1",
    "parent_agent_id": None,
    "tool_call": {"id": "c1", "name": "run_commands", "input": {"commands": ["ls"]}},
}


UNREADABLE: dict[str, Mapping[str, object]] = {
    "nothing": {},
    "no call": {**CALL, "tool_call": None},
    "a call without a name": {**CALL, "tool_call": {"id": "1", "name": "", "input": {}}},
    "an input that is text": {**CALL, "tool_call": {"id": "1", "name": "editor", "input": "x"}},
    "no folder": {**CALL, "workspaceRoots": []},
    "a folder from nowhere": {**CALL, "workspaceRoots": ["shop"]},
    "no session": {**CALL, "sessionContext": {}, "taskId": ""},
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_said_to_be_so(name: str) -> None:
    with pytest.raises(BadCall) as caught:
        Cline().parse(UNREADABLE[name])

    assert "automode install cline" in caught.value.hint


def test_a_sub_agent_speaks_below_the_session() -> None:
    event = Cline().parse({**CALL, "parent_agent_id": "a0"})

    assert isinstance(event, CallProposed)
    assert (event.speaker.session, event.speaker.parent) == ("s1/a1", "s1")


def test_a_result_that_nobody_says_went_well_did_not() -> None:
    event = Cline().parse({**CALL, "hookName": "tool_result", "tool_result": CALL["tool_call"]})

    assert isinstance(event, CallFinished)
    assert event.outcome is Outcome.ERROR


def test_a_prompt_that_nobody_has_seen_is_no_persons() -> None:
    event = Cline().parse(
        {**CALL, "hookName": "prompt_submit", "userPromptSubmit": {"prompt": "x"}}
    )

    assert isinstance(event, PromptTyped)
    assert (event.text, event.machine) == ("x", True)


@given(decision=decisions)
def test_whatever_is_not_allowed_ends_the_run(decision: Decision) -> None:
    event = CallProposed(Speaker("s1", "/"), "run_commands", {})

    said = json.loads(Cline().render(event, decision).stdout)

    goes_on = not decision.enforced or decision.verdict is Verdict.ALLOW
    assert said["cancel"] is not goes_on
    assert goes_on or said["errorMessage"]


@pytest.mark.parametrize("tool", ["task__update", "todo__write", "ask__question", "list", "find"])
def test_a_tool_of_a_server_cannot_call_itself_harmless(tool: str) -> None:
    event = Cline().parse({**CALL, "tool_call": {"id": "c1", "name": tool, "input": {}}})

    assert isinstance(event, CallProposed)
    assert event.tool == f"mcp__cline__{tool}"
    assert canonical(event.tool).startswith("mcp__")
    assert not harmless(event.tool)


@pytest.mark.parametrize("tool", ["run_commands", "ask_question", "mcp__db__query"])
def test_a_tool_of_its_own_and_a_name_that_says_its_server_stay(tool: str) -> None:
    event = Cline().parse({**CALL, "tool_call": {"id": "c1", "name": tool, "input": {}}})

    assert isinstance(event, CallProposed)
    assert event.tool == tool
