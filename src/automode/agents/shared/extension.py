"""The dialect of automode's own extensions: what they say inside an agent, and what they hear.

In    {"event": "tool_call", "session": …, "cwd": …, "record": …, "model": …, "toolName": …, …}
      The events have the names that Pi gives them; `refused` is the extensions' own: a person said
      no in their dialog. `parent` is the session of which this one is a sub-agent's.
Out   {"verdict": "deny", "source": …, "text": …} to `tool_call`, with `null` where automode has no
      say; remarks to everything else.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from automode.agents.events import (
    NO_REMARKS,
    Answer,
    CallFinished,
    CallProposed,
    Failures,
    Fate,
    HostEvent,
    Ignored,
    Instructions,
    PromptTyped,
    Remarks,
    SessionEnded,
    SessionStarted,
    Speaker,
    TurnEnded,
)
from automode.agents.shared.adapter import STOP, HostAdapter, json_line
from automode.agents.shared.fields import Fields
from automode.agents.shared.wording import GUIDANCE, told
from automode.core.decision import Decision, Verdict, settled
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

CLOSED = "hook.closed"
ALL_CLOSE = Failures(
    crash=Fate.BLOCKED,
    timeout=Fate.BLOCKED,
    plain_text=Fate.BLOCKED,
    silent_exit_2=Fate.NONE,
    missing=Fate.BLOCKED,
)
_PERSONS = frozenset({"interactive", "rpc"})
_MODEL = re.compile(r"[\w.-]+/\S+", re.ASCII)
_EVENTS = frozenset(
    "session_start before_agent_start input tool_call tool_result refused agent_end"
    " session_shutdown".split()
)


@dataclass(frozen=True, slots=True)
class ExtensionAdapter(HostAdapter):
    """For an agent that automode speaks to from within, by an extension. `title` as people call it.
    `inspecting`: one more sentence of guidance. `own`: the agent's own tools, where those of
    servers have no mark of theirs."""

    title: ClassVar[str]
    inspecting: ClassVar[str] = ""
    own: ClassVar[frozenset[str] | None] = None

    @property
    def again(self) -> str:
        return f"run `automode install {self.name}` again"

    @property
    def fields(self) -> Fields:
        what = f"{self.title}'s extension"
        return Fields(f"what {what} said", what, self.again)

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        fields = self.fields
        event = fields.text(payload, "event")
        if event not in _EVENTS:
            return Ignored(event)
        speaker = _speaker(fields, payload, attended=self.attended)
        match event:
            case "tool_call":
                call = self._call(payload)
                return CallProposed(speaker, *call, id=fields.optional(payload, "toolCallId"))
            case "tool_result" | "refused":
                return self._finished(speaker, payload, event)
            case "input":
                machine = fields.optional(payload, "source") not in _PERSONS
                return PromptTyped(speaker, fields.optional(payload, "text"), machine=machine)
            case "session_start":
                return SessionStarted(speaker)
            case "before_agent_start":
                return SessionStarted(speaker, self._instructions(payload))
            case "agent_end":
                return TurnEnded(speaker, fields.optional(payload, "words"), self._calls(payload))
            case _:
                return SessionEnded(speaker)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event:
            case CallProposed(speaker):
                return _verdict(decision, attended=speaker.attended)
            case SessionStarted():
                return _said({"guidance": f"{GUIDANCE} {self.inspecting}".strip()}, remarks)
            case Ignored():
                return Answer()
            case _:
                return _said({}, remarks)

    def denial(self, sentence: str) -> Mapping[str, object]:
        return {"verdict": "deny", "source": CLOSED, "text": sentence}

    def note(self, sentence: str) -> Mapping[str, object]:
        return {"warning": sentence}

    def _call(self, payload: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
        given = payload.get("input")
        if not isinstance(given, Mapping):
            raise BadCall(f"`input` of a call in {self.title} is no object", self.again)
        return self._named(self.fields.text(payload, "toolName")), given

    def _named(self, tool: str) -> str:
        """Nobody can say what another tool does, whatever it is called."""
        known = self.own is None or tool in self.own or tool.startswith("mcp__")
        return tool if known else f"mcp__{self.name}__{tool}"

    def _finished(
        self, speaker: Speaker, payload: Mapping[str, object], event: str
    ) -> CallFinished:
        outcome = Outcome.ERROR if payload.get("isError") is not False else Outcome.OK
        tool, given = self._call(payload)
        return CallFinished(
            speaker,
            self.fields.optional(payload, "toolCallId"),
            tool,
            given,
            Outcome.REJECTED if event == "refused" else outcome,
            result=self.fields.optional(payload, "text", odd=True),
            child=self.fields.optional(payload, "child"),
        )

    def _instructions(self, payload: Mapping[str, object]) -> tuple[Instructions, ...] | None:
        """None where the agent does not say which files it was given."""
        match payload.get("contextFiles"):
            case None:
                return None
            case [*files]:
                return tuple(self._file(one) for one in files)
            case _:
                raise BadCall(f"`contextFiles` of {self.title} is no list", self.again)

    def _file(self, found: object) -> Instructions:
        match found:
            case {"path": str(path), "content": str(text)}:
                return Instructions(path, text)
            case _:
                which = f"one of {self.title}'s `contextFiles`"
                raise BadCall(f"{which} has no path or no content", self.again)

    def _calls(self, payload: Mapping[str, object]) -> tuple[str, ...] | None:
        match payload.get("calls"):
            case None:
                return None
            case [*ids] if all(isinstance(one, str) for one in ids):
                return tuple(str(one) for one in ids)
            case _:
                raise BadCall(f"`calls` of {self.title} is no list of ids", self.again)


def _speaker(fields: Fields, payload: Mapping[str, object], *, attended: bool) -> Speaker:
    return Speaker(
        session=fields.text(payload, "session"),
        cwd=fields.folder(payload),
        parent=fields.optional(payload, "parent") or None,
        attended=attended,
        model=_model(fields, payload),
        record=fields.optional(payload, "record"),
    )


def _verdict(decision: Decision | None, *, attended: bool) -> Answer:
    """Where automode has no say, the agent's own flow goes on."""
    if decision is None:
        return Answer(json_line({"verdict": None}))
    if not decision.enforced:
        return Answer(json_line({"verdict": None, "source": decision.source}))
    final = settled(decision, attended=attended)
    answer = {"verdict": final.verdict.word, "source": final.source}
    if final.verdict is not Verdict.ALLOW:
        answer["text"] = told(final)
    return Answer(json_line(answer), exit=STOP if final.verdict >= Verdict.DENY else 0)


def _said(answer: Mapping[str, str], remarks: Remarks) -> Answer:
    spoken = {
        "warning": remarks.warning,
        "notice": remarks.notice,
        "refusal": remarks.refusal,
    }
    return Answer(json_line({**answer, **{name: text for name, text in spoken.items() if text}}))


def _model(fields: Fields, payload: Mapping[str, object]) -> str | None:
    named = fields.optional(payload, "model")
    return named if _MODEL.fullmatch(named) else None
