"""The breaker: hands over to a person when denials pile up. Pure: history and decision in, out.

Nothing here ever allows. With a person there a call that would have been denied can become an ask;
what a deny rule, the floor or `hard_deny` denied stays denied.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from automode.core.decision import Decision, Failure, Remark, Verdict
from automode.core.record import BREAKER
from automode.core.session import History

APPROVAL = "approval"
"""The source of the one allow that a person gave: it passes, and resumes auto mode."""

STOPPED = ("breaker.consecutive", "breaker.total")
"""The sources of what is asked because too much was denied: a yes to such a call resumes."""

STAND_IN = "classifier.stand-in"
"""The source of what the embedded judge decides in place of a model that fails."""

_ALWAYS_DENIED = ("rules.deny", "floor.")
_RESUMES = "resume with `automode reset`, or let one call through with `automode approve`"


@dataclass(frozen=True, slots=True)
class Limits:
    """`unattended` is HALT, or DENY: denials stand one by one and the work goes on."""

    consecutive: int = 3
    total: int = 20
    unavailable: int = 2
    unattended: Verdict = Verdict.HALT


def limit_reached(history: History, limits: Limits) -> str | None:
    """Which limit is reached: `total`, `consecutive`, or None. It stays so until `resume`."""
    if history.total >= limits.total:
        return "total"
    return "consecutive" if history.row >= limits.consecutive else None


def escalate(
    decision: Decision,
    history: History,
    limits: Limits,
    *,
    attended: bool,
    above: Sequence[History] = (),
) -> Decision:
    """What becomes of a decision in the light of the ones before it, and of those in the sessions
    above: what stopped one of them stops this one too."""
    passes = decision.source == APPROVAL or decision.error is Failure.CANCELLED
    if passes or not decision.enforced:
        return decision
    denied = _policy_denial(decision)
    for one in (history, *above):
        counted = _count(one) if denied else one
        limit = limit_reached(counted, limits)
        if limit is not None:
            break
    else:
        return _through_outage(decision, history, limits, attended=attended)
    told = _summary(limit, counted, decision)
    if not attended:
        return _halt(decision, limit, told) if limits.unattended is Verdict.HALT else decision
    if decision.verdict is Verdict.ASK or always_denied(decision):
        return decision
    return _ask(decision, limit, f"{told}; a person's yes resumes auto mode")


def after(history: History, decision: Decision, limits: Limits) -> History:
    """The history with one more decision, as `escalate` left it."""
    if decision.error is Failure.CANCELLED:
        return history
    before = decision if decision.before is None else decision.before
    judged = before.source.startswith("classifier.") and decision.error is None
    denied = decision.enforced and decision.error is None and before.verdict >= Verdict.DENY
    allowed = decision.enforced and not denied and decision.verdict is Verdict.ALLOW
    # Made anew for every decision: `replace` would take twice the time.
    changed = History(
        checked=history.checked + 1,
        blocked=history.blocked + (decision.enforced and decision.verdict >= Verdict.DENY),
        classifier_allowed=history.classifier_allowed
        + (judged and before.verdict is Verdict.ALLOW),
        classifier_denied=history.classifier_denied + (judged and before.verdict >= Verdict.DENY),
        last_verdict=decision.verdict,
        last_reason=decision.reason,
        last_source=decision.source,
        last_denial=history.last_denial,
        row=0 if allowed else history.row,
        total=history.total,
        unavailable=_outages(history, decision, judged=judged),
        denials=history.denials,
        stood_in=history.stood_in + (before.source == STAND_IN),
        stands_in=before.source == STAND_IN if judged else history.stands_in,
    )
    if decision.enforced and decision.source == APPROVAL:
        return resume(changed, limits)
    return replace(_count(changed), last_denial=before.reason) if denied else changed


def after_below(history: History, decision: Decision, limits: Limits) -> History:
    """The history of a session after a decision in one that it started. Denials there count here
    as well, or a run would go on as long as it has others to send."""
    before = decision if decision.before is None else decision.before
    if decision.error is Failure.CANCELLED or not decision.enforced:
        return history
    if decision.source == APPROVAL:
        return resume(history, limits)
    if _policy_denial(replace(decision, verdict=before.verdict)):
        return replace(_count(history), last_denial=before.reason)
    again = decision.verdict is Verdict.ALLOW and limit_reached(history, limits) is None
    return replace(history, row=0) if again else history


def resume(history: History, limits: Limits) -> History:
    """A person said yes to a call: the row starts anew, and the total where its limit was hit."""
    return replace(history, row=0, total=0 if history.total >= limits.total else history.total)


def always_denied(decision: Decision) -> bool:
    """Denied by what no person's yes to one call lifts."""
    hard = not decision.clearable or decision.source.startswith(_ALWAYS_DENIED)
    return hard and decision.verdict >= Verdict.DENY


def _policy_denial(decision: Decision) -> bool:
    return decision.enforced and decision.error is None and decision.verdict >= Verdict.DENY


def _count(history: History) -> History:
    return replace(history, row=history.row + 1, total=history.total + 1)


def _outages(history: History, decision: Decision, *, judged: bool) -> int:
    """In a row: only a judge that answers ends them. What needed no judge says nothing of one."""
    if decision.error is not None:
        return history.unavailable + 1
    return 0 if judged else history.unavailable


def _summary(limit: str, counted: History, decision: Decision) -> str:
    reason = decision.reason if _policy_denial(decision) else counted.last_denial
    total = f"{counted.total} calls of this session were denied"
    row = f"{counted.row} calls in a row were denied"
    return f"{total if limit == 'total' else row}, the last because: {reason}"


def _halt(decision: Decision, limit: str, told: str) -> Decision:
    clearable = decision.verdict is Verdict.ALLOW or decision.clearable
    return replace(
        _mark(decision),
        verdict=Verdict.HALT,
        source=f"breaker.{limit}",
        reason=f"auto mode stopped this run: {told}",
        advice="",
        remedy=_RESUMES,
        clearable=clearable,
    )


def _ask(decision: Decision, limit: str, reason: str) -> Decision:
    return replace(
        _mark(decision),
        verdict=Verdict.ASK,
        source=f"breaker.{limit}",
        reason=reason,
        advice="",
        remedy="",
        clearable=True,
    )


def _through_outage(
    decision: Decision, history: History, limits: Limits, *, attended: bool
) -> Decision:
    """A denial that is only an outage is worth a person's look when it goes on."""
    often = history.unavailable + 1 >= limits.unavailable
    denied = decision.error is not None and decision.verdict is Verdict.DENY
    if not (attended and denied and often) or always_denied(decision):
        return decision
    reason = f"{history.unavailable + 1} calls in a row could not be judged: {decision.reason}"
    return _ask(decision, "unavailable", reason)


def _mark(decision: Decision) -> Decision:
    """With what the layers decided, for `after`, and a note of it for the audit."""
    said = Remark(decision.source, decision.verdict.word, decision.reason)
    return replace(decision, trail=(*decision.trail, said), before=decision)


def restore_decision(decision: Decision) -> Decision:
    """A decision that was read from its record, with what the layers decided: its trail tells."""
    if not decision.source.startswith(BREAKER) or not decision.trail:
        return decision
    last = decision.trail[-1]
    verdict = Verdict[last.mark.upper()]
    before = replace(decision, verdict=verdict, source=last.layer, reason=last.text)
    return replace(decision, before=before)
