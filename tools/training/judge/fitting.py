"""Logistic regression where words of a call may only raise suspicion, by numpy alone."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from automode.judge.embedded import JudgeModel, needs_a_word
from tools.training.judge.rows import Row

Vector = NDArray[np.float64]

FOLDS = 10
STEPS = 600
STRENGTH = 0.3  # of the data against the pull to nothing
# Features that more commands, names or addresses in a call cannot bring about.
NOT_ADDED = ("mark:", "kind:", "words:")
LEAST_SIDES = 4  # in which a word must occur: what only one project says is no knowledge
LEAST_SIDES_OF_FEATURES = 2


def fold_of(side: str) -> int:
    return int(hashlib.sha256(side.encode()).hexdigest(), 16) % FOLDS


def fitted(rows: Sequence[Row], version: str = "") -> JudgeModel:
    """A model of the trainable ones among `rows`; its thresholds clear nothing yet."""
    chosen = [row for row in rows if row.trainable and not _settled(row)]
    features = _common((row.side, row.seen.present) for row in chosen)
    spoken = ((row.side, row.seen.tokens) for row in chosen if row.kind != "made-up")
    words = _common(spoken, LEAST_SIDES)
    places = {name: place for place, name in enumerate((*features, *words))}
    matrix = _Matrix.of(chosen, places, len(features))
    labels = np.array([1.0 if row.stop else -1.0 for row in chosen])
    amounts = np.array([row.weight for row in chosen])
    least = np.array([*map(_least, features), *([0.0] * len(words)), -math.inf])
    found = _descended(matrix, labels, amounts, least)
    rounded = [round(float(one), 4) for one in found]
    present = dict(zip(features, rounded, strict=False))
    tokens = dict(zip(words, rounded[len(features) :], strict=False))
    return JudgeModel(
        version=version,
        bias=rounded[-1],
        present={name: weight for name, weight in present.items() if weight},
        tokens={name: weight for name, weight in tokens.items() if weight},
        clear_below=0.0,
        clear_below_alone=0.0,
    )


def _settled(row: Row) -> bool:
    """Pairs about consent that no weights decide would only teach that asking is in vain. Real
    attacks are learnt from all the same: their words are worth knowing."""
    return row.kind in ("swapped", "made-up") and needs_a_word(row.seen)


def _least(feature: str) -> float:
    """What an agent can add to a call by writing more into it must not speak for the call."""
    return -math.inf if feature.startswith(NOT_ADDED) else 0.0


def held_back(rows: Sequence[Row]) -> Vector:
    """For each row its probability by a model that saw nothing of its side."""
    scores = np.full(len(rows), np.nan)
    for fold in range(FOLDS):
        model = fitted([row for row in rows if fold_of(row.side) != fold])
        for place, row in enumerate(rows):
            if fold_of(row.side) == fold:
                scores[place] = model.probability(row.seen)
    return scores


def _common(
    named: Iterable[tuple[str, Iterable[str]]], least: int = LEAST_SIDES_OF_FEATURES
) -> list[str]:
    sides: defaultdict[str, set[str]] = defaultdict(set)
    for side, names in named:
        for name in names:
            sides[name].add(side)
    return sorted(name for name, where in sides.items() if len(where) >= least)


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Where a row has a one, row by row; the last column is one everywhere."""

    columns: NDArray[np.int64]
    row_of: NDArray[np.int64]
    height: int
    width: int

    @classmethod
    def of(cls, rows: Sequence[Row], places: dict[str, int], features: int) -> "_Matrix":
        columns: list[int] = []
        row_of: list[int] = []
        for number, row in enumerate(rows):
            here = [places[name] for name in row.seen.present if name in places]
            words = [p for name in row.seen.tokens if (p := places.get(name, -1)) >= features]
            columns += [*here, *words, len(places)]
            row_of += [number] * (len(here) + len(words) + 1)
        return cls(np.array(columns), np.array(row_of), len(rows), len(places) + 1)

    def times(self, weights: Vector) -> Vector:
        return np.bincount(self.row_of, weights[self.columns], self.height).astype(np.float64)

    def back(self, errors: Vector) -> Vector:
        return np.bincount(self.columns, errors[self.row_of], self.width).astype(np.float64)


def _descended(matrix: _Matrix, labels: Vector, amounts: Vector, least: Vector) -> Vector:
    """Accelerated projected gradient: the loss is smooth and convex, the bounds are a box."""
    pull = np.full(matrix.width, 1.0 / STRENGTH)
    pull[-1] = 1e-6  # the bias is free
    # An upper bound of the curvature of each column, so that rare ones move as fast as common ones.
    scaled = 0.25 * amounts * np.bincount(matrix.row_of, minlength=matrix.height)
    curved = np.bincount(matrix.columns, scaled[matrix.row_of], matrix.width)
    step = 1.0 / (curved + pull)
    here = np.zeros(matrix.width)
    ahead, momentum = here, 1.0
    for _ in range(STEPS):
        margins = labels * matrix.times(ahead)
        errors = -amounts * labels / (1.0 + np.exp(np.clip(margins, -60, 60)))
        following = np.maximum(least, ahead - step * (matrix.back(errors) + pull * ahead))
        faster = (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum)) / 2.0
        ahead = following + (momentum - 1.0) / faster * (following - here)
        here, momentum = following, faster
    return here
