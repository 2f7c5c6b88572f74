"""Cline: what its hooks are given, and what they answer.

Cline knows one way to stop a call: `cancel`, which ends the whole run. A hook cannot make it ask
the person, and a hook that fails counts as a yes; so the hook it is given always prints an answer.
"""

from collections.abc import Mapping
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
from automode.agents.shared.adapter import Call, Fields, HookAdapter, Payload, print_json
from automode.agents.shared.wording import sentence_for
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall
from automode.core.tool_input import input_texts
from automode.core.transcript import Outcome


@dataclass(frozen=True, slots=True)
class Cline(HookAdapter):
    """Where a person is to be asked the run ends: nothing depends on `attended`."""

    agent = load("cline")
    fields = Fields.of(agent)
    silence = print_json({"cancel": False})  # nothing at all would be a failure of the hook

    def event_name(self, payload: Payload) -> str:
        return self.fields.text(payload, "hookName")

    def ref(self, payload: Payload) -> SessionRef:
        """A sub-agent sends the session id of its parent, and its own agent id."""
        match payload.get("sessionContext"):
            case {"rootSessionId": str(session)} if session:
                pass
            case _:
                session = self.fields.text(payload, "taskId")
        above = payload.get("parent_agent_id")
        child = self.fields.optional(payload, "agent_id") if above else ""
        match payload:
            case {"workspaceInfo": {"rootPath": root}} | {"workspaceRoots": [root, *_]}:
                folder = self.fields.folder(payload, root)
            case _:
                folder = self.fields.folder(payload)
        return SessionRef(
            session=f"{session}/{child}" if child else session,
            cwd=folder,
            parent=session if child else None,
            attended=False,  # nobody is asked: see the class
        )

    def call(self, payload: Payload) -> Call:
        match payload.get("tool_call", payload.get("tool_result")):
            case {"name": str(tool), "input": {**given}} if tool and "\0" not in tool:
                known = self.agent.mark_foreign(tool)
                return known, {str(name): value for name, value in given.items()}
            case _:
                raise BadCall(f"no call of a tool in {self.fields.said}", self.fields.hint)

    def identity(self, payload: Payload) -> str:
        match payload.get("tool_call", payload.get("tool_result")):
            case {"id": str(call)}:
                return call
            case _:
                raise BadCall(f"a call without its id in {self.fields.said}", self.fields.hint)

    def finished(self, ref: SessionRef, payload: Payload, event: str) -> CallFinished:
        match payload:
            case {"postToolUse": {"success": True}, "tool_result": {"output": output}}:
                outcome = Outcome.ERROR if _is_failure(output) else Outcome.OK
            case {"tool_result": {"output": output}} | {"tool_result": {"error": output}}:
                outcome = Outcome.ERROR
            case _:
                output, outcome = None, Outcome.ERROR
        text = "\n".join(input_texts(output))
        return CallFinished(ref, self.identity(payload), *self.call(payload), outcome, text)

    def prompt(self, ref: SessionRef, payload: Payload) -> HostEvent:
        """The real payload was never seen, so it does not count as a person's."""
        return PromptTyped(ref, _text(payload, "userPromptSubmit", "prompt"), machine=True)

    def last_words(self, payload: Payload) -> str:
        return _text(payload, "turn", "outputText")

    def rule(self, final: Decision) -> Payload:
        """Whatever is not allowed ends the run."""
        return (
            {"cancel": False}
            if final.verdict is Verdict.ALLOW
            else self.denial(sentence_for(final))
        )

    def denial(self, sentence: str) -> Payload:
        return {"cancel": True, "errorMessage": sentence}

    def note(self, sentence: str) -> Payload:
        return {"contextModification": sentence}

    def say(self, answer: Payload, feedback: Feedback, event: HostEvent) -> Answer:
        if feedback.refusal and isinstance(event, PromptTyped):
            answer = self.denial(feedback.refusal)
        return HookAdapter.say(self, answer, feedback, event)


def _is_failure(output: object) -> bool:
    """One of several commands or files is enough."""
    rows = output if isinstance(output, list) else [output]
    return any(isinstance(row, Mapping) and row.get("success") is False for row in rows)


def _text(payload: Payload, outer: str, inner: str) -> str:
    inside = payload.get(outer)
    found = inside.get(inner) if isinstance(inside, Mapping) else None
    return found if isinstance(found, str) else ""


ADAPTER = Cline
