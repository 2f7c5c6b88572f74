"""Logistic regression on sparse counts, with numpy alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sparse:
    """Rows of traits: those of row `n` are `columns[starts[n]:starts[n + 1]]`. A trait that stands
    there twice counts twice. No row is empty."""

    columns: Ints
    starts: Ints
    width: int

    def times(self, weights: Floats) -> Floats:
        single = weights.astype(np.float32)[self.columns]
        sums: Floats = np.add.reduceat(single, self.starts[:-1]).astype(np.float64)
        return sums

    def transposed_times(self, values: Floats) -> Floats:
        spread = np.repeat(values, np.diff(self.starts))
        sums: Floats = np.bincount(self.columns, spread, self.width).astype(np.float64)
        return sums


def fitted(traits: Sparse, labels: Floats, pull: float, steps: int = 40) -> tuple[Floats, float]:
    """Weights and bias of the smallest log-loss, with a pull of each weight to nothing.

    Limited-memory BFGS with a halving line search: no randomness, no threads, the same weights
    each time."""
    used, columns = np.unique(traits.columns, return_inverse=True)
    weights = np.zeros(traits.width)
    weights[used], bias = _fitted(Sparse(columns, traits.starts, len(used)), labels, pull, steps)
    return weights, bias


def _fitted(traits: Sparse, labels: Floats, pull: float, steps: int) -> tuple[Floats, float]:
    width = traits.width
    point = np.zeros(width + 1)
    total = len(labels)

    def valued(at: Floats) -> tuple[float, Floats]:
        scores = traits.times(at[:width]) + at[width]
        loss = (np.logaddexp(0.0, scores) - labels * scores).sum() / total
        rest = (1 / (1 + np.exp(-np.clip(scores, -60, 60))) - labels) / total
        slope = np.append(traits.transposed_times(rest) + pull * at[:width], rest.sum())
        return float(loss + 0.5 * pull * (at[:width] ** 2).sum()), slope

    value, slope = valued(point)
    moves: list[tuple[Floats, Floats]] = []
    for _ in range(steps):
        direction = _direction(slope, moves)
        stride = 1.0 if moves else 1.0 / max(1.0, float(np.abs(slope).sum()))
        fall = float(slope @ direction)
        for _ in range(25):
            new_value, new_slope = valued(point + stride * direction)
            if new_value <= value + 1e-4 * stride * fall:
                break
            stride /= 2
        else:
            break
        move, turn = stride * direction, new_slope - slope
        if move @ turn > 1e-12:
            moves = [*moves[-9:], (move, turn)]
        if value - new_value < 1e-7 * abs(value):
            point = point + move
            break
        point, value, slope = point + move, new_value, new_slope
    return point[:width], float(point[width])


def _direction(slope: Floats, moves: list[tuple[Floats, Floats]]) -> Floats:
    found = -slope
    shares: list[float] = []
    for move, turn in reversed(moves):
        share = float(move @ found / (move @ turn))
        shares.append(share)
        found = found - share * turn
    if moves:
        move, turn = moves[-1]
        found = found * float(move @ turn / (turn @ turn))
    for (move, turn), share in zip(moves, reversed(shares), strict=True):
        found = found + (share - float(turn @ found / (move @ turn))) * move
    return found
