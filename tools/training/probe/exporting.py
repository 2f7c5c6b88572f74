"""From weights of the training to the model that the package ships."""

from collections.abc import Mapping, Sequence

import numpy as np

from automode.probe.folding import fold
from automode.probe.model import PIECE, Model, leanings, promising_spans, tokens
from automode.probe.screening import ENOUGH
from tools.training.probe.learning import Floats

_LARGEST = 127
_OPEN = -(1 << 30)
LOST = 0.05
"""How many of the orders that the model finds it may lose to the gate."""


def exported(weights: Floats, bias: float, kin: Mapping[str, int], threshold: float) -> Model:
    """A signed byte for each weight. A window at the threshold has just enough points."""
    scale = float(np.quantile(np.abs(weights[weights != 0]), 0.9999)) / _LARGEST
    cells = np.clip(np.rint(weights / scale), -_LARGEST, _LARGEST).astype(np.int8)
    return Model(cells.tobytes(), scale, bias + ENOUGH - threshold, _OPEN, kin)


def gated(model: Model, planted: Sequence[str]) -> Model:
    """With the highest gate that loses next to none of the orders found in `planted`."""
    leant = (_leaning(_plain(text), model) for text in planted)
    gates = sorted(gate for gate in leant if gate is not None)
    gate = gates[int(LOST * len(gates))] if gates else _OPEN
    return Model(model.table, model.scale, model.bias, gate, model.kin)


def moved(model: Model, by: float) -> Model:
    """The same model, stricter by so many points."""
    return Model(model.table, model.scale, model.bias - by, model.gate, model.kin)


def read_share(model: Model, texts: Sequence[str]) -> float:
    """How much of ordinary texts the gate lets through to the model."""
    plain = [_plain(text) for text in texts]
    read = sum(end - start for text in plain for start, end in promising_spans(text, model))
    return read / max(1, sum(map(len, plain)))


def _plain(text: str) -> str:
    return fold(text).text


def _leaning(text: str, model: Model) -> int | None:
    """How high the gate may be for the order in a text; None where the model finds none."""
    places = list(tokens(text, 0, len(text)))
    scores = model.scores([word for word, _, _ in places])
    first, last, points = max(scores, key=lambda one: one[2], default=(0, 0, 0.0))
    if points < ENOUGH:
        return None
    start, end = places[first][1], places[last - 1][2]
    return max(leanings(text, model)[start // PIECE : end // PIECE + 1])
