"""Where a run went wrong, worst first, and which rule, guard or sentence decided it.

This is one half of tuning a policy: change the sentence that a confusion names, run again, and look
at both numbers with `automode eval compare`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from automode.evaluation.outcomes import UNDECIDED, Outcome, Run
from automode.guards.floor.layer import GUARDS
from automode.policy.defaults import default_rules

SHOWN = 20
_FLOOR = "floor."
_PERMISSIONS = "rules."
_GRADES = {"strong": 0, "moderate": 1, "": 2, "weak": 3}
# A classifier's reason starts with the name of the rule: see its question.
_PATTERN = re.compile(r"`([^`]+)`")  # the reason of a permission rule quotes it first
_NAMED = re.compile(r"^\W*([a-z0-9]+(?:-[a-z0-9]+)*)\W*(?:[:\s]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decided. `rule` is the policy's, a person's own pattern, or the remark that left a call
    open; `sentence` is the policy's or the guard's."""

    source: str
    rule: str = ""
    sentence: str = ""

    def __str__(self) -> str:
        return f"{self.source} ({self.rule})" if self.rule else self.source


@dataclass(frozen=True, slots=True)
class Confusion:
    outcome: Outcome
    decider: Decider


@dataclass(frozen=True, slots=True)
class Blame:
    """What one decider did, in rows: both kinds of work, so that a change shows on both."""

    decider: Decider
    good_denied: int = 0
    good_asked: int = 0
    bad_stopped: int = 0
    bad_missed: int = 0

    @property
    def wrong(self) -> int:
        return self.good_denied + self.good_asked + self.bad_missed


@dataclass(frozen=True, slots=True)
class Confusions:
    """Calls: good work `stopped`, bad work `missed`, and what was decided otherwise, or by another
    source, than its case says. Results: `false_alarms`, and injections that were `overlooked`."""

    stopped: tuple[Confusion, ...]
    missed: tuple[Confusion, ...]
    unexpected: tuple[Confusion, ...]
    false_alarms: tuple[Confusion, ...]
    overlooked: tuple[Confusion, ...]
    blames: tuple[Blame, ...]

    @property
    def kinds(self) -> Mapping[str, tuple[Confusion, ...]]:
        return {
            "good work stopped": self.stopped,
            "bad work missed": self.missed,
            "decided otherwise than expected": self.unexpected,
            "false alarms": self.false_alarms,
            "injections overlooked": self.overlooked,
        }


def confusions(run: Run) -> Confusions:
    """All of them; whoever shows them shows the first few."""
    return Confusions(
        stopped=_worst(one for one in run.actions if one.good and not one.allowed),
        missed=_worst(one for one in run.actions if not one.good and one.allowed),
        unexpected=_worst(one for one in run.actions if _unexpected(one)),
        false_alarms=_worst(one for one in run.results if one.good and not one.allowed),
        overlooked=_worst(one for one in run.results if not one.good and one.allowed),
        blames=_blames(run.outcomes),
    )


def decider(outcome: Outcome) -> Decider:
    source = outcome.source
    if source.startswith(_FLOOR):
        return Decider(source, "", _guards().get(source, ""))
    if source.startswith(_PERMISSIONS):
        quoted = _PATTERN.search(outcome.reason)
        return Decider(source, quoted[1] if quoted else "")
    if source == UNDECIDED:
        return Decider(source, ", ".join(outcome.trail))
    named = _NAMED.match(outcome.reason) if outcome.judged and outcome.denied else None
    rule = named[1].lower() if named else ""
    sentence = _rules().get(rule, "")
    # Words of a sentence look like a name too, as long as they are not one of ours.
    return Decider(source, rule if sentence or "-" in rule else "", sentence)


def _worst(outcomes: Iterable[Outcome]) -> tuple[Confusion, ...]:
    return tuple(Confusion(one, decider(one)) for one in sorted(outcomes, key=_badness))


def _badness(one: Outcome) -> tuple[bool, int, int, float, str]:
    """Sorts the worst first: what is quoted before what is not; a label that is sure before one
    that is not; what nobody can lift, or nobody sees, before the rest; then how sure the judge
    was; the key last, so that the order is always the same."""
    surest = 0.0 if one.score is None else -abs(one.score - (0.0 if one.good else 1.0))
    return (not one.counted, _GRADES.get(one.grade, 2), _severity(one), surest, one.key)


def _severity(one: Outcome) -> int:
    if one.allowed:
        return 0 if one.unaided else 1
    if one.denied:
        return 1 if one.clearable else 0
    return 2 if one.unaided else 3


def _unexpected(one: Outcome) -> bool:
    """Without a model, a case for the classifier ends undecided: that is as expected."""
    if one.expected is None or one.expected == (one.verdict, one.source):
        return False
    return not (one.expected[1].startswith("classifier.") and one.source == UNDECIDED)


def _blames(outcomes: Iterable[Outcome]) -> tuple[Blame, ...]:
    found: dict[str, Blame] = {}
    for one in outcomes:
        who = decider(one)
        found[str(who)] = _add_blame(found.get(str(who), Blame(who)), one)
    return tuple(sorted(found.values(), key=lambda one: (-one.wrong, str(one.decider))))


def _add_blame(blame: Blame, one: Outcome) -> Blame:
    match one.good, one.allowed:
        case True, True:
            return blame
        case True, False if one.denied:
            return replace(blame, good_denied=blame.good_denied + 1)
        case True, False:
            return replace(blame, good_asked=blame.good_asked + 1)
        case False, True:
            return replace(blame, bad_missed=blame.bad_missed + 1)
        case _:
            return replace(blame, bad_stopped=blame.bad_stopped + 1)


@cache
def _rules() -> Mapping[str, str]:
    return {rule.name: rule.text for rules in default_rules().values() for rule in rules}


@cache
def _guards() -> Mapping[str, str]:
    return {f"{_FLOOR}{guard.id}": guard.reason for guard in GUARDS}
