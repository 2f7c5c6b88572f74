"""Gemini CLI: what its hooks are given, and what they answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.claude_code.answers import context, in_context, started
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
from automode.agents.shared.gemini_family import called, failed, read_text, typed_text
from automode.agents.shared.wording import noted, summary, told
from automode.core.decision import Decision, Verdict, settled
from automode.core.transcript import Outcome

AFTER = "AfterTool"
LONGEST_ERROR = 100_000  # characters
_FIELDS = Fields("what Gemini CLI gave its hook", "Gemini CLI's hook", "report it, please")
_EVENTS = frozenset("BeforeTool AfterTool BeforeAgent AfterAgent SessionStart SessionEnd".split())

_ABILITIES = Abilities(
    asks=True,
    stops=True,
    deadline_ms=55_000,
    markers=("GEMINI_CLI", "GEMINI_SESSION_ID"),
    allows=False,
    hooks=HookProcess(has=("GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR"), lacks=("GEMINI_CLI",)),
    prompts=(
        "BeforeAgent. Context of hooks stands in front of a person's words and files that"
        " they name behind them; both are taken out"
    ),
    failures=Failures(
        crash=Fate.BLOCKED,
        timeout=Fate.RUNS,
        plain_text=Fate.RUNS,
        silent_exit_2=Fate.RUNS,
        missing=Fate.BLOCKED,
    ),
    tested="0.61.0",
)


@dataclass(frozen=True, slots=True)
class GeminiCli(HostAdapter):
    """`attended` is what the hook saw of the agent's own terminal: an `ask` that nobody can answer
    would wait for ever."""

    name = "gemini-cli"
    abilities = _ABILITIES

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        event = _FIELDS.text(payload, "hook_event_name")
        if event not in _EVENTS:
            return Ignored(event)
        speaker = self._speaker(payload)
        match event:
            case "BeforeTool":
                return CallProposed(speaker, *called(payload, _FIELDS))
            case "AfterTool":
                return _finished(speaker, payload)
            case "BeforeAgent":
                return PromptTyped(speaker, typed_text(_FIELDS.optional(payload, "prompt")))
            case "AfterAgent":
                words = _FIELDS.optional(payload, "prompt_response", odd=True)
                return TurnEnded(speaker, words)
            case "SessionStart":
                return SessionStarted(speaker)
            case _:
                return SessionEnded(speaker)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event:
            case CallProposed(speaker):
                return _decided(decision, attended=speaker.attended)
            case SessionStarted(speaker):
                return started(speaker, remarks)
            case CallFinished(outcome=Outcome.ERROR, result=result) if remarks.warning:
                return _replaced(result, remarks)
            case _:
                return in_context(AFTER, remarks)

    def denial(self, sentence: str) -> Mapping[str, object]:
        return _ruled("deny", sentence)

    def note(self, sentence: str) -> Mapping[str, object]:
        return context(AFTER, sentence)

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        """Its sub-agents cannot be told from it."""
        return Speaker(
            session=_FIELDS.text(payload, "session_id"),
            cwd=_FIELDS.folder(payload),
            attended=self.attended,
            record=_FIELDS.optional(payload, "transcript_path"),
        )


def _finished(speaker: Speaker, payload: Mapping[str, object]) -> CallFinished:
    response = payload.get("tool_response")
    outcome = Outcome.ERROR if failed(response) else Outcome.OK
    return CallFinished(speaker, "", *called(payload, _FIELDS), outcome, result=read_text(response))


def _decided(decision: Decision | None, *, attended: bool) -> Answer:
    """Nothing at all where automode has no say: then the agent's own flow goes on."""
    if decision is None or not decision.enforced:
        return Answer()
    final = settled(decision, attended=attended)
    match final.verdict:
        case Verdict.ALLOW:
            return Answer(json_line(_ruled("allow", told(final))))
        case Verdict.ASK:
            # Its dialog shows this, and not the reason.
            return Answer(json_line(_ruled("ask", told(final), systemMessage=told(final))))
        case Verdict.DENY:
            return Answer(json_line(_ruled("deny", told(final))))
        case Verdict.HALT:
            stopping = {"continue": False, "stopReason": summary(final)}
            return Answer(json_line(_ruled("deny", told(final), **stopping)))


def _replaced(result: str, remarks: Remarks) -> Answer:
    """Of a call that failed its model reads the error alone, and no context behind it. So the
    warning goes in front of that, as far as an answer can hold it."""
    if len(result) > LONGEST_ERROR:
        return in_context(AFTER, remarks)
    said = {"systemMessage": noted(remarks.notice)} if remarks.notice else {}
    return Answer(json_line(_ruled("deny", f"{remarks.warning}\n{result}", **said)))


def _ruled(word: str, reason: str, **more: object) -> dict[str, object]:
    return {"decision": word, "reason": reason, **more}
