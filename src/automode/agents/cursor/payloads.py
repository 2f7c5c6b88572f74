"""Cursor: what its hooks are given, and what they answer. From its documentation, never run here.

Cursor also runs the hooks that stand in Claude Code's settings, with payloads of its own shape: the
same adapter reads those, and the same id of a call keeps it from being decided twice.
"""

from dataclasses import dataclass

from automode.agents.agent import load
from automode.agents.events import (
    Answer,
    CallFinished,
    Feedback,
    HostEvent,
    PromptTyped,
    SessionRef,
)
from automode.agents.shared.adapter import Call, Fields, HookAdapter, Payload
from automode.agents.shared.wording import GUIDANCE, Reader, sentence_for
from automode.core.decision import Decision, Verdict
from automode.core.tool_input import input_texts
from automode.core.transcript import Outcome

_FAILED = "postToolUseFailure"


@dataclass(frozen=True, slots=True)
class Cursor(HookAdapter):
    """Where a person is to be asked the call is denied: before a tool is used Cursor does not ask
    for a hook's sake. So nothing depends on `attended`."""

    agent = load("cursor")
    fields = Fields.of(agent)
    silence = Answer("{}\n")  # with `failClosed` Cursor takes nothing at all for a no

    @classmethod
    def guest_for(cls, payload: Payload, *, attended: bool) -> "Cursor | None":
        """Every payload of Cursor's says so."""
        own = isinstance(payload.get("cursor_version"), str) or "conversation_id" in payload
        return cls(attended) if own else None

    def event_name(self, payload: Payload) -> str:
        """Hooks of Claude Code's may be told its own names of the events."""
        told_name = self.fields.text(payload, "hook_event_name")
        if told_name.casefold() == "userpromptsubmit":
            return "beforeSubmitPrompt"
        known = (one for one in self.agent.events if one.casefold() == told_name.casefold())
        return next(known, told_name)

    def ref(self, payload: Payload) -> SessionRef:
        """Only calls name a folder; a workspace may have several roots, and the first counts."""
        model = self.fields.optional(payload, "model")
        match payload:
            case {"cwd": folder} if folder:
                pass
            case {"workspace_roots": [folder, *_]}:
                pass
            case _:
                folder = None
        return SessionRef(
            session=self.fields.text(payload, "conversation_id"),
            cwd=self.fields.folder(payload, folder),
            attended=False,  # nobody is asked: see the class
            model=model if "/" in model else None,
        )

    def call(self, payload: Payload) -> Call:
        """Some events give the input as a text in JSON."""
        given = self.fields.object_at(payload, "tool_input", written=True)
        return self.fields.text(payload, "tool_name"), given

    def finished(self, ref: SessionRef, payload: Payload, event: str) -> CallFinished:
        failed = event == _FAILED
        result = "\n".join(input_texts(payload.get("error_message" if failed else "tool_output")))
        outcome = Outcome.ERROR if failed else Outcome.OK
        identity = self.identity(payload)
        return CallFinished(ref, identity, *self.call(payload), outcome, result)

    def last_words(self, payload: Payload) -> str:
        return ""

    def rule(self, final: Decision) -> Payload:
        """In Cursor's dialect, and in the one that Claude Code's hooks speak: whoever called this
        hook reads one of them."""
        claude = {"hookEventName": "PreToolUse"}
        if final.verdict is Verdict.ALLOW:
            claude["permissionDecision"] = "allow"
            return {"permission": "allow", "hookSpecificOutput": claude}
        why = sentence_for(final)
        claude |= {"permissionDecision": "deny", "permissionDecisionReason": why}
        person = sentence_for(final, Reader.PERSON)
        return {**self.denial(why), "user_message": person, "hookSpecificOutput": claude}

    def denial(self, sentence: str) -> Payload:
        return {"permission": "deny", "agent_message": sentence}

    def guide(self, ref: SessionRef) -> Payload:
        return self.note(GUIDANCE)

    def note(self, sentence: str) -> Payload:
        return {"additional_context": sentence}

    def warn(self, event: CallFinished, warning: str) -> Payload:
        """Only the result of a server's tool can be changed. The output of a shell stays as it is,
        and the warning stands beside it."""
        if event.outcome is Outcome.ERROR or not event.tool.startswith("MCP:"):
            return self.note(warning)
        text = {"type": "text", "text": f"{warning}\n{event.result}"}
        return {**self.note(warning), "updated_mcp_tool_output": {"content": [text]}}

    def say(self, answer: Payload, feedback: Feedback, event: HostEvent) -> Answer:
        if feedback.refusal and isinstance(event, PromptTyped):
            answer = {"continue": False, "user_message": feedback.refusal}
        return HookAdapter.say(self, answer, feedback, event)


ADAPTER = Cursor
