"""automode's own JSON, for hosts that have no adapter and for tests.

In    {"event": "proposed", "session": "s1", "cwd": "/srv/shop", "tool": "bash", "input": {…}}
      Also `finished` (with `outcome`, `result`), `prompt` (with `text`, `machine`), `started`,
      `ended`; `id` of a call; anywhere `parent`, `attended` and `model`.
Out   {"verdict": "deny", "source": …, "reason": …, …}, and exit status 2 unless the call may run,
      with `record`, the id for `automode approve`, where the decision was kept;
      {"warning": …} for a result that needs one in front of it;
      {"notice": …} for the person, when a session starts and there is something to tell.
"""

from dataclasses import dataclass

from automode.agents.agent import load
from automode.agents.events import (
    NO_FEEDBACK,
    Answer,
    CallFinished,
    CallProposed,
    Feedback,
    HostEvent,
    PromptTyped,
    SessionRef,
    SessionStarted,
)
from automode.agents.shared.adapter import STOP, Call, Fields, HookAdapter, Payload, json_line
from automode.agents.shared.wording import sentence_for
from automode.core.decision import Decision, Failure, Verdict, decision_fields, deny, settle
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

CLOSED = "hook.closed"


@dataclass(frozen=True, slots=True)
class Plain(HookAdapter):
    """`attended` is what the hook's own start knows; a payload can only take it back."""

    agent = load("plain")
    fields = Fields("an event", "an event", "see docs/contributing/adapters.md")

    def event_name(self, payload: Payload) -> str:
        return self.fields.text(payload, "event")

    def ref(self, payload: Payload) -> SessionRef:
        return SessionRef(
            session=self.fields.text(payload, "session"),
            cwd=self.fields.folder(payload),
            parent=self.fields.optional(payload, "parent") or None,
            attended=self.attended and payload.get("attended", True) is True,
            model=self.fields.optional(payload, "model") or None,
        )

    def call(self, payload: Payload) -> Call:
        given = self.fields.object_at(payload, "input")
        return self.fields.text(payload, "tool"), given

    def identity(self, payload: Payload) -> str:
        return self.fields.optional(payload, "id")

    def finished(self, ref: SessionRef, payload: Payload, event: str) -> CallFinished:
        word = self.fields.text(payload, "outcome")
        if word not in list(Outcome):
            known = ", ".join(f"`{one}`" for one in Outcome)
            raise BadCall(f"no outcome of a call: `{word[:60]}`", f"it is one of {known}")
        result = self.fields.optional(payload, "result", odd=True)
        identity = self.identity(payload)
        return CallFinished(ref, identity, *self.call(payload), Outcome(word), result)

    def prompt(self, ref: SessionRef, payload: Payload) -> HostEvent:
        machine = payload.get("machine", False) is not False
        return PromptTyped(ref, self.fields.optional(payload, "text"), machine=machine)

    def render(
        self, event: HostEvent, decision: Decision | None, feedback: Feedback = NO_FEEDBACK
    ) -> Answer:
        match event, decision:
            case CallProposed(), None:
                return Answer('{"verdict":null}\n')
            case CallProposed(ref), Decision():
                return _verdict(settle(decision, attended=ref.attended), feedback.record)
            case CallFinished(), _ if feedback.warning:
                return Answer(json_line({"warning": feedback.warning}))
            case SessionStarted(), _ if feedback.notice:
                return Answer(json_line({"notice": feedback.notice}))
            case _:
                return Answer()

    def denial(self, sentence: str) -> Payload:
        return decision_fields(deny(CLOSED, sentence, error=Failure.UNAVAILABLE))

    def note(self, sentence: str) -> Payload:
        return {}


def _verdict(decision: Decision, record: str) -> Answer:
    stops = decision.enforced and decision.verdict is not Verdict.ALLOW
    answer = json_line({**decision_fields(decision), **({"record": record} if record else {})})
    return Answer(answer, f"{sentence_for(decision)}\n" if stops else "", exit=STOP if stops else 0)


ADAPTER = Plain
