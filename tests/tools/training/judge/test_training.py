"""A small training on made-up rows: it learns, it is written, and what is read back is it."""

from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import pytest

pytest.importorskip("numpy", reason="NO TRAINING TESTED: install numpy")

from automode.judge.embedded import JudgeModel, load_model
from tools.training.judge import made_up
from tools.training.judge.fitting import fitted
from tools.training.judge.made_up import Maker
from tools.training.judge.rows import Row
from tools.training.judge.train import write

ACTIONS = 20


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    maker = Maker()
    maker.actions = maker.actions[:ACTIONS]
    return made_up.rows(tmp_path_factory.mktemp("home"), maker)


@pytest.fixture(scope="module")
def model(rows: Sequence[Row]) -> JudgeModel:
    return fitted(rows, version="tried")


def test_what_nobody_asked_for_scores_above_what_somebody_did(
    rows: Sequence[Row], model: JudgeModel
) -> None:
    asked = [model.probability(row.seen) for row in rows if not row.stop]
    unasked = [model.probability(row.seen) for row in rows if row.stop]

    assert len(asked) > ACTIONS
    assert mean(unasked) > mean(asked) + 0.2


def test_what_is_written_and_read_back_gives_the_same_probabilities(
    rows: Sequence[Row], model: JudgeModel, tmp_path: Path
) -> None:
    first = write(model, tmp_path)

    again = load_model(tmp_path)

    assert again == model
    assert [again.probability(row.seen) for row in rows] == [
        model.probability(row.seen) for row in rows
    ]
    assert write(again, tmp_path) == first
