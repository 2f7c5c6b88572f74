"""Hooks of Claude Code's that GitHub Copilot CLI calls: its payloads for them, in its own words.

In a folder that a person trusts Copilot also runs what stands in `.claude/settings.json`. It names
its tools as Claude Code would, but says when it asks, which Claude Code never does.
"""

from collections.abc import Mapping
from datetime import datetime

GUEST: Mapping[str, object] = {"hookEventName": "PreToolUse"}
_FIELDS = {
    "session_id": "sessionId",
    "cwd": "cwd",
    "agent_id": "agentId",
    "parent_agent_id": "parentAgentId",
    "tool_name": "toolName",
    "tool_input": "toolArgs",
    "error": "error",
    "prompt": "prompt",
    "source": "source",
    "reason": "reason",
    "stop_reason": "stopReason",
}
_TOOLS = {
    "Bash": "bash",
    "Read": "view",
    "Write": "create",
    "Edit": "edit",
    "Glob": "glob",
    "Grep": "grep",
    "Agent": "task",
    "WebFetch": "web_fetch",
    "WebSearch": "web_search",
    "TodoWrite": "update_todo",
    "AskUserQuestion": "ask_user",
    "ExitPlanMode": "exit_plan_mode",
}
_QUESTION = "permissionRequest"
_KNOWN = frozenset(
    "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit SessionStart"
    " SessionEnd Stop".split()
)


def is_copilot(payload: Mapping[str, object]) -> bool:
    """Claude Code tells no hook the time. Its own question Copilot puts to such a hook as it does
    to its own, whatever the hook's name for it is."""
    if "hook_event_name" not in payload:
        return payload.get("hookName") == _QUESTION and "sessionId" in payload
    return _milliseconds(payload) is not None and "permission_mode" not in payload


def at_home(payload: Mapping[str, object]) -> Mapping[str, object]:
    """The payload as Copilot's own hook would get it; empty for what has no counterpart."""
    said = {ours: payload[theirs] for theirs, ours in _FIELDS.items() if theirs in payload}
    if payload.get("hookName") == _QUESTION:
        return {**payload, **said}
    event = payload.get("hook_event_name")
    if not isinstance(event, str) or event not in _KNOWN:
        return {}
    tool = said.get("toolName")
    if isinstance(tool, str):
        said["toolName"] = _TOOLS.get(tool, tool)
    at = _milliseconds(payload)
    if at is not None:
        said["timestamp"] = at
    match payload:
        case {"tool_result": {"result_type": kind, "text_result_for_llm": text}}:
            said["toolResult"] = {"resultType": kind, "textResultForLlm": text}
        case _:
            pass
    return said


def _milliseconds(payload: Mapping[str, object]) -> int | None:
    written = payload.get("timestamp")
    if not isinstance(written, str):
        return None
    try:
        return round(datetime.fromisoformat(written).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
