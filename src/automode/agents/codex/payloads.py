"""Codex CLI: what its hooks are given, and what they answer.

Codex takes every answer that it does not know for none, and then the call runs. So each event is
answered with the few fields that it was measured to obey, and an allowed call with silence.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
from automode.agents.shared.adapter import HostAdapter, json_line
from automode.agents.shared.fields import Fields, person_said
from automode.agents.shared.wording import (
    GUIDANCE,
    LONGEST,
    noted,
    shown,
    told,
)
from automode.core.decision import Decision, Verdict, settled
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

LONGEST_REWRITTEN = 20_000  # letters: behind a warning Codex no longer cuts a result short
CANNOT_ASK = (
    "Codex has no way to put this question to the person. If they want this very call, they run"
    " `automode approve` in a terminal of their own; then repeat it."
)
# What Codex itself puts in the user's place.
_MACHINE_TURNS = (
    *("<subagent_notification", "<codex_internal_context", "<turn_aborted", "<hook_prompt"),
    *("<user_shell_command", "<environment_context"),
)
_NEVER_PROMPTS = ("bypassPermissions", "dontAsk")  # `codex exec`, and `--ask-for-approval never`
_FIELDS = Fields("what Codex gave its hook", "Codex's hook", "report it, please")
_MODEL = re.compile(r"(?:gpt|codex|o\d)[\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class CodexCallFinished(CallFinished):
    """With the result as the model would read it: a warning takes its place."""

    response: str = field(default="", repr=False)


_ABILITIES = Abilities(
    asks=False,
    stops=False,
    deadline_ms=55_000,
    markers=("CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_TOOL_CALL_ID"),
    rewrites=True,
    hooks=HookProcess(lacks=("CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID")),
    prompts=(
        "UserPromptSubmit. A sub-agent's prompt, written by the agent above it, has an"
        " `agent_id`; what Codex itself writes begins with a tag"
    ),
    failures=Failures(
        crash=Fate.RUNS,
        timeout=Fate.RUNS,
        plain_text=Fate.RUNS,
        silent_exit_2=Fate.RUNS,
        missing=Fate.BLOCKED,
    ),
    tested="0.166.0",
)


@dataclass(frozen=True, slots=True)
class Codex(HostAdapter):
    """`attended` is what the hook's own start knows; a payload can only take it back."""

    name = "codex"
    abilities = _ABILITIES

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        event = _FIELDS.text(payload, "hook_event_name")
        if event not in _EVENTS:
            return Ignored(event)
        speaker = self._speaker(payload)
        match event:
            case "PreToolUse":
                return CallProposed(speaker, *_call(payload), id=_identity(payload))
            case "PermissionRequest":
                return PermissionSought(speaker, *_sought(payload), id=_identity(payload))
            case "PostToolUse":
                return _finished(speaker, payload)
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
                return _decided(decision, attended=speaker.attended)
            case PermissionSought(speaker):
                return _permitted(decision, attended=speaker.attended)
            case SessionStarted(speaker):
                return _started(speaker, remarks)
            case CodexCallFinished():
                return _said(_to_its_result(event, remarks.warning), remarks)
            case PersonSaid():
                return _blocked(_lines(remarks.reply or "nothing was done"))
            case PromptTyped() if remarks.refusal:
                return _blocked(_named(remarks.refusal))
            case SessionEnded() | Ignored():
                return Answer()
            case _:
                return _said({}, remarks)

    def denial(self, sentence: str) -> Mapping[str, object]:
        return _denied(sentence)

    def note(self, sentence: str) -> Mapping[str, object]:
        return _context("PostToolUse", sentence)

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        """A sub-agent speaks with the session of its parent; its own id tells it apart."""
        session, agent = _FIELDS.text(payload, "session_id"), _FIELDS.optional(payload, "agent_id")
        return Speaker(
            session=f"{session}/{agent}" if agent else session,
            cwd=_FIELDS.folder(payload),
            parent=session if agent else None,
            attended=self.attended and payload.get("permission_mode") not in _NEVER_PROMPTS,
            model=_model(payload),
        )


_EVENTS = frozenset(
    "PreToolUse PermissionRequest PostToolUse UserPromptSubmit SessionStart SubagentStart Stop"
    " SessionEnd SubagentStop".split()
)


