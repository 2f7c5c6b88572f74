"""Claude Code: what its hooks are given, and what they answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.claude_code.answers import (
    FAILED,
    ClaudeCallFinished,
    decided,
    denied,
    finished,
    heard,
    permitted,
    replied,
    started,
    unscreened,
)
from automode.agents.claude_code.results import (
    ASKING,
    filled_in,
    finished_child,
    person_answers,
    read_text,
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
    PermissionSought,
    PersonSaid,
    PromptTyped,
    Remarks,
    SessionEnded,
    SessionStarted,
    Speaker,
    TurnEnded,
)
from automode.agents.shared.adapter import HostAdapter
from automode.agents.shared.fields import Fields, person_said
from automode.core.decision import Decision
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

# Turns that the agent gives itself: nothing else in the payload tells them from a person's.
_MACHINE_TURNS = ("<task-notification", "<system-reminder")
_NEVER_PROMPTS = "dontAsk"  # the mode in which whatever would be asked is denied
_FIELDS = Fields("what Claude Code gave its hook", "Claude Code's hook", "report it, please")
_MODEL = re.compile(r"(claude-[\w.-]+)(?:\[\w+\])?")

_ABILITIES = Abilities(
    asks=True,
    stops=True,
    deadline_ms=55_000,
    markers=("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"),
    rewrites=True,
    hooks=HookProcess(has=("CLAUDE_PROJECT_DIR", "CLAUDE_PID"), lacks=("CLAUDE_CODE_EXECPATH",)),
    prompts=(
        "UserPromptSubmit. The agent's own turns come the same way: they begin with a tag,"
        " or the agent has passed their words to a tool, and its record marks them once"
        " they are written (`promptSource`, `origin.kind`, `turnOrigin`)"
    ),
    failures=Failures(
        crash=Fate.BLOCKED,
        timeout=Fate.BLOCKED,
        plain_text=Fate.BLOCKED,
        silent_exit_2=Fate.BLOCKED,
        missing=Fate.BLOCKED,
    ),
    tested="2.1.325",
)


@dataclass(frozen=True, slots=True)
class ClaudeCode(HostAdapter):
    """`attended` is what the hook's own start knows; a payload can only take it back."""

    name = "claude-code"
    abilities = _ABILITIES

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        event = _FIELDS.text(payload, "hook_event_name")
        if event not in _EVENTS:
            return Ignored(event)
        speaker = self._speaker(payload)
        match event:
            case "PreToolUse":
                return CallProposed(speaker, *_proposal(payload), id=_identity(payload))
            case "PermissionRequest":
                return PermissionSought(speaker, *_proposal(payload), id=_identity(payload))
            case "PostToolUse" | "PostToolUseFailure":
                return _finished(speaker, payload, event)
            case "PermissionDenied":
                return CallFinished(
                    speaker, _identity(payload), *_call(payload), outcome=Outcome.DENIED
                )
            case "UserPromptSubmit":
                return _prompt(speaker, payload)
            case "SessionStart" | "SubagentStart":
                return SessionStarted(speaker)
            case "Stop":
                return TurnEnded(speaker, _words(payload))
            case _:
                return SessionEnded(speaker)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event:
            case CallProposed(speaker):
                return decided(decision, attended=speaker.attended)
            case PermissionSought(speaker):
                return permitted(decision, attended=speaker.attended)
            case SessionStarted(speaker):
                return started(speaker, remarks)
            case ClaudeCallFinished():
                return finished(event, remarks)
            case PersonSaid():
                return replied(remarks)
            case _:
                return heard(remarks)

    def denial(self, sentence: str) -> Mapping[str, object]:
        return denied(sentence)

    def note(self, sentence: str) -> Mapping[str, object]:
        return unscreened(sentence)

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        """A sub-agent speaks with the session of its parent; its own id tells it apart."""
        session, agent = _FIELDS.text(payload, "session_id"), _FIELDS.optional(payload, "agent_id")
        quiet = payload.get("permission_mode") == _NEVER_PROMPTS
        return Speaker(
            session=f"{session}/{agent}" if agent else session,
            cwd=_FIELDS.folder(payload),
            parent=session if agent else None,
            attended=self.attended and not quiet,
            model=_model(payload),
            record=_record(payload, agent),
        )


_EVENTS = frozenset(
    "PreToolUse PermissionRequest PostToolUse PostToolUseFailure PermissionDenied UserPromptSubmit"
    " SessionStart SubagentStart Stop SessionEnd SubagentStop".split()
)
"""`PermissionDenied` is Claude Code's own auto mode, which decides where automode has no say."""


def _call(payload: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    given = _FIELDS.given(payload, "tool_input")
    return _FIELDS.text(payload, "tool_name"), given


def _proposal(payload: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """A question whose answers the agent has filled in itself is not asked: they would come back
    as a person's."""
    tool, given = _call(payload)
    if tool == ASKING and given.get("answers"):
        raise BadCall(
            f"`answers` of {ASKING} are the person's to give", "ask again, without answers"
        )
    return tool, given


def _finished(speaker: Speaker, payload: Mapping[str, object], hook: str) -> ClaudeCallFinished:
    failed = hook == FAILED
    response = payload.get("error" if failed else "tool_response")
    stopped = isinstance(response, Mapping) and response.get("interrupted") is True
    tool, given = _call(payload)
    child = finished_child(tool, response)
    return ClaudeCallFinished(
        speaker,
        _identity(payload),
        tool,
        given,
        Outcome.ERROR if failed or stopped else Outcome.OK,
        result=read_text(tool, response),
        answers=person_answers(tool, response) if speaker.attended else (),
        child=f"{speaker.parent or speaker.session}/{child}" if child else "",
        added=filled_in(tool),
        response=response,
        hook=hook,
    )


def _prompt(speaker: Speaker, payload: Mapping[str, object]) -> PromptTyped | PersonSaid:
    """What reaches a sub-agent in the user's place was written by the agent above it."""
    text = payload.get("prompt")
    if not isinstance(text, str):
        raise BadCall("`prompt` of Claude Code's hook is no text", "report it, please")
    machine = speaker.parent is not None or text.lstrip().startswith(_MACHINE_TURNS)
    said = None if machine else person_said(speaker, text)
    if said is not None:
        return said
    return PromptTyped(speaker, text, machine=machine)


def _record(payload: Mapping[str, object], agent: str) -> str:
    """A sub-agent's stands in a folder beside that of its parent, which is the one it names."""
    path = _FIELDS.optional(payload, "transcript_path")
    if not agent or not path:
        return path
    return f"{path.removesuffix('.jsonl')}/subagents/agent-{agent}.jsonl"


def _words(payload: Mapping[str, object]) -> str:
    found = payload.get("last_assistant_message")
    return found if isinstance(found, str) else ""


def _identity(payload: Mapping[str, object]) -> str:
    return _FIELDS.optional(payload, "tool_use_id")


def _model(payload: Mapping[str, object]) -> str | None:
    """Only Anthropic's own names: behind other clouds the same model has another one."""
    named = payload.get("model")
    found = _MODEL.fullmatch(named) if isinstance(named, str) else None
    return f"anthropic/{found[1]}" if found else None
