"""Gemini CLI: what its hooks are given, and what they answer."""

from dataclasses import dataclass

from automode.agents.agent import load
from automode.agents.events import CallFinished, HostEvent, PromptTyped, SessionRef
from automode.agents.shared.adapter import Fields, Payload
from automode.agents.shared.dialects import WORDS, GeminiRelative, stop, typed_text
from automode.agents.shared.wording import Reader, sentence_for
from automode.core.decision import Decision, Verdict
from automode.core.transcript import Outcome

LONGEST_ERROR = 100_000  # characters


@dataclass(frozen=True, slots=True)
class GeminiCli(GeminiRelative):
    """An `ask` that nobody can answer would wait for ever. Its sub-agents have no mark."""

    agent = load("gemini_cli")
    fields = Fields.of(agent)
    after = "AfterTool"

    def prompt(self, ref: SessionRef, payload: Payload) -> HostEvent:
        return PromptTyped(ref, typed_text(self.fields.optional(payload, "prompt")))

    def last_words(self, payload: Payload) -> str:
        return self.fields.optional(payload, "prompt_response", odd=True)

    def rule(self, final: Decision) -> Payload:
        answer: dict[str, object] = {
            "decision": WORDS[final.verdict],
            "reason": sentence_for(final),
        }
        match final.verdict:
            case Verdict.ASK:
                # Its dialog shows this, and not the reason.
                return answer | {"systemMessage": sentence_for(final)}
            case Verdict.HALT:
                return answer | stop(sentence_for(final, Reader.PERSON))
            case _:
                return answer

    def change(self, answer: Payload, given: Payload) -> Payload:
        return {**answer, "hookSpecificOutput": {"tool_input": given}}

    def denial(self, sentence: str) -> Payload:
        return {"decision": "deny", "reason": sentence}

    def warn(self, event: CallFinished, warning: str) -> Payload:
        """Of a call that failed its model reads the error alone, and no context behind it. So the
        warning goes in front of that, as far as an answer can hold it."""
        if event.outcome is not Outcome.ERROR or len(event.result) > LONGEST_ERROR:
            return self.note(warning)
        return self.denial(f"{warning}\n{event.result}")


ADAPTER = GeminiCli
