"""Hooks of Claude Code's that another agent calls are read as that agent's own."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from automode.agents.catalog import ADAPTERS, adapter_for
from automode.agents.claude_code.payloads import ClaudeCode
from automode.agents.copilot_cli.payloads import CopilotCli
from automode.agents.events import CallProposed, Moment
from automode.core.decision import deny
from automode.core.errors import BadCall
from tests.agents.recordings import values
from tests.rows import each_row

HERE = Path(__file__).parent
OWN = {
    "sessionId": "s1",
    "timestamp": 1794768359051,
    "cwd": "/home/dev/shop",
    "toolName": "bash",
    "toolArgs": {"command": "ls"},
}
SAME = {
    "hook_event_name": "PreToolUse",
    "session_id": "s1",
    "timestamp": "2026-11-15T18:45:59.051Z",
    "cwd": "/home/dev/shop",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}


def payload_of(path: Path) -> Mapping[str, object]:
    payload = json.loads(path.read_text())["payload"]
    assert isinstance(payload, dict)
    return payload


@each_row("path", sorted((HERE / "claude_code" / "recorded").glob("*.json")))
def test_claude_code_itself_is_never_taken_for_another(path: Path) -> None:
    adapter = ClaudeCode()

    assert adapter_for(adapter, "claude-code", payload_of(path)) is adapter


def test_another_agents_hooks_are_its_own() -> None:
    for name in ("codex", "pi", "plain", "copilot-cli"):
        assert adapter_for(ADAPTERS[name], name, SAME) is ADAPTERS[name]


def test_a_call_is_the_same_in_both_hooks_that_copilot_calls() -> None:
    own = CopilotCli().parse(OWN)
    guest = adapter_for(ClaudeCode(), "claude-code", SAME).parse(SAME)

    assert isinstance(own, CallProposed)
    assert guest == own


def test_an_answer_closes_whoever_reads_it() -> None:
    adapter = adapter_for(ClaudeCode(), "claude-code", SAME)

    said = json.loads(adapter.render(adapter.parse(SAME), deny("x", "no")).stdout)

    assert said["permissionDecision"] == "deny"
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"


@given(
    payload=st.dictionaries(st.sampled_from([*SAME, "cursor_version", "hookName"]), values),
    attended=...,
)
def test_no_payload_gets_around_being_read(payload: dict[str, object], attended: bool) -> None:
    adapter = adapter_for(ClaudeCode(attended), "claude-code", payload)
    with suppress(BadCall):
        adapter.parse(payload)

    assert adapter.name in ("claude-code", "copilot-cli", "cursor")
    assert adapter.closing_answer(Moment.PROPOSED, "it cannot be read").exit == 2
