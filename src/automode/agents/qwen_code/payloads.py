"""Qwen Code: what its hooks are given, and what they answer, much like those of Claude Code."""

from dataclasses import dataclass

from automode.agents.agent import load
from automode.agents.events import HostEvent, PromptTyped, SessionRef, TurnContinues
from automode.agents.shared.adapter import Fields, Payload
from automode.agents.shared.dialects import GeminiRelative


@dataclass(frozen=True, slots=True)
class QwenCode(GeminiRelative):
    agent = load("qwen_code")
    fields = Fields.of(agent)

    def prompt(self, ref: SessionRef, payload: Payload) -> HostEvent:
        """Results of calls go to the model as a turn of their own, with nothing in it."""
        typed = self.fields.optional(payload, "submitted_prompt")
        if typed:
            return PromptTyped(ref, typed, machine=ref.parent is not None)
        woven = self.fields.optional(payload, "prompt", odd=True)
        return PromptTyped(ref, woven, machine=True) if woven else TurnContinues(ref)


ADAPTER = QwenCode
