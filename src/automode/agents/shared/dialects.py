"""Answers in the dialect of Claude Code's hooks, which several agents have taken over in part; and
what Gemini CLI and Qwen Code, which grew out of it, say alike: calls, results, woven prompts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from automode.agents.events import (
    Answer,
    CallFinished,
    Feedback,
    HostEvent,
    SessionRef,
    SessionStarted,
)
from automode.agents.shared.adapter import Call, HookAdapter, Payload, named_once, print_json
from automode.agents.shared.wording import GUIDANCE, Reader, sentence_for
from automode.core.decision import Decision, Verdict
from automode.core.errors import BadCall
from automode.core.tool_input import input_texts
from automode.core.transcript import Outcome

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
        ruled["message"] = sentence_for(final)
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
        answer = specific(
            BEFORE, permissionDecision=word, permissionDecisionReason=sentence_for(final)
        )
        # `continue` alone would let this call run before the agent stops.
        return answer | (
            stop(sentence_for(final, Reader.PERSON)) if final.verdict is Verdict.HALT else {}
        )

    def change(self, answer: Payload, given: Payload) -> Payload:
        said = answer.get("hookSpecificOutput")
        known = said if isinstance(said, Mapping) else {}
        return {**answer, "hookSpecificOutput": {**known, "updatedInput": given}}

    def permit(self, final: Decision) -> Payload:
        ruled = permission(final, interrupts=self.interrupts)
        return specific("PermissionRequest", decision=ruled) if ruled else {}

    def guide(self, ref: SessionRef) -> Payload:
        name = "SessionStart" if ref.parent is None else "SubagentStart"
        return specific(name, additionalContext=GUIDANCE)

    def denial(self, sentence: str) -> Payload:
        return specific(BEFORE, permissionDecision="deny", permissionDecisionReason=sentence)

    def note(self, sentence: str) -> Payload:
        return specific(self.after, additionalContext=sentence)

    def say(self, answer: Payload, feedback: Feedback, event: HostEvent) -> Answer:
        """No answer stops the agent where a session starts: a refusal is shown, and the next prompt
        is stopped."""
        notice, refusal = feedback.notice, feedback.refusal
        if isinstance(event, SessionStarted):
            notice, refusal = "\n".join(part for part in (refusal, notice) if part), ""
        shown = {"systemMessage": named_once(notice)} if notice else {}
        stopped = stop(named_once(refusal)) if refusal else {}
        return print_json({**answer, **shown, **stopped})


# Woven into a person's words by the agent itself; what follows the second stands in some file.
_CONTEXT, _CONTEXT_END = "<hook_context>", "</hook_context>"
_FILES = "--- Content from referenced files ---"


@dataclass(frozen=True, slots=True)
class GeminiRelative(ClaudeDialect):
    """`attended` is what the hook saw of the agent's own terminal."""

    def call(self, payload: Payload) -> Call:
        """A tool of a server goes by the server's name, whatever it is called: nobody can say what
        it does."""
        tool, given = ClaudeDialect.call(self, payload)
        match payload.get("mcp_context"):
            case None:
                return tool, given
            case {"server_name": str(server), "tool_name": str(name)} if server and name:
                return f"mcp__{server}__{name}", given
            case _:
                whose = self.fields.whose
                raise BadCall(f"`mcp_context` of {whose} names no server", self.fields.hint)

    def finished(self, ref: SessionRef, payload: Payload, event: str) -> CallFinished:
        response = payload.get("error" if event == FAILED else "tool_response")
        failed = event == FAILED or (
            isinstance(response, Mapping) and response.get("error") is not None
        )
        return CallFinished(
            ref,
            self.identity(payload),
            *self.call(payload),
            Outcome.ERROR if failed else Outcome.OK,
            result=read_text(response),
        )


def read_text(response: object) -> str:
    """What the agent's model will read of a result."""
    match response:
        case {"llmContent": content, "error": {"message": str(why)}}:
            return "\n".join((*_texts(content), why))
        case {"llmContent": content}:
            return "\n".join(_texts(content))
        case _:
            return "\n".join(input_texts(response))


def typed_text(prompt: str) -> str:
    """A prompt without what the agent wove in: context of hooks, which may be our own, stands
    before it, and the files that it names behind. Where a person typed such marks themselves, some
    of their words are lost; that allows nothing."""
    text = prompt.lstrip()
    while text.startswith(_CONTEXT) and _CONTEXT_END in text:
        text = text.partition(_CONTEXT_END)[2].lstrip()
    return text.partition(_FILES)[0].rstrip()


def _texts(content: object) -> Iterator[str]:
    """Pictures are base64, which nobody reads as words."""
    match content:
        case [*parts]:
            for part in parts:
                yield from _texts(part)
        case {"inlineData": _} | {"fileData": _}:
            pass
        case {"text": str(text)}:
            yield text
        case _:
            yield from input_texts(content)
