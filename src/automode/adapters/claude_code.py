"""Claude Code: what its hooks are given, and what they answer."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from automode.adapters.seam import (
    NO_REMARKS,
    Abilities,
    Answer,
    CallFinished,
    CallProposed,
    HostEvent,
    Ignored,
    Moment,
    PromptTyped,
    Remarks,
    SessionEnded,
    SessionStarted,
    Speaker,
)
from automode.adapters.wording import GUIDANCE, noted, summary, told, undecided
from automode.core.decision import Decision, Verdict, settled
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

_BEFORE = "PreToolUse"
_FAILED = "PostToolUseFailure"

# Turns that the agent gives itself: nothing else in the payload tells them from a person's.
_MACHINE_TURNS = ("<task-notification", "<system-reminder")
_NEVER_PROMPTS = "dontAsk"  # the mode in which whatever would be asked is denied
_MODEL = re.compile(r"(claude-[\w.-]+)(?:\[\w+\])?")

_WORDS = {Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny", Verdict.HALT: "deny"}


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """`attended` is what the hook's own start knows; a payload can only take it back."""

    attended: bool = True

    @property
    def name(self) -> str:
        return "claude-code"

    @property
    def abilities(self) -> Abilities:
        return Abilities(
            asks=True,
            stops=True,
            deadline_ms=55_000,
            markers=("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"),
        )

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        event = _text(payload, "hook_event_name")
        if event not in _EVENTS:
            return Ignored(event)
        speaker = self._speaker(payload)
        match event:
            case "PreToolUse":
                return CallProposed(speaker, *_call(payload), id=_optional(payload, "tool_use_id"))
            case "PostToolUse" | "PostToolUseFailure":
                return _finished(speaker, payload, failed=event == _FAILED)
            case "UserPromptSubmit":
                return _prompt(speaker, payload)
            case "SessionStart" | "SubagentStart":
                return SessionStarted(speaker)
            case _:
                return SessionEnded(speaker)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event:
            case CallProposed(speaker):
                return _permission(decision, attended=speaker.attended)
            case SessionStarted(speaker):
                name = "SessionStart" if speaker.parent is None else "SubagentStart"
                said = {"hookEventName": name, "additionalContext": GUIDANCE}
                return Answer(_json({"hookSpecificOutput": said}))
            case _:
                return Answer()

    def closed(self, moment: Moment, reason: str) -> Answer:
        """Twice closed: the answer denies, and the exit status does where the answer is lost."""
        if moment is not Moment.PROPOSED:
            return Answer(stderr=f"{noted(reason)}\n")
        sentence = undecided(reason)
        return Answer(_json(_permitted("deny", sentence)), f"{sentence}\n", exit=2)

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        """A sub-agent speaks with the session of its parent; its own id tells it apart."""
        session, agent = _text(payload, "session_id"), _optional(payload, "agent_id")
        quiet = payload.get("permission_mode") == _NEVER_PROMPTS
        return Speaker(
            session=f"{session}/{agent}" if agent else session,
            cwd=_folder(payload),
            parent=session if agent else None,
            attended=self.attended and not quiet,
            model=_model(payload),
        )


_EVENTS = frozenset(
    "PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit SessionStart SubagentStart"
    " SessionEnd SubagentStop".split()
)


def _call(payload: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    given = payload.get("tool_input")
    if not isinstance(given, Mapping):
        raise BadCall("`tool_input` of Claude Code's hook is no object", "report it, please")
    return _text(payload, "tool_name"), given


def _finished(speaker: Speaker, payload: Mapping[str, object], *, failed: bool) -> CallFinished:
    response = payload.get("error" if failed else "tool_response")
    stopped = isinstance(response, Mapping) and response.get("interrupted") is True
    tool, given = _call(payload)
    return CallFinished(
        speaker,
        _optional(payload, "tool_use_id"),
        tool,
        given,
        Outcome.ERROR if failed or stopped else Outcome.OK,
        result=_result(response),
    )


def _result(response: object) -> str:
    match response:
        case None:
            return ""
        case str():
            return response
        case {"stdout": str(out), "stderr": str(err)}:
            return f"{out}\n{err}".strip("\n")
        case _:
            return json.dumps(response, ensure_ascii=False)


def _prompt(speaker: Speaker, payload: Mapping[str, object]) -> PromptTyped:
    """What reaches a sub-agent in the user's place was written by the agent above it."""
    text = payload.get("prompt")
    if not isinstance(text, str):
        raise BadCall("`prompt` of Claude Code's hook is no text", "report it, please")
    machine = speaker.parent is not None or text.lstrip().startswith(_MACHINE_TURNS)
    return PromptTyped(speaker, text, machine=machine)


def _permission(decision: Decision | None, *, attended: bool) -> Answer:
    """Nothing at all where automode has no say: then the agent's own flow goes on."""
    if decision is None or not decision.enforced:
        return Answer()
    final = settled(decision, attended=attended)
    answer = _permitted(_WORDS[final.verdict], told(final))
    if final.verdict is Verdict.HALT:
        # `continue` alone would let this call run before the agent stops.
        answer |= {"continue": False, "stopReason": summary(final)}
    return Answer(_json(answer))


def _permitted(word: str, text: str) -> dict[str, object]:
    return {
        "hookSpecificOutput": {
            "hookEventName": _BEFORE,
            "permissionDecision": word,
            "permissionDecisionReason": text,
        }
    }


def _model(payload: Mapping[str, object]) -> str | None:
    """Only Anthropic's own names: behind other clouds the same model has another one."""
    named = payload.get("model")
    found = _MODEL.fullmatch(named) if isinstance(named, str) else None
    return f"anthropic/{found[1]}" if found else None


def _text(payload: Mapping[str, object], field: str) -> str:
    text = _optional(payload, field)
    if not text:
        raise BadCall(f"no `{field}` in what Claude Code gave its hook", "report it, please")
    return text


def _folder(payload: Mapping[str, object]) -> str:
    """A relative one would be looked up from wherever the daemon happens to stand."""
    folder = _text(payload, "cwd")
    if not folder.startswith("/"):
        raise BadCall(
            "`cwd` in what Claude Code gave its hook is not an absolute path", "report it, please"
        )
    return folder


def _optional(payload: Mapping[str, object], field: str) -> str:
    match payload.get(field):
        case None:
            return ""
        case str(text) if "\0" not in text:
            return text
        case _:
            raise BadCall(f"`{field}` of Claude Code's hook is not plain text", "report it, please")


def _json(answer: Mapping[str, object]) -> str:
    """ASCII: half a surrogate pair in a reason must not keep an answer from being written."""
    return json.dumps(answer, separators=(",", ":")) + "\n"
