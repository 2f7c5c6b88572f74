"""GitHub Copilot CLI: what its hooks are given, and what they answer.

No payload names its event, so it is known by its fields. Copilot also runs the hooks that stand in
a project's settings of Claude Code; how it speaks to those is in `copilot_guest.py`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.agents.copilot_cli.guest import GUEST, at_home
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
from automode.core.transcript import Outcome

_AGAIN = "run `automode install copilot-cli` again"
_FIELDS = Fields("what Copilot gave its hook", "Copilot's hook", _AGAIN)
# A server's tool is called `server-tool`.
_OWN = frozenset(
    "bash read_bash write_bash stop_bash list_bash powershell read_powershell write_powershell"
    " stop_powershell list_powershell view show_file create edit apply_patch str_replace_editor"
    " grep rg glob lsp web_fetch web_search task read_agent write_agent list_agents skill sql"
    " report_intent update_todo think ask_user exit_plan_mode task_complete store_memory"
    " vote_memory fetch_copilot_cli_documentation".split()
)
_WORDS = {Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DENY: "deny", Verdict.HALT: "deny"}


@dataclass(frozen=True, slots=True)
class CopilotCallFinished(CallFinished):
    """`kind` is what Copilot calls how it went; empty where a result cannot be changed."""

    kind: str = field(default="", repr=False)


_ABILITIES = Abilities(
    asks=True,
    stops=False,
    deadline_ms=55_000,
    markers=("COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"),
    rewrites=True,
    hooks=HookProcess(
        has=("COPILOT_PROJECT_DIR", "COPILOT_CLI"), lacks=("COPILOT_AGENT_SESSION_ID",)
    ),
    prompts="userPromptSubmitted; one with an `agentId` is what the agent told another",
    failures=Failures(
        crash=Fate.BLOCKED,
        timeout=Fate.BLOCKED,
        plain_text=Fate.BLOCKED,
        silent_exit_2=Fate.BLOCKED,
        missing=Fate.BLOCKED,
    ),
    tested="1.0.102",
)


@dataclass(frozen=True, slots=True)
class CopilotCli(HostAdapter):
    """`attended` is what the hook saw of the terminal. `guest`: it is a hook of Claude Code's that
    Copilot has called."""

    guest: bool = False

    name = "copilot-cli"
    abilities = _ABILITIES

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        said = at_home(payload) if self.guest else payload
        if self.guest and not said:
            return Ignored("what Copilot has no other name for")
        speaker = self._speaker(said)
        match said:
            case {"hookName": "permissionRequest"}:
                return PermissionSought(speaker, *_call(said, "toolInput"))
            case {"toolName": _, "toolResult": _} | {"toolName": _, "error": _}:
                return _finished(speaker, said)
            case {"toolName": _}:
                call = _call(said, "toolArgs")
                return CallProposed(speaker, *call, id=_identity(said, call))
            case {"prompt": _}:
                text = _FIELDS.optional(said, "prompt")
                return PromptTyped(speaker, text, machine=speaker.parent is not None)
            case {"reason": _} | {"agentName": _, "response": _}:
                return SessionEnded(speaker)
            case {"stopReason": _}:
                return TurnEnded(speaker)
            case {"source": _} | {"agentName": _}:
                return SessionStarted(speaker)
            case _:
                raise BadCall("no event of Copilot has these fields", _AGAIN)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event:
            case CallProposed(speaker):
                return self._decided(decision, attended=speaker.attended)
            case PermissionSought(speaker):
                return _permitted(decision, attended=speaker.attended)
            case SessionStarted():
                return _said({"additionalContext": GUIDANCE}, remarks)
            case CopilotCallFinished() if remarks.warning:
                return _said(_warned(event, remarks.warning), remarks)
            case _:
                return _said({}, remarks)

    def denial(self, sentence: str) -> Mapping[str, object]:
        """One answer for both hooks that a call waits for."""
        return {**_ruled("deny", sentence), "behavior": "deny"}

    def note(self, sentence: str) -> Mapping[str, object]:
        return {"additionalContext": sentence}

    def _decided(self, decision: Decision | None, *, attended: bool) -> Answer:
        """Nothing at all where automode has no say: then Copilot's own flow goes on."""
        if decision is None or not decision.enforced:
            return Answer()
        final = settled(decision, attended=attended)
        answer: dict[str, object] = _ruled(_WORDS[final.verdict], told(final))
        if self.guest:
            # Should it be Claude Code after all, it reads this.
            answer["hookSpecificOutput"] = {**GUEST, **answer}
        return Answer(json_line(answer))

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        """A sub-agent has a session of its own, but its questions come from the one above it."""
        session, agent = _FIELDS.text(payload, "sessionId"), _FIELDS.optional(payload, "agentId")
        above = _FIELDS.optional(payload, "parentAgentId")
        return Speaker(
            session=agent or session,
            cwd=_FIELDS.folder(payload),
            parent=(above or session) if agent else None,
            attended=self.attended,
        )


