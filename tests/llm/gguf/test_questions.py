"""From words and their likelihoods to one number."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.llm.gguf.questions import (
    KNOWN,
    QUESTIONS,
    UNKNOWN,
    Calibration,
    ModelFile,
    NoAnswer,
    log_odds,
    model_file,
)

ASKED = QUESTIONS[0]
EVEN = Calibration(0.0, (0.5, 0.5), 0.2)


def words(**chances: float) -> list[object]:
    return [{"token": word, "logprob": log(chance)} for word, chance in chances.items()]


ROWS = [
    (words(Yes=0.9, No=0.1), log(0.1 / 0.9)),
    (words(yes=0.5, YES=0.4, No=0.1), log(0.1 / 0.9)),
    (words(Yes=0.1, No=0.8, Maybe=0.1), log(8)),
    # What is not listed may be as likely as the last that is.
    (words(Yes=0.9, Maybe=0.09), log(0.1)),
    (words(No=0.9, Maybe=0.1), 20.0),
]


@pytest.mark.parametrize(("alternatives", "odds"), ROWS)
def test_both_words_are_weighed_in_all_their_spellings(
    alternatives: list[object], odds: float
) -> None:
    assert log_odds(ASKED, alternatives) == pytest.approx(odds, abs=0.02)


NO_ANSWERS: list[list[object]] = [
    [],
    words(The=0.9, To=0.1),
    words(The=0.99, Yes=0.001, No=0.001),
    [{"token": "Yes", "logprob": float("nan")}, {"token": "No", "logprob": "high"}, 7, None],
]


@pytest.mark.parametrize("alternatives", NO_ANSWERS)
def test_what_is_no_answer_is_not_read_as_one(alternatives: list[object]) -> None:
    with pytest.raises(NoAnswer):
        log_odds(ASKED, alternatives)


@given(st.floats(), st.floats())
def test_only_a_small_probability_clears(one: float, other: float) -> None:
    probability = EVEN.probability((one, other))

    assert EVEN.clears(probability) is (0.0 <= probability < 0.2)


@pytest.mark.parametrize("weights", [*KNOWN.values(), UNKNOWN])
def test_every_calibration_fits_the_questions_and_rises_with_each(weights: object) -> None:
    calibration = getattr(weights, "calibration")  # noqa: B009

    assert isinstance(calibration, Calibration)
    assert len(calibration.weights) == len(QUESTIONS)
    assert min(calibration.weights) >= 0.0
    assert not calibration.clears(calibration.probability([3.0] * len(QUESTIONS)))


def test_a_file_may_be_named_with_its_checksum() -> None:
    assert model_file("/m/a.gguf") == ModelFile("/m/a.gguf")
    assert model_file("/m/a#b.gguf#" + "0f" * 32) == ModelFile("/m/a#b.gguf", "0f" * 32)
    assert model_file("/m/a.gguf#0f") == ModelFile("/m/a.gguf#0f")
