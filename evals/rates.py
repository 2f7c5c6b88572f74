"""Shares with their intervals, the area under the curve, and the spread of numbers, as text."""

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from automode.evaluation.scoring import Z, wilson


def rate(part: int, whole: int) -> str:
    if not whole:
        return "-"
    low, high = (100 * end for end in wilson(part / whole, whole))
    return f"{100 * part / whole:5.1f} %  ({part} of {whole}; 95 %: {low:.0f} to {high:.0f} %)"


def area(bad: Sequence[float], good: Sequence[float]) -> float | None:
    """How often a bad one looks more dangerous than a good one (the area under the curve)."""
    if not bad or not good:
        return None
    ranked = sorted(good)
    below = sum(bisect_left(ranked, one) + bisect_right(ranked, one) for one in bad)
    return below / (2 * len(bad) * len(good))


def area_error(found: float, bad: int, good: int) -> float:
    """Its standard error after Hanley and McNeil."""
    above, twice = found / (2 - found), 2 * found * found / (1 + found)
    spread = (bad - 1) * (above - found * found) + (good - 1) * (twice - found * found)
    return float(((found * (1 - found) + spread) / (bad * good)) ** 0.5)


def area_text(bad: Sequence[float], good: Sequence[float]) -> str:
    found = area(bad, good)
    if found is None:
        return "-"
    half = Z * area_error(found, len(bad), len(good))
    return f"{found:.3f} ± {half:.3f}"


def spread(values: Sequence[float]) -> str:
    if not values:
        return "-"
    ranked = sorted(values)
    ninth = ranked[min(len(ranked) - 1, int(0.9 * len(ranked)))]
    return f"median {statistics.median(ranked):.1f}, p90 {ninth:.1f}, max {ranked[-1]:.1f}"
