"""Cursor: what its hooks are given, and what they answer. From its documentation, never run here.

Cursor also runs the hooks that stand in Claude Code's settings, with payloads of its own shape: the
same adapter reads those, and the same id of a call keeps it from being decided twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.agents.events import (
    NO_REMARKS,
    Abilities,
    Answer,
    CallFinished,
    CallProposed,
    Failures,
    Fate,
    HostEvent,
    Ignored,
    PromptTyped,
    Remarks,
    SessionEnded,
    SessionStarted,
    Speaker,
    TurnEnded,
)
from automode.agents.shared.adapter import HostAdapter, json_line
from automode.agents.shared.fields import Fields
from automode.agents.shared.wording import GUIDANCE, noted, told
from automode.core.decision import Decision, Verdict, settled
from automode.core.errors import BadCall
from automode.core.tool_input import input_texts
from automode.core.transcript import Outcome

_AGAIN = "run `automode install cursor` again"
_FIELDS = Fields("what Cursor gave its hook", "Cursor's hook", _AGAIN)
_EVENTS = {
    name.casefold(): name
    for name in (
        *("preToolUse", "postToolUse", "postToolUseFailure", "beforeSubmitPrompt"),
        *("sessionStart", "sessionEnd", "stop"),
    )
} | {"userpromptsubmit": "beforeSubmitPrompt"}
"""Hooks of Claude Code's may be told its own names of the events."""


@dataclass(frozen=True, slots=True)
class CursorCallFinished(CallFinished):
    """`mcp`: a tool of a server, and only of those Cursor lets a result be changed."""

    mcp: bool = field(default=False, repr=False)


_ABILITIES = Abilities(
    asks=False,
    stops=False,
    deadline_ms=55_000,
    markers=("CURSOR_AGENT", "CURSOR_TRACE_ID"),
    prompts="beforeSubmitPrompt; nothing tells a machine's words from a person's",
    failures=Failures(
        crash=Fate.BLOCKED,
        timeout=Fate.BLOCKED,
        plain_text=Fate.BLOCKED,
        silent_exit_2=Fate.BLOCKED,
        missing=Fate.BLOCKED,
    ),
    tested="not run, from its documentation",
)


@dataclass(frozen=True, slots=True)
class Cursor(HostAdapter):
    """Where a person is to be asked the call is denied: before a tool is used Cursor does not ask
    for a hook's sake. So nothing depends on `attended`."""

    name = "cursor"
    abilities = _ABILITIES

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        named = _FIELDS.text(payload, "hook_event_name")
        event = _EVENTS.get(named.casefold())
        if event is None:
            return Ignored(named)
        speaker = self._speaker(payload)
        match event:
            case "preToolUse":
                identity = _FIELDS.optional(payload, "tool_use_id")
                return CallProposed(speaker, *_call(payload), id=identity)
            case "postToolUse" | "postToolUseFailure":
                return _finished(speaker, payload, failed=event == "postToolUseFailure")
            case "beforeSubmitPrompt":
                return PromptTyped(speaker, _FIELDS.optional(payload, "prompt"))
            case "sessionStart":
                return SessionStarted(speaker)
            case "stop":
                return TurnEnded(speaker)
            case _:
                return SessionEnded(speaker)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event:
            case CallProposed():
                return _decided(decision)
            case SessionStarted():
                return _said({"additional_context": GUIDANCE}, remarks)
            case CursorCallFinished() if remarks.warning:
                return _said(_warned(event, remarks.warning), remarks)
            case PromptTyped() if remarks.refusal:
                return _said({"continue": False, "user_message": remarks.refusal}, remarks)
            case _:
                return _said({}, remarks)

    def denial(self, sentence: str) -> Mapping[str, object]:
        return {"permission": "deny", "agent_message": sentence}

    def note(self, sentence: str) -> Mapping[str, object]:
        return {"additional_context": sentence}

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        model = _FIELDS.optional(payload, "model")
        return Speaker(
            session=_FIELDS.text(payload, "conversation_id"),
            cwd=_folder(payload),
            attended=False,  # nobody is asked: see the class
            model=model if "/" in model else None,
        )


def is_cursor(payload: Mapping[str, object]) -> bool:
    """Every payload of Cursor's says so."""
    return isinstance(payload.get("cursor_version"), str) or "conversation_id" in payload


def _folder(payload: Mapping[str, object]) -> str:
    """Only calls name one; a workspace may have several roots, and the first counts."""
    match payload:
        case {"cwd": str(folder)} if folder:
            found = folder
        case {"workspace_roots": [str(root), *_]}:
            found = root
        case _:
            found = ""
    if not found.startswith("/"):
        raise BadCall("`cwd` and `workspace_roots` of Cursor's hook name no folder", _AGAIN)
    return found


def _call(payload: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """Some events give the input as a text in JSON."""
    given = _FIELDS.given(payload, "tool_input", written=True)
    return _FIELDS.text(payload, "tool_name"), given


def _finished(
    speaker: Speaker, payload: Mapping[str, object], *, failed: bool
) -> CursorCallFinished:
    tool, given = _call(payload)
    result = payload.get("error_message" if failed else "tool_output")
    return CursorCallFinished(
        speaker,
        _FIELDS.optional(payload, "tool_use_id"),
        tool,
        given,
        Outcome.ERROR if failed else Outcome.OK,
        "\n".join(input_texts(result)),
        mcp=tool.startswith("MCP:") and not failed,
    )


def _warned(event: CursorCallFinished, warning: str) -> dict[str, object]:
    """The output of a shell stays as it is, and the warning stands beside it."""
    beside: dict[str, object] = {"additional_context": warning}
    if event.mcp:
        text = f"{warning}\n{event.result}"
        beside["updated_mcp_tool_output"] = {"content": [{"type": "text", "text": text}]}
    return beside


def _decided(decision: Decision | None) -> Answer:
    """Never silence: with `failClosed` Cursor takes that for a no."""
    if decision is None or not decision.enforced:
        return Answer("{}\n")
    final = settled(decision, attended=False)
    allowed = final.verdict is Verdict.ALLOW
    return Answer(json_line(_ruled("allow", "") if allowed else _ruled("deny", told(final))))


def _ruled(word: str, reason: str) -> dict[str, object]:
    """In Cursor's dialect, and in the one that Claude Code's hooks speak: whoever called this hook
    reads one of them."""
    claude = {"hookEventName": "PreToolUse", "permissionDecision": word}
    if not reason:
        return {"permission": word, "hookSpecificOutput": claude}
    return {
        "permission": word,
        "user_message": reason,
        "agent_message": reason,
        "hookSpecificOutput": {**claude, "permissionDecisionReason": reason},
    }


def _said(answer: Mapping[str, object], remarks: Remarks) -> Answer:
    notes = [noted(part) for part in (remarks.refusal, remarks.notice) if part]
    return Answer(json_line(answer) if answer else "", "".join(f"{one}\n" for one in notes))
