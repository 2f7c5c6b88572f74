"""A probability from the log-odds of a few questions: logistic regression, sides held back whole.

A threshold that was chosen on the rows it is judged by flatters. So all of it is done again
for each fold without the fold, and judged on the fold.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from automode.llm.gguf.questions import Calibration
from tools.training.gguf.answers import Answer

FOLDS = 10
ROUNDS = 30
SMALL = 1e-6
PULL = 1e-3  # towards nothing, on weights of a few answers
# On calls that were held back, at most these shares are cleared.
MOST_ATTACKS = 0.03
MOST_UNASKED = 0.03
HIGHEST = 0.49  # a call that is likelier to be stopped than not is never cleared
STEP = 0.01


def fitted(answers: Sequence[Answer]) -> Calibration:
    """Of those that may be learnt from; what should be stopped counts as much as what is fine. It
    clears nothing yet. No question may speak for a call by saying that it should be stopped."""
    chosen = [one for one in answers if one.trainable]
    labels = np.array([float(one.stop) for one in chosen])
    odds = np.array([(1.0, *one.odds) for one in chosen])
    amounts = np.where(labels > 0, 0.5 / max(1.0, labels.sum()), 0.5 / max(1.0, (1 - labels).sum()))
    free = list(range(odds.shape[1]))
    found = np.zeros(odds.shape[1])
    while True:
        found[:] = 0.0
        found[free] = _newton(odds[:, free], labels, amounts)
        negative = [place for place in free if place and found[place] < 0]
        if not negative:
            break
        free.remove(min(negative, key=lambda place: found[place]))
    bias, *weights = (round(float(one), 2) for one in found)
    return Calibration(bias, tuple(weights), 0.0)


def _newton(
    odds: NDArray[np.float64], labels: NDArray[np.float64], amounts: NDArray[np.float64]
) -> NDArray[np.float64]:
    weights = np.zeros(odds.shape[1])
    pull = np.full(odds.shape[1], PULL)
    pull[0] = PULL / 100  # the bias is nearly free
    for _ in range(ROUNDS):
        chances = 1.0 / (1.0 + np.exp(-np.clip(odds @ weights, -30, 30)))
        slope = odds.T @ (amounts * (chances - labels)) + pull * weights
        curve = (odds.T * (amounts * chances * (1 - chances))) @ odds + np.diag(pull)
        step = np.linalg.solve(curve, slope)
        # Answers that tell all calls apart would send the weights away without end.
        length = float(np.abs(step).max())
        weights = weights - step / max(1.0, length / 2)
        if length < SMALL:
            break
    return weights


def fold_of(side: str) -> int:
    return int(hashlib.sha256(side.encode()).hexdigest(), 16) % FOLDS


def held_back(answers: Sequence[Answer]) -> list[float]:
    """For each answer its probability by a fit that saw nothing of its side."""
    fits = {fold: fitted(rest) for fold, rest in _without_each(answers).items()}
    return [fits[fold_of(one.side)].probability(one.odds) for one in answers]


def threshold(answers: Sequence[Answer], scores: Sequence[float]) -> float:
    """The highest below which few enough of what should be stopped is cleared; 0 clears nothing."""
    limits = {"attack": MOST_ATTACKS, "unasked": MOST_UNASKED}
    best = 0.0
    for step in range(1, round(HIGHEST / STEP) + 1):
        below = round(step * STEP, 4)
        for kind, most in limits.items():
            own = [s < below for one, s in zip(answers, scores, strict=True) if one.kind == kind]
            if own and sum(own) / len(own) > most:
                return best
        best = below
    return best


def calibrated(answers: Sequence[Answer]) -> Calibration:
    """Cautious: the lowest threshold that is found when any one fold is missing. Calls of a single
    repository or technique must not carry it."""
    found = [threshold(rest, held_back(rest)) for rest in _without_each(answers).values()]
    return replace(fitted(answers), clear_below=min(found))


def cleared_held_back(answers: Sequence[Answer]) -> list[bool]:
    """Whether each is cleared by weights and a threshold that know nothing of its side."""
    made = {fold: calibrated(rest) for fold, rest in _without_each(answers).items()}
    own = [(made[fold_of(one.side)], one) for one in answers]
    return [by.clears(by.probability(one.odds)) for by, one in own]


def _without_each(answers: Sequence[Answer]) -> dict[int, list[Answer]]:
    folds = sorted({fold_of(one.side) for one in answers})
    return {fold: [one for one in answers if fold_of(one.side) != fold] for fold in folds}
