"""GitHub Copilot CLI: what its hooks are given, and what they answer.

No payload names its event, so it is known by its fields. In a folder that a person trusts Copilot
also runs the hooks in a project's settings of Claude Code. For those it names its tools as Claude
Code would, but says when it asks, which Claude Code never does.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from automode.agents.agent import load
from automode.agents.events import CallFinished, HostEvent, Ignored, SessionRef
from automode.agents.shared.adapter import Call, Fields, HookAdapter, Payload
from automode.agents.shared.dialects import WORDS, permission, specific
from automode.agents.shared.wording import GUIDANCE, sentence_for
from automode.core.decision import Decision
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

_QUESTION = "permissionRequest"
_GUEST_FIELDS = {
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
    "transcript_path": "transcriptPath",
}
_GUEST_TOOLS = {
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
_GUEST_EVENTS = (
    *("PreToolUse", "PostToolUse", "PostToolUseFailure"),
    *("UserPromptSubmit", "SessionStart", "SessionEnd", "Stop"),
)


@dataclass(frozen=True, slots=True)
class CopilotCli(HookAdapter):
    """`attended` is what the hook saw of the terminal. `guest`: it is a hook of Claude Code's that
    Copilot has called."""

    guest: bool = False

    agent = load("copilot_cli")
    fields = Fields.of(agent)

    @classmethod
    def guest_for(cls, payload: Payload, *, attended: bool) -> "CopilotCli | None":
        """Claude Code sends no timestamp. Copilot sends its own permission question to these hooks
        in the same form as to its own."""
        if "hook_event_name" in payload:
            own = _milliseconds(payload) is not None and "permission_mode" not in payload
        else:
            own = payload.get("hookName") == _QUESTION and "sessionId" in payload
        return cls(attended, guest=True) if own else None

    def parse(self, payload: Payload) -> HostEvent:
        said = _at_home(payload) if self.guest else payload
        if self.guest and not said:
            return Ignored("what Copilot has no other name for")
        return HookAdapter.parse(self, said)

    def event_name(self, payload: Payload) -> str:
        match payload:
            case {"hookName": "permissionRequest"}:
                return _QUESTION
            case {"toolName": _, "toolResult": _} | {"toolName": _, "error": _}:
                return "postToolUse"
            case {"toolName": _}:
                return "preToolUse"
            case {"prompt": _}:
                return "userPromptSubmitted"
            case {"reason": _} | {"agentName": _, "response": _}:
                return "sessionEnd"
            case {"stopReason": _}:
                return "agentStop"
            case {"source": _} | {"agentName": _}:
                return "sessionStart"
            case _:
                raise BadCall("no event of Copilot has these fields", self.fields.hint)

    def ref(self, payload: Payload) -> SessionRef:
        """A sub-agent has a session of its own, but its questions come from the one above it."""
        session = self.fields.text(payload, "sessionId")
        child = self.fields.optional(payload, "agentId")
        above = self.fields.optional(payload, "parentAgentId")
        return SessionRef(
            session=child or session,
            cwd=self.fields.folder(payload),
            parent=(above or session) if child else None,
            attended=self.attended,
            record=self.fields.optional(payload, "transcriptPath"),
        )

    def call(self, payload: Payload) -> Call:
        """Some releases give the input as a text in JSON."""
        field = "toolInput" if payload.get("hookName") == _QUESTION else "toolArgs"
        given = self.fields.object_at(payload, field, written=True)
        return self.agent.mark_foreign(self.fields.text(payload, "toolName")), given

    def identity(self, payload: Payload) -> str:
        """Copilot names no call, but tells all hooks the same time of it."""
        at = payload.get("timestamp")
        asked = payload.get("hookName") == _QUESTION
        if asked or not isinstance(at, int) or isinstance(at, bool):
            return ""
        call = self.call(payload)
        whole = json.dumps(call, sort_keys=True, default=str).encode("utf-8", "replace")
        return f"{at}-{hashlib.sha256(whole).hexdigest()[:16]}"

    def finished(self, ref: SessionRef, payload: Payload, event: str) -> CallFinished:
        match payload:
            case {"toolResult": {"resultType": str(kind), "textResultForLlm": str(text)}}:
                outcome = Outcome.OK if kind == "success" else Outcome.ERROR
                return CopilotCallFinished(ref, "", *self.call(payload), outcome, text, kind=kind)
            case {"error": str(text)}:
                return CallFinished(ref, "", *self.call(payload), Outcome.ERROR, text)
            case _:
                return CallFinished(ref, "", *self.call(payload), Outcome.ERROR)

    def rule(self, final: Decision) -> Payload:
        why = sentence_for(final)
        ruled = {"permissionDecision": WORDS[final.verdict], "permissionDecisionReason": why}
        # Should a guest be Claude Code after all, it reads the second.
        return {**ruled, **(specific("PreToolUse", **ruled) if self.guest else {})}

    def change(self, answer: Payload, given: Payload) -> Payload:
        return {**answer, "modifiedArgs": given}

    def permit(self, final: Decision) -> Payload:
        return permission(final, interrupts=True)

    def guide(self, ref: SessionRef) -> Payload:
        return self.note(GUIDANCE)

    def denial(self, sentence: str) -> Payload:
        """One answer for both hooks that a call waits for."""
        ruled = {"permissionDecision": "deny", "permissionDecisionReason": sentence}
        return {**ruled, "behavior": "deny"}

    def note(self, sentence: str) -> Payload:
        return {"additionalContext": sentence}

    def warn(self, event: CallFinished, warning: str) -> Payload:
        if not isinstance(event, CopilotCallFinished):
            return self.note(warning)
        text = f"{warning}\n{event.result}"
        return {"modifiedResult": {"resultType": event.kind, "textResultForLlm": text}}


@dataclass(frozen=True, slots=True)
class CopilotCallFinished(CallFinished):
    """A result that can be changed; `kind` is what Copilot calls how it went."""

    kind: str = ""


def _at_home(payload: Payload) -> Payload:
    """The payload as Copilot's own hook would get it; empty for what has no counterpart."""
    said = {ours: payload[theirs] for theirs, ours in _GUEST_FIELDS.items() if theirs in payload}
    if payload.get("hookName") == _QUESTION:
        return {**payload, **said}
    if payload.get("hook_event_name") not in _GUEST_EVENTS:
        return {}
    tool = said.get("toolName")
    if isinstance(tool, str):
        said["toolName"] = _GUEST_TOOLS.get(tool, tool)
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


ADAPTER = CopilotCli