def _call(payload: Mapping[str, object], name: str) -> tuple[str, Mapping[str, object]]:
    """Some releases give the input as a text in JSON."""
    given = _FIELDS.given(payload, name, written=True)
    return _named(_FIELDS.text(payload, "toolName")), given


def _named(tool: str) -> str:
    """Nobody can say what another tool does, whatever it is called."""
    return tool if tool in _OWN or tool.startswith("mcp__") else f"mcp__copilot-cli__{tool}"


def _identity(payload: Mapping[str, object], call: tuple[str, Mapping[str, object]]) -> str:
    """Copilot names no call, but tells all hooks the same time of it."""
    at = payload.get("timestamp")
    if not isinstance(at, int) or isinstance(at, bool):
        return ""
    whole = json.dumps(call, sort_keys=True, default=str).encode("utf-8", "replace")
    return f"{at}-{hashlib.sha256(whole).hexdigest()[:16]}"


def _finished(speaker: Speaker, payload: Mapping[str, object]) -> CopilotCallFinished:
    tool, given = _call(payload, "toolArgs")
    match payload:
        case {"toolResult": {"resultType": str(kind), "textResultForLlm": str(text)}}:
            outcome = Outcome.OK if kind == "success" else Outcome.ERROR
            return CopilotCallFinished(speaker, "", tool, given, outcome, text, kind=kind)
        case {"error": str(text)}:
            return CopilotCallFinished(speaker, "", tool, given, Outcome.ERROR, text)
        case _:
            return CopilotCallFinished(speaker, "", tool, given, Outcome.ERROR)


def _warned(event: CopilotCallFinished, warning: str) -> dict[str, object]:
    if not event.kind:
        return {"additionalContext": warning}
    text = f"{warning}\n{event.result}"
    return {"modifiedResult": {"resultType": event.kind, "textResultForLlm": text}}


def _ruled(word: str, reason: str) -> dict[str, object]:
    return {"permissionDecision": word, "permissionDecisionReason": reason}


def _permitted(decision: Decision | None, *, attended: bool) -> Answer:
    """The answer to Copilot's own question. Without one the person's dialog goes on."""
    if decision is None or not decision.enforced:
        return Answer()
    final = settled(decision, attended=attended)
    if final.verdict is Verdict.ASK:
        return Answer()
    answer: dict[str, object] = {"behavior": _WORDS[final.verdict]}
    if final.verdict >= Verdict.DENY:
        answer["message"] = told(final)
    if final.verdict is Verdict.HALT:
        answer["interrupt"] = True
    return Answer(json_line(answer))


def _said(answer: Mapping[str, object], remarks: Remarks) -> Answer:
    """Copilot shows a person nothing of a hook; what it prints as an error is in its log."""
    notes = [noted(part) for part in (remarks.refusal, remarks.notice) if part]
    return Answer(json_line(answer) if answer else "", "".join(f"{one}\n" for one in notes))
