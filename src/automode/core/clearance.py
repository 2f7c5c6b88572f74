"""Whether a person's yes may let a stopped call through, and what helps where it may not."""

from dataclasses import dataclass

from automode.core.decision import Failure, Verdict
from automode.core.record import Record

_OWN_WAY = "it is for a person to do by hand, if at all"


@dataclass(frozen=True, slots=True)
class Clearance:
    """`refusal` is empty where the call may be approved; `instead` says what else helps."""

    refusal: str = ""
    instead: str = ""

    @property
    def possible(self) -> bool:
        return not self.refusal


def clearance(record: Record) -> Clearance:
    """An approval never lifts a deny rule, the floor or `hard_deny`."""
    source = record.source
    if record.verdict is Verdict.ALLOW:
        return Clearance("it was allowed", "nothing needs an approval")
    if not record.enforced:
        return Clearance("it was decided in shadow mode, so nothing kept it from running")
    if record.error is Failure.CANCELLED:
        return Clearance("the agent's turn was cancelled: nothing was decided about the call")
    if source == "rules.deny":
        return Clearance("a deny rule is about it, and nothing lifts one", "change the rule")
    if source.startswith("floor."):
        return Clearance(f"the floor denied it (`{source}`), and nobody may permit that", _OWN_WAY)
    if source.startswith("classifier.") and record.error is None and not record.clearable:
        return Clearance(
            "a `hard_deny` rule of the policy denied it, and no instruction lifts one",
            f"change `autoMode.hard_deny` if it says too much; else {_OWN_WAY}",
        )
    if not record.clearable:
        return Clearance(f"what `{source}` says cannot be approved", record.advice or _OWN_WAY)
    if not record.digest:
        return Clearance(
            "what it names is not known beforehand (a variable, a pattern, a part that cannot be"
            " read), or is too many or too large files, so no retry can be told to be exact",
            "have it written with plain names, or split into parts; or run it yourself",
        )
    return Clearance()
