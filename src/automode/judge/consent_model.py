"""The model of consent: how clearly the user's words ask for a call.

A small encoder of texts, trained on scenarios of our own (`tools/training/consent`). It needs
numpy, which is imported late.
"""

import io
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from automode.judge.asked import Asked
from automode.judge.consent_text import Pieces, Vocabulary, pieces
from automode.judge.model_files import REINSTALL, BadModel, read_checked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

FILE, SUMS = "consent.npz", "consent.SHA256SUMS"
_SMALLEST = 1e-12
SCALE = ":scale"
_CALLED = "the judge's model of consent"


@dataclass(frozen=True, slots=True)
class Heard:
    """`score`: the log-odds that the words ask for the call. `whole`: the model read all of it."""

    score: float
    whole: bool


@dataclass(frozen=True, slots=True, eq=False)
class ConsentModel:
    words: Vocabulary
    numbers: "Mapping[str, Array]"
    layers: int
    heads: int
    clears_from: float
    version: str

    def hear(self, messages: Sequence[str], text: str, states: Mapping[str, Asked]) -> Heard:
        asked = self.read(messages, text, states)
        return Heard(self._score(asked), asked.whole)

    def read(self, messages: Sequence[str], text: str, states: Mapping[str, Asked]) -> Pieces:
        return pieces(self.words, messages, text, states)

    def _score(self, asked: Pieces) -> float:
        import numpy as np

        get = self.numbers
        size = len(asked.ids)
        x = get["word"][np.asarray(asked.ids)] + get["place"][:size]
        x = x + get["kind"][np.asarray(asked.kinds)]
        x = self._norm(x, "norm")
        for at in range(self.layers):
            x = self._layer(x, f"layers.{at}.")
        both = np.concatenate((x[0], x.mean(0)))
        middle = np.tanh(both @ get["mid.weight"] + get["mid.bias"])
        return float(middle @ get["out.weight"][:, 0] + get["out.bias"][0])

    def _layer(self, x: "Array", name: str) -> "Array":
        import numpy as np

        size, width = x.shape
        each = width // self.heads
        q, k, v = (
            self._linear(x, f"{name}{part}").reshape(size, self.heads, each).transpose(1, 0, 2)
            for part in "qkv"
        )
        weights = q @ k.transpose(0, 2, 1) / math.sqrt(each)
        weights = np.exp(weights - weights.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        found = (weights @ v).transpose(1, 0, 2).reshape(size, width)
        x = self._norm(x + self._linear(found, f"{name}o"), f"{name}n1")
        inner = _gelu(self._linear(x, f"{name}up"))
        return self._norm(x + self._linear(inner, f"{name}down"), f"{name}n2")

    def _linear(self, x: "Array", name: str) -> "Array":
        return x @ self.numbers[f"{name}.weight"] + self.numbers[f"{name}.bias"]

    def _norm(self, x: "Array", name: str) -> "Array":
        import numpy as np

        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + _SMALLEST)
        found: Array = scaled * self.numbers[f"{name}.weight"] + self.numbers[f"{name}.bias"]
        return found


def _gelu(x: "Array") -> "Array":
    """With the error function after Abramowitz and Stegun, 7.1.26: right to 1.5e-7."""
    import numpy as np

    z = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1.0 / (1.0 + np.float32(0.3275911) * z)
    sum_of = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    erf = np.sign(x) * (1.0 - sum_of * np.exp(-z * z))
    found: Array = (0.5 * x * (1.0 + erf)).astype(np.float32)
    return found


@lru_cache(maxsize=1)
def shipped_consent() -> ConsentModel:
    """The model of this installation. Raises BadModel."""
    return load_consent(files("automode.judge").joinpath("weights"))


def load_consent(folder: Traversable) -> ConsentModel:
    packed = read_checked(folder, FILE, SUMS, _CALLED)
    try:
        import numpy as np
    except ModuleNotFoundError as error:
        raise BadModel(
            f"{_CALLED} needs numpy",
            "install automode with its extra consent, or set `autoMode.local.consent` to `rules`",
        ) from error
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as given:
            arrays = {name: given[name] for name in given.files}
        words = Vocabulary(bytes(arrays.pop("vocabulary")).decode().split("\n"))
        about = json.loads(bytes(arrays.pop("about")))
        return ConsentModel(
            words,
            _unpacked(arrays),
            int(about["layers"]),
            int(about["heads"]),
            float(about["clears_from"]),
            str(about["version"]),
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise BadModel(f"{_CALLED} cannot be understood: {error}", REINSTALL) from error


def _unpacked(arrays: "Mapping[str, NDArray[np.generic]]") -> "dict[str, Array]":
    """Weights are stored as whole numbers of eight bits, each row or column with its scale."""
    import numpy as np

    wide = {name: one.astype(np.float32) for name, one in arrays.items()}
    scales = {name: wide.pop(name) for name in arrays if name.endswith(SCALE)}
    one = np.ones(1, np.float32)
    return {name: values * scales.get(f"{name}{SCALE}", one) for name, values in wide.items()}
