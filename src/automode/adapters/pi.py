"""Pi: what its extension `install/pi/automode.ts` says, and what it is answered.

In    {"event": "tool_call", "session": …, "cwd": …, "record": …, "model": …, "toolName": …, …}
      The events have the names that Pi gives them; `refused` is the extension's own: a person said
      no in its dialog.
Out   {"verdict": "deny", "source": …, "text": …} to `tool_call`, with `null` where automode has no
      say; remarks to everything else.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from automode.adapters.fields import Fields
from automode.adapters.seam import (
    NO_REMARKS,
    Abilities,
    Answer,
    CallFinished,
    CallProposed,
    Failures,
    Fate,
    HostEvent,
    Ignored,
    Instructions,
    Moment,
    PromptTyped,
    Remarks,
    SessionEnded,
    SessionStarted,
    Speaker,
    TurnEnded,
)
from automode.adapters.wording import GUIDANCE, noted, told, undecided, unseen
from automode.core.decision import Decision, Verdict, settled
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

CLOSED = "hook.closed"
INSPECTING = "The tool `automode_inspect` shows what was denied in this session and why."
_STOP = 2
_AGAIN = "run `automode install pi` again"
_FIELDS = Fields("what Pi's extension said", "Pi's extension", _AGAIN)
_PERSONS = frozenset({"interactive", "rpc"})
_MODEL = re.compile(r"[\w.-]+/\S+", re.ASCII)
_EVENTS = frozenset(
    "session_start before_agent_start input tool_call tool_result refused agent_end"
    " session_shutdown".split()
)


@dataclass(frozen=True, slots=True)
class Pi:
    """`attended` is what the extension says with the host's name: whether Pi can show a dialog."""

    attended: bool = True

    @property
    def name(self) -> str:
        return "pi"

    @property
    def abilities(self) -> Abilities:
        return Abilities(
            asks=True,
            stops=True,
            deadline_ms=55_000,
            markers=("PI_CODING_AGENT",),
            rewrites=True,
            itself=True,
            prompts="the event `input`; its `source` is `extension` where a machine wrote the text",
            failures=Failures(
                crash=Fate.BLOCKED,
                timeout=Fate.BLOCKED,
                plain_text=Fate.BLOCKED,
                silent_exit_2=Fate.NONE,
                missing=Fate.BLOCKED,
            ),
            tested="0.87.1, 0.73.1",
        )

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        event = _FIELDS.text(payload, "event")
        if event not in _EVENTS:
            return Ignored(event)
        speaker = self._speaker(payload)
        match event:
            case "tool_call":
                return CallProposed(
                    speaker, *_call(payload), id=_FIELDS.optional(payload, "toolCallId")
                )
            case "tool_result" | "refused":
                return _finished(speaker, payload, event)
            case "input":
                machine = _FIELDS.optional(payload, "source") not in _PERSONS
                return PromptTyped(speaker, _FIELDS.optional(payload, "text"), machine=machine)
            case "session_start":
                return SessionStarted(speaker)
            case "before_agent_start":
                return SessionStarted(speaker, _instructions(payload))
            case "agent_end":
                return TurnEnded(speaker, _FIELDS.optional(payload, "words"), _calls(payload))
            case _:
                return SessionEnded(speaker)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event:
            case CallProposed(speaker):
                return _verdict(decision, attended=speaker.attended)
            case SessionStarted():
                return _said({"guidance": f"{GUIDANCE} {INSPECTING}"}, remarks)
            case Ignored():
                return Answer()
            case _:
                return _said({}, remarks)

    def closed(self, moment: Moment, reason: str) -> Answer:
        if moment is Moment.FINISHED:
            return Answer(_json({"warning": unseen(reason)}), f"{noted(reason)}\n")
        if moment is not Moment.PROPOSED:
            return Answer(stderr=f"{noted(reason)}\n")
        sentence = undecided(reason)
        denied = {"verdict": "deny", "source": CLOSED, "text": sentence}
        return Answer(_json(denied), f"{sentence}\n", exit=_STOP)

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        return Speaker(
            session=_FIELDS.text(payload, "session"),
            cwd=_FIELDS.folder(payload),
            attended=self.attended,
            model=_model(payload),
            record=_FIELDS.optional(payload, "record"),
        )


def _call(payload: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    given = payload.get("input")
    if not isinstance(given, Mapping):
        raise BadCall("`input` of a call in Pi is no object", _AGAIN)
    return _FIELDS.text(payload, "toolName"), given


def _finished(speaker: Speaker, payload: Mapping[str, object], event: str) -> CallFinished:
    outcome = Outcome.ERROR if payload.get("isError") is not False else Outcome.OK
    tool, given = _call(payload)
    return CallFinished(
        speaker,
        _FIELDS.optional(payload, "toolCallId"),
        tool,
        given,
        Outcome.REJECTED if event == "refused" else outcome,
        result=_FIELDS.optional(payload, "text", odd=True),
    )


def _instructions(payload: Mapping[str, object]) -> tuple[Instructions, ...] | None:
    """None where Pi does not say which files it was given."""
    match payload.get("contextFiles"):
        case None:
            return None
        case [*files]:
            return tuple(_file(one) for one in files)
        case _:
            raise BadCall("`contextFiles` of Pi is no list", _AGAIN)


def _file(found: object) -> Instructions:
    match found:
        case {"path": str(path), "content": str(text)}:
            return Instructions(path, text)
        case _:
            raise BadCall("one of Pi's `contextFiles` has no path or no content", _AGAIN)


def _calls(payload: Mapping[str, object]) -> tuple[str, ...] | None:
    match payload.get("calls"):
        case None:
            return None
        case [*ids] if all(isinstance(one, str) for one in ids):
            return tuple(str(one) for one in ids)
        case _:
            raise BadCall("`calls` of Pi is no list of ids", _AGAIN)


def _verdict(decision: Decision | None, *, attended: bool) -> Answer:
    """Pi has no questions of its own: where automode has no say, the call runs."""
    if decision is None:
        return Answer(_json({"verdict": None}))
    if not decision.enforced:
        return Answer(_json({"verdict": None, "source": decision.source}))
    final = settled(decision, attended=attended)
    answer = {"verdict": final.verdict.word, "source": final.source}
    if final.verdict is not Verdict.ALLOW:
        answer["text"] = told(final)
    return Answer(_json(answer), exit=_STOP if final.verdict >= Verdict.DENY else 0)


def _said(answer: Mapping[str, str], remarks: Remarks) -> Answer:
    spoken = {
        "warning": remarks.warning,
        "notice": remarks.notice,
        "refusal": remarks.refusal,
    }
    return Answer(_json({**answer, **{name: text for name, text in spoken.items() if text}}))


def _model(payload: Mapping[str, object]) -> str | None:
    named = _FIELDS.optional(payload, "model")
    return named if _MODEL.fullmatch(named) else None


def _json(answer: Mapping[str, object]) -> str:
    """ASCII: half a surrogate pair in a reason must not keep an answer from being written."""
    return json.dumps(answer, separators=(",", ":")) + "\n"
