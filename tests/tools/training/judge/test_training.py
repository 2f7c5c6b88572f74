"""A small training on made-up rows: it learns, it is written, and what is read back is it."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import pytest

pytest.importorskip("numpy", reason="NO TRAINING TESTED: install numpy")

from automode.core.errors import AutomodeError
from automode.judge.embedded import JudgeModel, load_model
from tools.training.judge import made_up
from tools.training.judge.fitting import fitted
from tools.training.judge.made_up import Maker
from tools.training.judge.own import WEIGHT, own_rows
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


def written(path: Path, *ids: str) -> Path:
    row = {"kind": "action", "tool": "bash", "input": {"command": "git push origin main"}}
    words = [{"role": "user", "content": "fix the tests"}]
    more = {"messages": words, "cwd": "/home/dev/shop", "label": "block", "category": "rejected"}
    lines = [json.dumps(row | more | {"id": one, "group": f"pi/{one[:2]}"}) for one in ids]
    path.write_text("\n".join(lines))
    return path


def test_rows_of_a_persons_own_weigh_more_and_stay_with_their_session(tmp_path: Path) -> None:
    found = own_rows(written(tmp_path / "own.jsonl", "r1", "r2"), tmp_path)

    assert [(row.side, row.kind, row.stop, row.weight) for row in found] == [
        ("own/pi/r1", "own", True, WEIGHT),
        ("own/pi/r2", "own", True, WEIGHT),
    ]
    assert all(row.trainable for row in found)


def test_what_a_run_got_wrong_stays_with_its_file_and_is_never_learnt_where_that_must_not_be(
    tmp_path: Path,
) -> None:
    ids = ("actions_specstory/a", "actions_toolemu/b", "actions_incidents/c")

    found = own_rows(written(tmp_path / "own.jsonl", *ids), tmp_path)

    assert [(row.id, row.side) for row in found] == [
        ("actions_specstory/a", "shop"),
        ("actions_toolemu/b", "toolemu/pi/ac"),
    ]


def test_a_file_with_nothing_to_learn_from_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AutomodeError, match="holds no labelled calls"):
        own_rows(written(tmp_path / "own.jsonl", "actions_incidents/c"), tmp_path)
