"""Answers in the dialect of Claude Code's hooks, which several agents have taken over in part."""

from dataclasses import dataclass
from typing import ClassVar

from automode.agents.events import Answer, HostEvent, Remarks, SessionStarted, Speaker
from automode.agents.shared.adapter import HookAdapter, Payload, named_once, print_json
from automode.agents.shared.wording import GUIDANCE, summary, told
from automode.core.decision import Decision, Verdict

BEFORE, AFTER, FAILED = "PreToolUse", "PostToolUse", "PostToolUseFailure"
WORDS = {Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny", Verdict.HALT: "deny"}


def specific(hook: str, **said: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": hook, **said}}


def stop(why: str) -> dict[str, object]:
    return {"continue": False, "stopReason": why}


def permission(final: Decision, *, interrupts: bool) -> dict[str, object]:
    """The answer to an agent's own question; empty where the person is to be asked."""
    if final.verdict is Verdict.ASK:
        return {}
    ruled: dict[str, object] = {"behavior": WORDS[final.verdict]}
    if final.verdict >= Verdict.DENY:
        ruled["message"] = told(final)
    if interrupts and final.verdict is Verdict.HALT:
        ruled["interrupt"] = True
    return ruled


@dataclass(frozen=True, slots=True)
class ClaudeDialect(HookAdapter):
    """`after`: the event of a result. `interrupts`: whether its own question can end the run."""

    after: ClassVar[str] = AFTER
    interrupts: ClassVar[bool] = True

    def rule(self, final: Decision) -> Payload:
        word = WORDS[final.verdict]
        answer = specific(BEFORE, permissionDecision=word, permissionDecisionReason=told(final))
        # `continue` alone would let this call run before the agent stops.
        return answer | (stop(summary(final)) if final.verdict is Verdict.HALT else {})

    def permit(self, final: Decision) -> Payload:
        ruled = permission(final, interrupts=self.interrupts)
        return specific("PermissionRequest", decision=ruled) if ruled else {}

    def guide(self, speaker: Speaker) -> Payload:
        name = "SessionStart" if speaker.parent is None else "SubagentStart"
        return specific(name, additionalContext=GUIDANCE)

    def denial(self, sentence: str) -> Payload:
        return specific(BEFORE, permissionDecision="deny", permissionDecisionReason=sentence)

    def note(self, sentence: str) -> Payload:
        return specific(self.after, additionalContext=sentence)

    def say(self, answer: Payload, remarks: Remarks, event: HostEvent) -> Answer:
        """No answer stops the agent where a session starts: a refusal is shown, and the next prompt
        is stopped."""
        notice, refusal = remarks.notice, remarks.refusal
        if isinstance(event, SessionStarted):
            notice, refusal = "\n".join(part for part in (refusal, notice) if part), ""
        shown = {"systemMessage": named_once(notice)} if notice else {}
        stopped = stop(named_once(refusal)) if refusal else {}
        return print_json({**answer, **shown, **stopped})
