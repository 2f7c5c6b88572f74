"""What Cursor's documentation says that its hooks are given, and what they answer: never run."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given

from automode.agents.cursor.payloads import Cursor
from automode.agents.events import CallProposed, Speaker
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall
from tests.agents.recordings import decisions

CALL: Mapping[str, object] = {
    "hook_event_name": "preToolUse",
    "conversation_id": "s1",
    "cursor_version": "2.4.0",
    "workspace_roots": ["/home/dev/shop"],
    "tool_name": "Shell",
    "tool_input": {"command": "ls"},
    "tool_use_id": "t1",
}


UNREADABLE: dict[str, Mapping[str, object]] = {
    "nothing": {},
    "no session": {**CALL, "conversation_id": ""},
    "no folder": {**CALL, "workspace_roots": []},
    "no tool": {**CALL, "tool_name": None},
    "an input that is no JSON": {**CALL, "tool_input": "{"},
    "an input that is a list": {**CALL, "tool_input": []},
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_said_to_be_so(name: str) -> None:
    with pytest.raises(BadCall) as caught:
        Cursor().parse(UNREADABLE[name])

    assert "automode install cursor" in caught.value.hint


@given(decision=decisions)
def test_only_what_is_allowed_is_called_so_in_either_dialect(decision: Decision) -> None:
    said = json.loads(Cursor().render(CallProposed(Speaker("s1", "/"), "x", {}), decision).stdout)

    words = {said.get("permission"), said.get("hookSpecificOutput", {}).get("permissionDecision")}
    expected = "allow" if decision.verdict is Verdict.ALLOW else "deny"
    assert words == {expected if decision.enforced else None}
