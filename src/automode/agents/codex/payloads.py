"""Codex CLI: what its hooks are given, and what they answer.

Codex takes every answer that it does not know for none, and then the call runs. So each event is
answered with the few fields that it was measured to obey, and an allowed call with silence.
"""

import json
import re
from dataclasses import dataclass, replace

from automode.agents.agent import load
from automode.agents.events import (
    Answer,
    CallFinished,
    Feedback,
    HostEvent,
    Ignored,
    PromptTyped,
    SessionEnded,
    SessionRef,
    SessionStarted,
)
from automode.agents.shared.adapter import Call, Fields, Payload, named_once, print_json
from automode.agents.shared.dialects import BEFORE, ClaudeDialect, specific, stop
from automode.agents.shared.wording import LONGEST, sentence_for
from automode.core.decision import Decision, Verdict
from automode.core.transcript import Outcome

LONGEST_REWRITTEN = 20_000  # letters: behind a warning Codex no longer cuts a result short
APPROVES = (
    "run `automode approve` in a terminal of their own, because Codex cannot ask them; then repeat"
    " the call"
)
_MODEL = re.compile(r"(?:gpt|codex|o\d)[\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Codex(ClaudeDialect):
    agent = load("codex")
    fields = Fields.of(agent)
    takes_commands = True
    machine_turns = (
        *("<subagent_notification", "<codex_internal_context", "<turn_aborted", "<hook_prompt"),
        *("<user_shell_command", "<environment_context"),
    )
    never_prompts = ("bypassPermissions", "dontAsk")  # `codex exec`, `--ask-for-approval never`
    interrupts = False

    def model(self, payload: Payload) -> str | None:
        named = payload.get("model")
        return f"openai/{named}" if isinstance(named, str) and _MODEL.fullmatch(named) else None

    def record(self, payload: Payload, child: str) -> str:
        return ""

    def sought(self, payload: Payload) -> Call:
        """Only here the agent's own reason stands beside the input."""
        tool, given = self.call(payload)
        return tool, {name: value for name, value in given.items() if name != "description"}

    def finished(self, ref: SessionRef, payload: Payload, event: str) -> CallFinished:
        """A command that failed comes this way, too, and nothing in the payload tells it apart."""
        response = payload.get("tool_response")
        text = response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
        call = self.call(payload)
        return CallFinished(ref, self.identity(payload), *call, Outcome.OK, result=text)

    def rule(self, final: Decision) -> Payload:
        """Silence for yes: the word itself would be an error."""
        if final.verdict is Verdict.ALLOW:
            return {}
        if final.verdict is Verdict.ASK:
            final = replace(final, verdict=Verdict.DENY, remedy=APPROVES)
        return self.denial(sentence_for(final))

    def change(self, answer: Payload, given: Payload) -> Payload:
        """With a changed input the word itself is no error."""
        return specific(BEFORE, permissionDecision="allow", updatedInput=given)

    def warn(self, event: CallFinished, warning: str) -> Payload:
        """The reason of a block is read in the place of the result."""
        if len(event.result) > LONGEST_REWRITTEN:
            return self.note(warning)
        return {"decision": "block", "reason": f"{warning}\n{event.result}"}

    def say(self, answer: Payload, feedback: Feedback, event: HostEvent) -> Answer:
        """Only a session of its own can be kept from starting."""
        if isinstance(event, SessionEnded | Ignored):
            return Answer()
        refusal = named_once(feedback.refusal) if feedback.refusal else ""
        if refusal and isinstance(event, PromptTyped):
            return print_json({"decision": "block", "reason": refusal[:LONGEST]})
        if refusal and isinstance(event, SessionStarted) and event.ref.parent is None:
            answer = {**answer, **stop(refusal)}
        notice = "\n".join(named_once(part) for part in (feedback.refusal, feedback.notice) if part)
        return print_json({**answer, "systemMessage": notice} if notice else answer)


ADAPTER = Codex
