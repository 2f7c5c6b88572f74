"""Shares with 95 % intervals, and what would come out if the gate went less far.

Intervals are Wilson's for rows that stand alone, and a bootstrap over the groups where rows share
one: rows of one group (a session, a family of payloads) tend to go right or wrong together. A share
of weighted rows counts as many rows as its weights are worth (Kish). The wider interval counts.
"""

import random
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import ceil, sqrt
from typing import TypeAlias

from automode.evaluation.outcomes import CLASSIFIER, Outcome

Z = 1.959963984540054  # 95 %, both sides
DRAWS = 2000
SEED = 1
# More groups than this are thrown together at random: as independent as before, and quick to draw.
MOST_CLUSTERS = 1000
_TAIL = DRAWS // 40  # 2.5 %


class Method(StrEnum):
    WILSON = "wilson"
    BOOTSTRAP = "bootstrap"


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` of `rows` were counted; `share` and its ends are weighted."""

    hits: int
    rows: int
    groups: int
    share: float
    low: float
    high: float
    method: Method


@dataclass(frozen=True, slots=True)
class Member:
    """What a share needs to know of a row. Rows with equal groups belong together."""

    group: str
    weight: float = 1.0


def wilson(share: float, rows: float) -> tuple[float, float]:
    """`rows` may be a fraction: what weighted rows are worth."""
    root = Z * Z / rows
    centre = (share + root / 2) / (1 + root)
    half = Z * sqrt((share * (1 - share) + root / 4) / rows) / (1 + root)
    # An end may miss the share by a last digit, where the share is nothing or all.
    return min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half))


class Population:
    """The rows that a share is a share of. Draws are made once, for all shares of it."""

    def __init__(self, members: Iterable[Member]) -> None:
        self._members = tuple(members)
        names = sorted({member.group for member in self._members})
        self.groups = len(names)
        self._place = _places(names)
        self._weight = sum(member.weight for member in self._members)

    def __len__(self) -> int:
        return len(self._members)

    def rate(self, hit: Sequence[bool]) -> Rate | None:
        """`hit` says it of each row in turn. None: a share of nothing is no number."""
        if not self._members:
            return None
        parts: dict[int, float] = {}
        for member, yes in zip(self._members, hit, strict=True):
            if yes:
                at = self._place[member.group]
                parts[at] = parts.get(at, 0.0) + member.weight
        hits = sum(hit)
        share = 1.0 if hits == len(self) else min(1.0, sum(parts.values()) / self._weight)
        low, high = wilson(share, self._worth)
        if not self._shared:
            return Rate(hits, len(self), self.groups, share, low, high, Method.WILSON)
        if 0 < hits < len(self):
            drawn_low, drawn_high = self._draws.ends(parts)
            low, high = min(low, drawn_low), max(high, drawn_high)
        return Rate(hits, len(self), self.groups, share, low, high, Method.BOOTSTRAP)

    @property
    def _shared(self) -> bool:
        """A single group says nothing about how groups differ."""
        return 1 < self.groups < len(self)

    @cached_property
    def _worth(self) -> float:
        """How many rows of equal weight say as much."""
        squares = sum((member.weight / self._weight) ** 2 for member in self._members)
        return 1 / squares

    @cached_property
    def _draws(self) -> "_Draws":
        wholes = [0.0] * len(set(self._place.values()))
        for member in self._members:
            wholes[self._place[member.group]] += member.weight
        return _Draws(wholes)


def _places(names: Sequence[str]) -> Mapping[str, int]:
    """Which cluster a group belongs to: its own, as long as there are not too many."""
    if len(names) <= MOST_CLUSTERS:
        return {name: at for at, name in enumerate(names)}
    mixed = list(names)
    random.Random(SEED).shuffle(mixed)  # noqa: S311 - drawn alike by everybody, nothing secret
    return {name: at % MOST_CLUSTERS for at, name in enumerate(mixed)}


class _Draws:
    """How often each cluster is in each draw."""

    def __init__(self, wholes: Sequence[float]) -> None:
        drawing = random.Random(SEED)  # noqa: S311 - drawn alike by everybody
        clusters = range(len(wholes))
        self._times = times = [array("H", bytes(2 * DRAWS)) for _ in clusters]
        self._totals: list[float] = []
        for draw in range(DRAWS):
            picked = drawing.choices(clusters, k=len(wholes))
            for cluster in picked:
                times[cluster][draw] += 1
            self._totals.append(sum(map(wholes.__getitem__, picked)))

    def ends(self, parts: Mapping[int, float]) -> tuple[float, float]:
        """Of the middle 95 % of the draws; `parts` are the hits of each cluster that has some."""
        sums = [0.0] * DRAWS
        for cluster, part in sorted(parts.items()):
            sums = [
                have + part * times for have, times in zip(sums, self._times[cluster], strict=True)
            ]
        shares = sorted(part / whole for part, whole in zip(sums, self._totals, strict=True))
        return shares[_TAIL], min(1.0, shares[DRAWS - 1 - _TAIL])


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
