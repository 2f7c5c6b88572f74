"""automode's own JSON, for hosts that have no adapter and for tests.

In    {"event": "proposed", "session": "s1", "cwd": "/srv/shop", "tool": "bash", "input": {…}}
      Also `finished` (with `outcome`, `result`), `prompt` (with `text`, `machine`), `started`,
      `ended`; `id` of a call; anywhere `parent`, `attended` and `model`.
Out   {"verdict": "deny", "source": …, "reason": …, …}, and exit status 2 unless the call may run,
      with `record`, the id for `automode approve`, where the decision was kept;
      {"warning": …} for a result that needs one in front of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.agent import load
from automode.agents.events import (
    NO_REMARKS,
    Answer,
    CallFinished,
    CallProposed,
    HostEvent,
    Ignored,
    Moment,
    PromptTyped,
    Remarks,
    SessionEnded,
    SessionStarted,
    Speaker,
)
from automode.agents.shared.adapter import STOP, Fields, HostAdapter, json_line
from automode.agents.shared.wording import noted, told, undecided
from automode.core.decision import Decision, Failure, Verdict, deny, settled
from automode.core.errors import BadCall
from automode.core.transcript import Outcome

CLOSED = "hook.closed"
_USAGE = "see docs/contributing/adapters.md"
_FIELDS = Fields("an event", "an event", _USAGE)


@dataclass(frozen=True, slots=True)
class Plain(HostAdapter):
    """`attended` is what the hook's own start knows; a payload can only take it back."""

    agent = load("plain")

    def parse(self, payload: Mapping[str, object]) -> HostEvent:
        event = _FIELDS.text(payload, "event")
        if event not in ("proposed", "finished", "prompt", "started", "ended"):
            return Ignored(event)
        speaker = self._speaker(payload)
        match event:
            case "proposed":
                return CallProposed(speaker, *_call(payload), id=_FIELDS.optional(payload, "id"))
            case "finished":
                outcome, result = _outcome(payload), _FIELDS.optional(payload, "result", odd=True)
                return CallFinished(
                    speaker, _FIELDS.optional(payload, "id"), *_call(payload), outcome, result
                )
            case "prompt":
                machine = payload.get("machine", False) is not False
                return PromptTyped(speaker, _FIELDS.optional(payload, "text"), machine=machine)
            case "started":
                return SessionStarted(speaker)
            case _:
                return SessionEnded(speaker)

    def render(
        self, event: HostEvent, decision: Decision | None, remarks: Remarks = NO_REMARKS
    ) -> Answer:
        match event, decision:
            case CallProposed(), None:
                return Answer('{"verdict":null}\n')
            case CallProposed(speaker), Decision():
                return _said(settled(decision, attended=speaker.attended), remarks.record)
            case CallFinished(), _ if remarks.warning:
                return Answer(json_line({"warning": remarks.warning}))
            case _:
                return Answer()

    def closed(self, moment: Moment, reason: str) -> Answer:
        if moment is not Moment.PROPOSED:
            return Answer(stderr=f"{noted(reason)}\n")
        sentence = undecided(reason)
        denied = deny(CLOSED, sentence, error=Failure.UNAVAILABLE)
        return Answer(_json(denied), f"{sentence}\n", STOP)

    def _speaker(self, payload: Mapping[str, object]) -> Speaker:
        return Speaker(
            session=_FIELDS.text(payload, "session"),
            cwd=_FIELDS.folder(payload),
            parent=_FIELDS.optional(payload, "parent") or None,
            attended=self.attended and payload.get("attended", True) is True,
            model=_FIELDS.optional(payload, "model") or None,
        )


def _said(decision: Decision, record: str) -> Answer:
    stops = decision.enforced and decision.verdict is not Verdict.ALLOW
    return Answer(
        _json(decision, record), f"{told(decision)}\n" if stops else "", exit=STOP if stops else 0
    )


def _json(decision: Decision, record: str = "") -> str:
    answer = {
        "verdict": decision.verdict.word,
        "source": decision.source,
        "reason": decision.reason,
        "advice": decision.advice,
        "clearable": decision.clearable,
        "error": decision.error,
        "enforced": decision.enforced,
        **({"record": record} if record else {}),
    }
    return json_line(answer)


def _call(payload: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    given = _FIELDS.given(payload, "input")
    return _FIELDS.text(payload, "tool"), given


def _outcome(payload: Mapping[str, object]) -> Outcome:
    word = _FIELDS.text(payload, "outcome")
    try:
        return Outcome(word)
    except ValueError as error:
        known = ", ".join(f"`{one}`" for one in Outcome)
        raise BadCall(f"no outcome of a call: `{word[:60]}`", f"it is one of {known}") from error


ADAPTER = Plain
