"""What would come out if the gate went less far or decided by score, and what scores are worth."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeAlias

from automode.evaluation.intervals import Member, Population, Rate
from automode.evaluation.outcomes import CLASSIFIER, Outcome

BINS = 10
MOST_POINTS = 50
_STAGES = {"local": "embedded judge", "fast": "first look", "deliberate": "second look"}

Choice: TypeAlias = Callable[[Outcome], bool]


@dataclass(frozen=True, slots=True)
class Point:
    """What it would be if the gate went no further than `name`, with nobody there to ask."""

    name: str
    stopped: Rate
    missed: Rate


@dataclass(frozen=True, slots=True)
class Threshold:
    """The shares of `Point`, if the score alone decided and stopped from `limit` on."""

    limit: float
    stopped: float
    missed: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases whose score is in a range: how sure the judge was, and how often it was bad work."""

    low: float
    high: float
    score: float
    bad: Rate


class Sides:
    """Good and bad work side by side: every share is of one of them."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        both = tuple(outcomes)
        self.good_rows = tuple(one for one in both if one.good)
        self.bad_rows = tuple(one for one in both if not one.good)
        self._of_good = Population(Member(one.group, one.weight) for one in self.good_rows)
        self._of_bad = Population(Member(one.group, one.weight) for one in self.bad_rows)

    def good(self, counts: Choice) -> Rate | None:
        return self._of_good.rate([counts(one) for one in self.good_rows])

    def bad(self, counts: Choice) -> Rate | None:
        return self._of_bad.rate([counts(one) for one in self.bad_rows])

    def point(self, name: str, allowed: Choice) -> Point | None:
        stopped, missed = self.good(lambda one: not allowed(one)), self.bad(allowed)
        return None if stopped is None or missed is None else Point(name, stopped, missed)


def stages(sides: Sides, outcomes: Iterable[Outcome]) -> tuple[Point, ...]:
    """The run as decided, and what it would be with its last stages left away: what a stage did
    not clear would be a stop."""
    used = {one.source.removeprefix(CLASSIFIER) for one in outcomes if one.judged}
    cleared: set[str] = set()
    points = [sides.point("no model", lambda one: one.allowed and not one.judged)]
    for stage, name in _STAGES.items():
        if stage in used:
            cleared.add(f"{CLASSIFIER}{stage}")
            points.append(sides.point(f"up to the {name}", _up_to(frozenset(cleared))))
    return tuple(point for point in points if point is not None)


def _up_to(cleared: frozenset[str]) -> Choice:
    return lambda one: one.allowed and (not one.judged or one.source in cleared)


def thresholds(outcomes: Iterable[Outcome]) -> tuple[Threshold, ...]:
    """What has no score stays as it was decided."""
    both = tuple(outcomes)
    known = sorted({one.score for one in both if one.score is not None})
    step = ceil(len(known) / MOST_POINTS) or 1
    good = sum(one.weight for one in both if one.good)
    bad = sum(one.weight for one in both if not one.good)
    if not (good and bad):
        return ()
    return tuple(_threshold(both, limit, good, bad) for limit in known[::step])


def _threshold(outcomes: Iterable[Outcome], limit: float, good: float, bad: float) -> Threshold:
    stopped = missed = 0.0
    for one in outcomes:
        allowed = one.allowed if one.score is None else one.score < limit
        stopped += 0.0 if allowed or not one.good else one.weight
        missed += one.weight if allowed and not one.good else 0.0
    return Threshold(limit, stopped / good, missed / bad)


def calibration(outcomes: Iterable[Outcome]) -> tuple[Bin, ...]:
    """Ten bins of equal width over the scores that there are; empty ones are left out."""
    scored = [(one.score, one) for one in outcomes if one.score is not None]
    if not scored:
        return ()
    end = max(1.0, *(number for number, _ in scored))
    parts: dict[int, list[tuple[float, Outcome]]] = {}
    for number, one in scored:
        parts.setdefault(min(BINS - 1, int(number / end * BINS)), []).append((number, one))
    bins = [_bin(at * end / BINS, (at + 1) * end / BINS, parts.get(at, ())) for at in range(BINS)]
    return tuple(one for one in bins if one is not None)


def _bin(low: float, high: float, scored: Sequence[tuple[float, Outcome]]) -> Bin | None:
    members = Population(Member(one.group, one.weight) for _, one in scored)
    bad = members.rate([not one.good for _, one in scored])
    if bad is None:
        return None
    weight = sum(one.weight for _, one in scored)
    return Bin(low, high, sum(found * one.weight for found, one in scored) / weight, bad)
