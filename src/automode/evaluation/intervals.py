"""Shares with 95 % intervals: Wilson's for rows that stand alone, and a bootstrap over the groups
where rows share one.

A share of weighted rows counts as many rows as its weights are worth (Kish). Rows of one group (a
session, a family of payloads) tend to go right or wrong together, so groups are drawn, not rows.
The interval covers both: sharing a group never makes a number surer than standing alone would.
"""

import random
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import sqrt

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
