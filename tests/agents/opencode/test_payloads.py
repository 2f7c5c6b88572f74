"""What the plugin says inside the real OpenCode, recorded there, and what it is answered."""

import pytest

from automode.agents.events import CallFinished, CallProposed, PromptTyped
from automode.agents.opencode.payloads import OpenCode
from automode.core.errors import BadCall
from automode.core.tool_input import canonical, harmless

CALL = {
    "event": "tool_call",
    "session": "s2",
    "parent": "s1",
    "cwd": "/home/dev/shop",
    "toolName": "bash",
    "toolCallId": "c1",
    "input": {"command": "ls"},
}


def test_a_sub_agent_is_known_by_the_session_above_it() -> None:
    event = OpenCode().parse(CALL)

    assert isinstance(event, CallProposed)
    assert (event.speaker.session, event.speaker.parent) == ("s2", "s1")


def test_what_a_sub_agent_is_told_is_no_persons() -> None:
    event = OpenCode().parse({**CALL, "event": "input", "text": "go", "source": "extension"})

    assert isinstance(event, PromptTyped)
    assert event.machine


def test_what_cannot_be_read_says_how_to_get_a_plugin_that_can() -> None:
    with pytest.raises(BadCall) as caught:
        OpenCode().parse({**CALL, "input": "ls"})

    assert "OpenCode" in str(caught.value)
    assert "automode install opencode" in caught.value.hint


@pytest.mark.parametrize("tool", ["todo_write", "task_update", "plan_exit", "Bash", "read_file"])
def test_a_tool_of_a_server_cannot_call_itself_harmless(tool: str) -> None:
    event = OpenCode().parse({**CALL, "toolName": tool})

    assert isinstance(event, CallProposed)
    assert event.tool == f"mcp__opencode__{tool}"
    assert canonical(event.tool).startswith("mcp__")
    assert not harmless(event.tool)


@pytest.mark.parametrize("tool", ["bash", "todowrite", "apply_patch", "mcp__db__query"])
def test_a_tool_of_its_own_and_a_name_that_says_its_server_stay(tool: str) -> None:
    event = OpenCode().parse({**CALL, "toolName": tool})

    assert isinstance(event, CallProposed)
    assert event.tool == tool


@pytest.mark.parametrize("event", ["tool_result", "refused"])
def test_a_result_goes_by_the_name_of_its_call(event: str) -> None:
    found = OpenCode().parse({**CALL, "event": event, "toolName": "todo_write"})

    assert isinstance(found, CallFinished)
    assert found.tool == "mcp__opencode__todo_write"
