"""The dialect of automode's own extensions: what they say inside an agent, and what they hear.

In    {"event": "tool_call", "session": …, "cwd": …, "record": …, "model": …, "toolName": …, …}
      The events have the names that Pi gives them; `refused` is the extensions' own: a person said
      no in their dialog. `parent` is the session of which this one is a sub-agent's.
Out   {"verdict": "deny", "source": …, "text": …} to `tool_call`, with `null` where automode has no
      say; feedback to everything else.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from automode.agents.events import (
    NO_FEEDBACK,
    Answer,
    BranchTaken,
    CallFinished,
    CallProposed,
    Feedback,
    HostEvent,
    Ignored,
    Instructions,
    PromptTyped,
    SessionRef,
    SessionStarted,
    TurnEnded,
)
from automode.agents.shared.adapter import STOP, Call, HookAdapter, Payload, json_line
from automode.agents.shared.wording import GUIDANCE, refusal_text, sentence_for
from automode.core.decision import Decision, Verdict, settle
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

CLOSED = "hook.closed"
_PERSONS = frozenset({"interactive", "rpc"})
_MODEL = re.compile(r"[\w.-]+/\S+", re.ASCII)
_EVENTS = {
    "tool_call": "proposed",
    "tool_result": "finished",
    "refused": "finished",
    "input": "prompt",
    "session_tree": "branch",
    "session_start": "started",
    "before_agent_start": "started",
    "agent_end": "turn",
    "session_shutdown": "ended",
}


@dataclass(frozen=True, slots=True)
class ExtensionAdapter(HookAdapter):
    """For an agent into which automode puts an extension."""

    @property
    def events(self) -> Mapping[str, str]:
        return _EVENTS

    def parse(self, payload: Payload) -> HostEvent:
        found = HookAdapter.parse(self, payload)
        match found:
            case SessionStarted() if payload.get("event") == "before_agent_start":
                return replace(found, instructions=self._instructions(payload))
            case TurnEnded():
                return replace(found, calls=self._calls(payload))
            case _:
                return found

    def event_name(self, payload: Payload) -> str:
        return self.fields.text(payload, "event")

    def ref(self, payload: Payload) -> SessionRef:
        model = self.fields.optional(payload, "model")
        return SessionRef(
            session=self.fields.text(payload, "session"),
            cwd=self.fields.folder(payload),
            parent=self.fields.optional(payload, "parent") or None,
            attended=self.attended,
            model=model if _MODEL.fullmatch(model) else None,
            record=self.fields.optional(payload, "record"),
        )

    def call(self, payload: Payload) -> Call:
        given = self.fields.object_at(payload, "input")
        return self.agent.mark_foreign(self.fields.text(payload, "toolName")), given

    def identity(self, payload: Payload) -> str:
        return self.fields.optional(payload, "toolCallId")

    def changeable(self, payload: Payload) -> bool:
        """An extension of an earlier release would run the call as it was proposed."""
        return payload.get("changes") is True and HookAdapter.changeable(self, payload)

    def finished(self, ref: SessionRef, payload: Payload, event: str) -> CallFinished:
        outcome = Outcome.ERROR if payload.get("isError") is not False else Outcome.OK
        return CallFinished(
            ref,
            self.identity(payload),
            *self.call(payload),
            Outcome.REJECTED if event == "refused" else outcome,
            result=self.fields.optional(payload, "text", odd=True),
            child=self.fields.optional(payload, "child"),
        )

    def prompt(self, ref: SessionRef, payload: Payload) -> HostEvent:
        machine = self.fields.optional(payload, "source") not in _PERSONS
        return PromptTyped(ref, self.fields.optional(payload, "text"), machine=machine)

    def branch(self, ref: SessionRef, payload: Payload) -> HostEvent:
        return BranchTaken(ref, self._texts(payload, "words"), self._texts(payload, "left"))

    def _texts(self, payload: Payload, field: str) -> tuple[str, ...]:
        match payload.get(field):
            case [*texts] if all(isinstance(one, str) for one in texts):
                return tuple(map(str, texts))
            case _:
                raise self._odd(field)

    def last_words(self, payload: Payload) -> str:
        return self.fields.optional(payload, "words")

    def render(
        self, event: HostEvent, decision: Decision | None, feedback: Feedback = NO_FEEDBACK
    ) -> Answer:
        match event:
            case CallProposed(ref, _, given):
                asked = feedback.record
                return self._verdict(decision, given, asked, attended=ref.attended)
            case Ignored():
                return Answer()
            case _:
                guidance = f"{GUIDANCE} {self.agent.guidance}".strip()
                said = {
                    "guidance": guidance if isinstance(event, SessionStarted) else "",
                    "warning": feedback.warning,
                    "notice": feedback.notice,
                    "refusal": feedback.refusal,
                }
                return Answer(json_line({name: text for name, text in said.items() if text}))

    def _verdict(
        self, decision: Decision | None, given: Payload, record: str, *, attended: bool
    ) -> Answer:
        """Where automode has no say, the agent's own flow goes on. `record`: by which a person can
        answer an ask for longer than this call."""
        if decision is None:
            return Answer(json_line({"verdict": None}))
        if not decision.enforced:
            return Answer(json_line({"verdict": None, "source": decision.source}))
        final = settle(decision, attended=attended)
        answer: Payload = {"verdict": final.verdict.word, "source": final.source}
        if final.verdict is not Verdict.ALLOW:
            answer = {**answer, "text": sentence_for(final)}
        if final.verdict is Verdict.ASK:
            answer = {**answer, "refused": refusal_text(final), "record": record}
        answer = self.rewrite(answer, final, given)
        denied = final.verdict >= Verdict.DENY or answer["verdict"] == "deny"
        return Answer(json_line(answer), exit=STOP if denied else 0)

    def change(self, answer: Payload, given: Payload) -> Payload:
        """The extension puts it in the place of the call's input."""
        return {**answer, "input": given}

    def denial(self, sentence: str) -> Payload:
        return {"verdict": "deny", "source": CLOSED, "text": sentence}

    def note(self, sentence: str) -> Payload:
        return {"warning": sentence}

    def _instructions(self, payload: Payload) -> tuple[Instructions, ...] | None:
        """None where the agent does not say which files it was given."""
        match payload.get("contextFiles"):
            case None:
                return None
            case [*files]:
                return tuple(map(self._file, files))
            case _:
                raise self._odd("contextFiles")

    def _file(self, found: object) -> Instructions:
        match found:
            case {"path": str(path), "content": str(text)}:
                return Instructions(path, text)
            case _:
                raise self._odd("contextFiles")

    def _calls(self, payload: Payload) -> tuple[str, ...] | None:
        match payload.get("calls"):
            case None:
                return None
            case [*ids] if all(isinstance(one, str) for one in ids):
                return tuple(map(str, ids))
            case _:
                raise self._odd("calls")

    def _odd(self, field: str) -> BadCall:
        return BadCall(f"`{field}` of {self.fields.whose} has another shape", self.fields.hint)