def _call(payload: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    given = _FIELDS.given(payload, "tool_input")
    return _FIELDS.text(payload, "tool_name"), given


def _sought(payload: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """As it was proposed: only here the agent's own reason stands beside the input."""
    tool, given = _call(payload)
    return tool, {name: value for name, value in given.items() if name != "description"}


def _identity(payload: Mapping[str, object]) -> str:
    return _FIELDS.optional(payload, "tool_use_id")


def _finished(speaker: Speaker, payload: Mapping[str, object]) -> CodexCallFinished:
    """A command that failed comes this way, too, and nothing in the payload tells it apart."""
    response = payload.get("tool_response")
    text = response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
    tool, given = _call(payload)
    return CodexCallFinished(
        speaker, _identity(payload), tool, given, Outcome.OK, result=text, response=text
    )


def _prompt(speaker: Speaker, payload: Mapping[str, object]) -> PromptTyped | PersonSaid:
    """What reaches a sub-agent in the user's place was written by the agent above it."""
    text = payload.get("prompt")
    if not isinstance(text, str):
        raise BadCall("`prompt` of Codex's hook is no text", "report it, please")
    machine = speaker.parent is not None or text.lstrip().startswith(_MACHINE_TURNS)
    said = None if machine else person_said(speaker, text)
    return PromptTyped(speaker, text, machine=machine) if said is None else said


def _model(payload: Mapping[str, object]) -> str | None:
    named = payload.get("model")
    return f"openai/{named}" if isinstance(named, str) and _MODEL.fullmatch(named) else None


def _decided(decision: Decision | None, *, attended: bool) -> Answer:
    """Silence for yes: the word itself would be an error."""
    if decision is None or not decision.enforced:
        return Answer()
    final = settled(decision, attended=attended)
    match final.verdict:
        case Verdict.ALLOW:
            return Answer()
        case Verdict.ASK:
            instead = f"{final.advice.rstrip('.')}. {CANNOT_ASK}" if final.advice else CANNOT_ASK
            refused = replace(final, verdict=Verdict.DENY, advice=instead)
            return Answer(json_line(_denied(told(refused))))
        case _:
            return Answer(json_line(_denied(told(final))))


def _permitted(decision: Decision | None, *, attended: bool) -> Answer:
    """The answer to Codex's own question. Without one the person's dialog goes on."""
    if decision is None or not decision.enforced:
        return Answer()
    final = settled(decision, attended=attended)
    if final.verdict is Verdict.ASK:
        return Answer()
    ruled: dict[str, object] = {"behavior": "allow"}
    if final.verdict >= Verdict.DENY:
        ruled = {"behavior": "deny", "message": told(final)}
    return Answer(json_line(_specific("PermissionRequest", decision=ruled)))


def _started(speaker: Speaker, remarks: Remarks) -> Answer:
    """Only a session of its own can be kept from starting."""
    if speaker.parent is not None:
        return _said(_context("SubagentStart", GUIDANCE), remarks)
    answer: dict[str, object] = _context("SessionStart", GUIDANCE)
    if remarks.refusal:
        answer |= {"continue": False, "stopReason": _named(remarks.refusal)}
    return _said(answer, remarks)


def _to_its_result(event: CodexCallFinished, warning: str) -> dict[str, object]:
    """The reason of a block is read in the place of the result."""
    if not warning:
        return {}
    if len(event.response) > LONGEST_REWRITTEN:
        return _context("PostToolUse", warning)
    return {"decision": "block", "reason": f"{warning}\n{event.response}"}


def _said(answer: dict[str, object], remarks: Remarks) -> Answer:
    notice = "\n".join(_named(part) for part in (remarks.refusal, remarks.notice) if part)
    if notice:
        answer |= {"systemMessage": notice}
    return Answer(json_line(answer)) if answer else Answer()


def _blocked(reason: str) -> Answer:
    """A prompt that does not reach the model; the person reads why."""
    return Answer(json_line({"decision": "block", "reason": reason[:LONGEST]}))


def _lines(reply: str) -> str:
    first, *others = reply.splitlines() or [""]
    return "\n".join(shown(line) for line in (f"automode: {first}", *others))


def _named(text: str) -> str:
    """Whoever speaks is named once."""
    return noted(text.removeprefix("automode: "))


def _denied(sentence: str) -> dict[str, object]:
    return _specific("PreToolUse", permissionDecision="deny", permissionDecisionReason=sentence)


def _context(hook: str, text: str) -> dict[str, object]:
    return _specific(hook, additionalContext=text)


def _specific(hook: str, **said: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": hook, **said}}
