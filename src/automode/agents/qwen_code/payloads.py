"""Qwen Code: what its hooks are given, and what they answer, much like those of Claude Code."""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.claude_code.answers import (
    AFTER,
    FAILED,
    context,
    decided,
    denied,
    in_context,
    started,
)
from automode.agents.events import (
    NO_REMARKS,
    Abilities,
    Answer,
    CallFinished,
    CallProposed,
    Failures,
    Fate,
    HookProcess,
    HostEvent,
    Ignored,
    PromptTyped,
    Remarks,
    SessionEnded,
    SessionStarted,
    Speaker,
    TurnContinues,
    TurnEnded,
)
from automode.agents.shared.adapter import HostAdapter
from automode.agents.shared.fields import Fields
from automode.agents.shared.gemini_family import called, failed, read_text
from automode.core.decision import Decision
from automode.core.transcript import Outcome

_FIELDS = Fields("what Qwen Code gave its hook", "Qwen Code's hook", "report it, please")
_EVENTS = frozenset(
    "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit SessionStart SubagentStart Stop"
    " SessionEnd SubagentStop".split()
)

_ABILITIES = Abilities(
    asks=True,
    stops=True,
    deadline_ms=55_000,
    markers=("QWEN_CODE", "QWEN_CODE_SESSION_ID"),
    allows=False,
    hooks=HookProcess(has=("QWEN_PROJECT_DIR", "QWEN_CODE_SESSION_ID"), lacks=("QWEN_CODE",)),
    prompts=(
        "UserPromptSubmit, and of it `submitted_prompt`: `prompt` holds files that a person"
        " names as well, and alone it is a turn that the agent gave itself"
    ),
    failures=Failures(
        crash=Fate.BLOCKED,
        timeout=Fate.RUNS,
        plain_text=Fate.RUNS,
        silent_exit_2=Fate.RUNS,
        missing=Fate.BLOCKED,
    ),
    tested="0.24.4",
)


@dataclass(frozen=True, slots=True)
class QwenCode(HostAdapter):
    """`attended` is what the hook saw of the agent's own terminal."""

    name = "qwen-code"
    abilities = _ABILITIES

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        event = _FIELDS.text(payload, "hook_event_name")
        if event not in _EVENTS:
            return Ignored(event)
        speaker = self._speaker(payload)
        match event:
            case "PreToolUse":
                return CallProposed(speaker, *called(payload, _FIELDS), id=_identity(payload))
            case "PostToolUse" | "PostToolUseFailure":
                return _finished(speaker, payload, event)
            case "UserPromptSubmit":
                return _prompt(speaker, payload)
            case "SessionStart" | "SubagentStart":
                return SessionStarted(speaker)
            case "Stop":
                words = _FIELDS.optional(payload, "last_assistant_message", odd=True)
                return TurnEnded(speaker, words)
            case _:
                return SessionEnded(speaker)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event:
            case CallProposed(speaker):
                return decided(decision, attended=speaker.attended)
            case SessionStarted(speaker):
                return started(speaker, remarks)
            case _:
                return in_context(AFTER, remarks)

    def denial(self, sentence: str) -> Mapping[str, object]:
        return denied(sentence)

    def note(self, sentence: str) -> Mapping[str, object]:
        return context(AFTER, sentence)

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        """A sub-agent speaks with the session of its parent; its own id tells it apart."""
        session, agent = _FIELDS.text(payload, "session_id"), _FIELDS.optional(payload, "agent_id")
        return Speaker(
            session=f"{session}/{agent}" if agent else session,
            cwd=_FIELDS.folder(payload),
            parent=session if agent else None,
            attended=self.attended,
            record=_FIELDS.optional(payload, "transcript_path"),
        )


def _finished(speaker: Speaker, payload: Mapping[str, object], hook: str) -> CallFinished:
    broken = hook == FAILED
    response = payload.get("error" if broken else "tool_response")
    return CallFinished(
        speaker,
        _identity(payload),
        *called(payload, _FIELDS),
        Outcome.ERROR if broken or failed(response) else Outcome.OK,
        result=read_text(response),
    )


def _prompt(speaker: Speaker, payload: Mapping[str, object]) -> PromptTyped | TurnContinues:
    """Results of calls go to the model as a turn of their own, with nothing in it."""
    typed = _FIELDS.optional(payload, "submitted_prompt")
    if typed:
        return PromptTyped(speaker, typed, machine=speaker.parent is not None)
    woven = _FIELDS.optional(payload, "prompt", odd=True)
    return PromptTyped(speaker, woven, machine=True) if woven else TurnContinues(speaker)


def _identity(payload: Mapping[str, object]) -> str:
    return _FIELDS.optional(payload, "tool_use_id")
