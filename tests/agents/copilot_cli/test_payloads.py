"""What GitHub Copilot CLI gives its hooks, recorded there, and what they answer."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.copilot_cli.payloads import CopilotCli
from automode.agents.events import CallProposed, PermissionSought, Speaker
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall
from automode.core.tool_input import canonical, harmless
from tests.agents.recordings import decisions
from tests.rows import each_row

CALL: Mapping[str, object] = {
    "sessionId": "s1",
    "timestamp": 1794768245463,
    "cwd": "/home/dev/shop",
    "toolName": "bash",
    "toolArgs": {"command": "ls"},
}


UNREADABLE: dict[str, Mapping[str, object]] = {
    "nothing": {},
    "no session": {**CALL, "sessionId": ""},
    "no folder": {**CALL, "cwd": "shop"},
    "no tool": {**CALL, "toolName": ""},
    "no input": {key: value for key, value in CALL.items() if key != "toolArgs"},
    "an input that is a list": {**CALL, "toolArgs": ["ls"]},
    "an input that is no JSON": {**CALL, "toolArgs": "{"},
    "fields that mean no event": {"sessionId": "s1", "cwd": "/p", "other": 1},
}


@each_row("name", UNREADABLE)
def test_what_cannot_be_read_is_said_to_be_so(name: str) -> None:
    with pytest.raises(BadCall) as caught:
        CopilotCli().parse(UNREADABLE[name])

    assert caught.value.hint


def test_an_input_may_come_as_a_text() -> None:
    event = CopilotCli().parse({**CALL, "toolArgs": '{"command": "ls"}'})

    assert isinstance(event, CallProposed)
    assert event.input == {"command": "ls"}


def test_two_calls_of_one_moment_are_two_calls() -> None:
    first, second = (
        CopilotCli().parse({**CALL, "toolArgs": {"command": one}}) for one in ("ls", "pwd")
    )

    assert isinstance(first, CallProposed)
    assert isinstance(second, CallProposed)
    assert first.id != second.id


@given(decision=decisions, attended=st.booleans())
def test_an_answer_never_loosens_a_decision(decision: Decision, attended: bool) -> None:
    speaker = Speaker("s1", "/", attended=attended)
    said = CopilotCli().render(CallProposed(speaker, "bash", {}), decision).stdout
    question = CopilotCli().render(PermissionSought(speaker, "bash", {}), decision).stdout

    allowed = not decision.enforced or decision.verdict is Verdict.ALLOW
    word = json.loads(said)["permissionDecision"] if said else None
    assert (word in (None, "allow")) == allowed
    assert (word == "ask") == (decision.enforced and decision.verdict is Verdict.ASK and attended)
    behaviour = json.loads(question)["behavior"] if question else None
    assert behaviour != "allow" or (decision.enforced and decision.verdict is Verdict.ALLOW)
    assert (behaviour == "deny") == (word == "deny")


@pytest.mark.parametrize("tool", ["task-update", "todo-write", "ask-user", "list", "find"])
def test_a_tool_of_a_server_cannot_call_itself_harmless(tool: str) -> None:
    event = CopilotCli().parse({**CALL, "toolName": tool})

    assert isinstance(event, CallProposed)
    assert event.tool == f"mcp__copilot-cli__{tool}"
    assert canonical(event.tool).startswith("mcp__")
    assert not harmless(event.tool)


@pytest.mark.parametrize("tool", ["bash", "update_todo", "ask_user", "mcp__db__query"])
def test_a_tool_of_its_own_and_a_name_that_says_its_server_stay(tool: str) -> None:
    event = CopilotCli().parse({**CALL, "toolName": tool})

    assert isinstance(event, CallProposed)
    assert event.tool == tool
