"""Antigravity (`agy`): what its hook is given, and what it answers. Never run here.

Its payloads name no event, so one event alone is heard: the call before it runs. Names of inputs
begin with a capital; those that say what a call does are given the names that others use.
"""

from dataclasses import dataclass

from automode.agents.agent import load
from automode.agents.events import SessionRef
from automode.agents.shared.adapter import Call, Fields, HookAdapter, Payload
from automode.agents.shared.wording import sentence_for
from automode.core.decision import Decision, Verdict

_NAMES = {
    "CommandLine": "command",
    "Cwd": "cwd",
    "AbsolutePath": "file_path",
    "TargetFile": "file_path",
    "CodeContent": "content",
    "TargetContent": "old_string",
    "ReplacementContent": "new_string",
    "DirectoryPath": "path",
    "SearchPath": "path",
    "SearchDirectory": "path",
    "Url": "url",
}
_WORDS = {Verdict.ALLOW: "allow", Verdict.ASK: "force_ask"}


@dataclass(frozen=True, slots=True)
class Antigravity(HookAdapter):
    """`force_ask` and not `ask`: the other one is answered by what a person once allowed for good.
    With nobody there a call that would be asked about is denied. Where automode has no say nothing
    is answered at all: an answer without a decision would be a no."""

    agent = load("antigravity")
    fields = Fields.of(agent)

    def event_name(self, payload: Payload) -> str:
        return "PreToolUse"

    def ref(self, payload: Payload) -> SessionRef:
        """A workspace may have several roots, and the first counts."""
        match payload.get("workspacePaths"):
            case [root, *_]:
                folder = self.fields.folder(payload, root)
            case _:
                folder = self.fields.folder(payload)
        session = self.fields.text(payload, "conversationId")
        return SessionRef(session, folder, attended=self.attended)

    def call(self, payload: Payload) -> Call:
        call = self.fields.object_at(payload, "toolCall")
        given = self.fields.object_at(call, "args")
        return self.fields.text(call, "name"), {
            _NAMES.get(name, name): given[name] for name in given
        }

    def identity(self, payload: Payload) -> str:
        step = payload.get("stepIdx")
        session = self.fields.text(payload, "conversationId")
        return f"{session}/{step}" if isinstance(step, int) else ""

    def rule(self, final: Decision) -> Payload:
        return {"decision": _WORDS.get(final.verdict, "deny"), "reason": sentence_for(final)}

    def denial(self, sentence: str) -> Payload:
        return {"decision": "deny", "reason": sentence}

    def note(self, sentence: str) -> Payload:
        return {}


ADAPTER = Antigravity
