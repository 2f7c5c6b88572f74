"""Cline: what its hooks are given, and what they answer.

Cline knows one way to stop a call: `cancel`, which ends the whole run. It asks nobody for a hook's
sake, and takes a hook that fails for a yes; so the hook it is given always prints an answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass

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
    TurnEnded,
)
from automode.agents.shared.adapter import HostAdapter, json_line
from automode.agents.shared.fields import Fields
from automode.agents.shared.wording import noted, told
from automode.core.decision import Decision, Verdict, settled
from automode.core.errors import BadCall
from automode.core.tool_input import input_texts
from automode.core.transcript import Outcome

_AGAIN = "run `automode install cline` again"
_FIELDS = Fields("what Cline gave its hook", "Cline's hook", _AGAIN)
# A server's tool is called `server__tool`. The second half are names of older releases.
_OWN = frozenset(
    "run_commands read_files search_codebase editor apply_patch fetch_web_content skills"
    " ask_question spawn_agent submit_and_exit"
    " execute_command read_file write_to_file replace_in_file search_files list_files"
    " list_code_definition_names web_fetch web_search new_task".split()
)
_GO_ON = Answer('{"cancel":false}\n')

_ABILITIES = Abilities(
    asks=False,
    stops=True,
    deadline_ms=55_000,
    markers=("CLINE_CONNECTOR_CLI_LAUNCH",),
    hooks=HookProcess(has=("CLINE_CONNECTOR_CLI_LAUNCH", "CLINE_BUILD_ENV")),
    prompts="none: no hook is given what a person typed",
    failures=Failures(
        crash=Fate.BLOCKED,
        timeout=Fate.BLOCKED,
        plain_text=Fate.BLOCKED,
        silent_exit_2=Fate.BLOCKED,
        missing=Fate.RUNS,
    ),
    tested="3.0.65",
)


@dataclass(frozen=True, slots=True)
class Cline(HostAdapter):
    """Where a person is to be asked the run ends: nothing depends on `attended`."""

    name = "cline"
    abilities = _ABILITIES

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        event = _FIELDS.text(payload, "hookName")
        match event:
            case "tool_call":
                tool, given, call = _call(payload, event)
                return CallProposed(_speaker(payload), tool, given, id=call)
            case "tool_result":
                return _finished(payload)
            case "agent_start" | "agent_resume":
                return SessionStarted(_speaker(payload))
            case "prompt_submit":
                return _prompt(payload)
            case "agent_end":
                return TurnEnded(_speaker(payload), _words(payload))
            case "session_shutdown":
                return SessionEnded(_speaker(payload))
            case _:
                return Ignored(event)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event:
            case CallProposed():
                return _decided(decision)
            case CallFinished() if remarks.warning:
                return _said({"contextModification": remarks.warning}, remarks)
            case PromptTyped() if remarks.refusal:
                return _said({"cancel": True, "errorMessage": remarks.refusal}, remarks)
            case _:
                return _said({}, remarks)

    def denial(self, sentence: str) -> Mapping[str, object]:
        return _cancelled(sentence)

    def note(self, sentence: str) -> Mapping[str, object]:
        return {"contextModification": sentence}


def _decided(decision: Decision | None) -> Answer:
    """Whatever is not allowed ends the run. Never silence: the hook takes that for a failure."""
    if decision is None or not decision.enforced:
        return _GO_ON
    final = settled(decision, attended=False)
    if final.verdict is Verdict.ALLOW:
        return _GO_ON
    return Answer(json_line(_cancelled(told(final))))


def _cancelled(reason: str) -> dict[str, object]:
    return {"cancel": True, "errorMessage": reason}


def _speaker(payload: Mapping[str, object]) -> Speaker:
    """A sub-agent speaks with the session of its parent; its own id tells it apart."""
    match payload.get("sessionContext"):
        case {"rootSessionId": str(session)} if session:
            pass
        case _:
            session = _FIELDS.text(payload, "taskId")
    child = _FIELDS.optional(payload, "agent_id") if payload.get("parent_agent_id") else ""
    return Speaker(
        session=f"{session}/{child}" if child else session,
        cwd=_folder(payload),
        parent=session if child else None,
        attended=False,  # nobody is asked: see the class
    )


def _folder(payload: Mapping[str, object]) -> str:
    match payload:
        case {"workspaceInfo": {"rootPath": str(root)}} | {"workspaceRoots": [str(root), *_]}:
            if root.startswith("/"):
                return root
        case _:
            pass
    raise BadCall("`workspaceRoots` of Cline's hook name no folder", _AGAIN)


def _call(payload: Mapping[str, object], field: str) -> tuple[str, Mapping[str, object], str]:
    match payload.get(field):
        case {"name": str(tool), "input": {**given}, "id": str(call)} if tool and "\0" not in tool:
            return _named(tool), {str(name): value for name, value in given.items()}, call
        case _:
            raise BadCall(f"`{field}` of Cline's hook is no call of a tool", _AGAIN)


def _named(tool: str) -> str:
    """Nobody can say what another tool does, whatever it is called."""
    return tool if tool in _OWN or tool.startswith("mcp__") else f"mcp__cline__{tool}"


def _finished(payload: Mapping[str, object]) -> CallFinished:
    tool, given, call = _call(payload, "tool_result")
    match payload:
        case {"postToolUse": {"success": True}, "tool_result": {"output": output}}:
            outcome = Outcome.ERROR if _failed(output) else Outcome.OK
        case {"tool_result": {"output": output}} | {"tool_result": {"error": output}}:
            outcome = Outcome.ERROR
        case _:
            output, outcome = None, Outcome.ERROR
    text = "\n".join(input_texts(output))
    return CallFinished(_speaker(payload), call, tool, given, outcome, text)


def _failed(output: object) -> bool:
    """One of several commands or files is enough."""
    rows = output if isinstance(output, list) else [output]
    return any(isinstance(row, Mapping) and row.get("success") is False for row in rows)


def _prompt(payload: Mapping[str, object]) -> PromptTyped:
    """Nobody has seen one yet, so it is not taken for a person's."""
    match payload.get("userPromptSubmit"):
        case {"prompt": str(text)}:
            return PromptTyped(_speaker(payload), text, machine=True)
        case _:
            return PromptTyped(_speaker(payload), "", machine=True)


def _words(payload: Mapping[str, object]) -> str:
    match payload.get("turn"):
        case {"outputText": str(text)}:
            return text
        case _:
            return ""


def _said(answer: Mapping[str, object], remarks: Remarks) -> Answer:
    notes = [noted(part) for part in (remarks.refusal, remarks.notice) if part]
    return Answer(json_line(answer) if answer else "", "".join(f"{one}\n" for one in notes))
