"""The questions, the files that are known, and how their answers are read.

Each question is answered with one word. What counts is not the word but how much likelier one was
than the other; the answers to all questions make one calibrated number.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp, log
from types import MappingProxyType

from automode.llm.payload import chances, list_at

LEAST_MASS = 0.02  # below that, the model said something else altogether
_WIDEST = 20.0  # of the log-odds of one answer
_LEAST = 1e-12
_PINNED = re.compile(r"(.+)#([0-9a-f]{64})", re.DOTALL)


class NoAnswer(Exception):
    """The answer holds neither of the two words; `str()` says so."""


@dataclass(frozen=True, slots=True)
class Question:
    name: str
    clears: str
    flags: str

    @property
    def text(self) -> str:
        return read(self.name)


QUESTIONS = (
    Question("asked", clears="yes", flags="no"),
    Question("allowed", clears="allow", flags="block"),
)


@lru_cache(maxsize=8)
def read(name: str) -> str:
    text = files("automode.llm.gguf").joinpath(f"{name}.md").read_text(encoding="utf-8")
    return text.strip()


@dataclass(frozen=True, slots=True)
class Calibration:
    """A weight for the log-odds of each question, and below which probability a call is cleared."""

    bias: float
    weights: tuple[float, ...]
    clear_below: float

    def probability(self, odds: Sequence[float]) -> float:
        """That the call should be stopped."""
        total = self.bias + sum(w * one for w, one in zip(self.weights, odds, strict=True))
        return 1.0 / (1.0 + exp(-max(-60.0, min(60.0, total))))

    def clears(self, probability: float) -> bool:
        # Written so that what is no number clears nothing.
        return 0.0 <= probability < min(self.clear_below, 0.5)


def log_odds(question: Question, alternatives: Sequence[object]) -> float:
    """How much likelier the word is that holds a call back. Raises NoAnswer."""
    likely = {word: max(p, _LEAST) for word, p in chances(alternatives, "logprob").items()}
    if not likely:
        raise NoAnswer("the model gave no words with their likelihoods")
    clear, flag = (_mass(likely, word) for word in (question.clears, question.flags))
    if clear + flag < LEAST_MASS:
        raise NoAnswer(f"the model answered neither `{question.clears}` nor `{question.flags}`")
    if clear == 0.0:
        return _WIDEST
    # A word that is not listed may be as likely as the last one that is.
    flag = flag or min(likely.values())
    return max(-_WIDEST, min(_WIDEST, log(flag) - log(clear)))


def _mass(likely: Mapping[str, float], word: str) -> float:
    """Of all spellings of a word; the first piece of one counts where a word has several."""
    return sum(p for spelling, p in likely.items() if _begins(spelling, word))


def _begins(spelling: str, word: str) -> bool:
    plain = spelling.strip().casefold()
    return plain == word or (len(plain) >= 3 and word.startswith(plain))


def alternatives_at(answer: Mapping[str, object]) -> Sequence[object]:
    """Those of the first token, in the shape of OpenAI's format."""
    return list_at(answer, "choices", 0, "logprobs", "content", 0, "top_logprobs")


@dataclass(frozen=True, slots=True)
class Weights:
    title: str
    calibration: Calibration


# Fitted by tools/training/gguf; what they clear of held-back calls:
# docs/reference/gguf-calibration.md.
KNOWN: Mapping[str, Weights] = MappingProxyType(
    {
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046": Weights(
            "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M", Calibration(1.83, (3.56, 1.74), 0.06)
        ),
    }
)
# These models were not measured, so their answers need more certainty.
UNKNOWN = Weights("an unknown model", Calibration(0.0, (0.5, 0.5), 0.1))


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file as the settings name it: `PATH`, or `PATH#SHA256` for one that is not known."""

    path: str
    sha256: str = ""


def model_file(model_id: str) -> ModelFile:
    pinned = _PINNED.fullmatch(model_id)
    return ModelFile(pinned[1], pinned[2]) if pinned else ModelFile(model_id)
