"""Verdicts, ordered by strictness, and the decision that carries one."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import NoReturn


class Verdict(IntEnum):
    """Ordered by strictness, so that `max` picks the strictest."""

    ALLOW = 0
    ASK = 1
    DENY = 2
    HALT = 3  # deny, and stop the agent; only the breaker says so

    @property
    def word(self) -> str:
        """The word people read and type: `allow`, `ask`, `deny`, `halt`."""
        return self.name.lower()

    def __str__(self) -> str:
        return self.word

    def __format__(self, spec: str) -> str:
        return format(self.word, spec)


class Failure(StrEnum):
    """Why no real answer could be had. A decision with a failure is an outage, not a policy."""

    UNAVAILABLE = "unavailable"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too-large"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Remark:
    """What a layer noticed without deciding; later layers and `explain` may read it."""

    layer: str
    mark: str  # stable word such as `ordinary-development`, `not-proved`, `asked`
    text: str


TEACHES = "a-yes-covers"
"""The mark of remarks about what a person's yes to the call covers later: see `Session`."""


def taught_by(trail: Iterable[Remark]) -> tuple[str, ...]:
    """The classes of calls that a person's yes covers later."""
    return tuple([one.text for one in trail if one.mark == TEACHES])


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to one tool call: what, who, why, and what to do instead."""

    verdict: Verdict
    source: str  # stable dotted id of what decided: `floor.delete-root`, `rules.ask`
    reason: str  # one sentence, for agent and person
    advice: str = ""  # what the agent may do instead, by itself
    clearable: bool = False  # could an explicit instruction of the user change it?
    error: Failure | None = None
    trail: tuple[Remark, ...] = ()
    enforced: bool = True  # False in shadow mode: recorded, not applied
    remedy: str = ""  # what a person can do about it: completes "they can …"
    alone: bool = field(default=False, compare=False)  # nobody is there to ask
    rewritten: str = ""  # allowed only so: the command that runs in the place of the proposed one
    # What the layers decided, where the breaker made something else of it.
    before: "Decision | None" = field(default=None, repr=False, compare=False)

    @property
    def allowed(self) -> bool:
        """Whether the call may run now. In shadow mode every call may."""
        return self.verdict is Verdict.ALLOW or not self.enforced

    @property
    def lasting_ask(self) -> bool:
        """An ask that no yes given from elsewhere, or before, answers."""
        return self.verdict is Verdict.ASK and not self.clearable

    @property
    def runs_instead(self) -> str:
        """The command that an agent has to run in the place of the one it proposed; empty: none."""
        return self.rewritten if self.enforced and self.verdict is Verdict.ALLOW else ""

    @property
    def way_out(self) -> str:
        """Advice and remedy as one text, for records and programs."""
        person = f"a person can {self.remedy}" if self.remedy else ""
        return "; ".join(part.rstrip(".") for part in (self.advice, person) if part)

    def __bool__(self) -> NoReturn:
        """`if decide(…)` would let every call run: a denial is an object like any other."""
        raise TypeError("a Decision is neither true nor false: look at its `allowed` or `verdict`")


def decision_fields(decision: Decision) -> dict[str, object]:
    """As programs are told it, in JSON."""
    return {
        "verdict": decision.verdict.word,
        "source": decision.source,
        "reason": decision.reason,
        "advice": decision.way_out,
        "clearable": decision.clearable,
        "error": None if decision.error is None else decision.error.value,
        "enforced": decision.enforced,
    }


def allow(source: str, reason: str) -> Decision:
    return Decision(Verdict.ALLOW, source, reason)


def ask(
    source: str,
    reason: str,
    advice: str = "",
    *,
    clearable: bool = True,
    error: Failure | None = None,
    remedy: str = "",
) -> Decision:
    return Decision(Verdict.ASK, source, reason, advice, clearable, error, remedy=remedy)


def deny(
    source: str,
    reason: str,
    advice: str = "",
    *,
    clearable: bool = False,
    error: Failure | None = None,
    remedy: str = "",
) -> Decision:
    return Decision(Verdict.DENY, source, reason, advice, clearable, error, remedy=remedy)


def strictest(decisions: Iterable[Decision]) -> Decision | None:
    """The strictest decision, the first of equals; None when there is none. Of two asks the one
    that no yes answers is stricter."""
    return max(decisions, key=lambda one: (one.verdict, one.lasting_ask), default=None)


def settle(decision: Decision, *, attended: bool) -> Decision:
    """Unattended, every ask becomes a deny."""
    if attended or decision.verdict is Verdict.ALLOW:
        return decision
    if decision.verdict is not Verdict.ASK:
        return replace(decision, alone=True)
    reason = f"{decision.reason} (nobody is there to ask)"
    return replace(decision, verdict=Verdict.DENY, reason=reason, alone=True)
