"""A calibration from a small set of recorded answers: it ranks, it is repeatable, it is held back.

`answers.jsonl` holds what Qwen2.5-Coder-1.5B-Instruct answered, without ids or words of the calls.
"""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

pytest.importorskip("numpy", reason="NO TRAINING TESTED: install numpy")

from hypothesis import given, settings
from hypothesis import strategies as st

from automode.core.errors import AutomodeError
from automode.llm.gguf.questions import KNOWN
from tests.rows import each_row
from tools.training.gguf.answers import answers, asked_with
from tools.training.gguf.fitting import (
    HIGHEST,
    MOST_ATTACKS,
    calibrated,
    cleared_held_back,
    fitted,
    fold_of,
    held_back,
    threshold,
)
from tools.training.gguf.train import CARD, main

RECORDED = Path(__file__).parent / "answers.jsonl"
FOUND = answers(RECORDED)


def test_attacks_look_worse_than_good_calls_to_fits_that_did_not_see_them() -> None:
    scores = held_back(FOUND)

    of = {
        kind: mean(s for one, s in zip(FOUND, scores, strict=True) if one.kind == kind)
        for kind in ("good", "attack", "asked", "unasked")
    }
    assert of["attack"] > of["good"] + 0.1
    assert of["unasked"] > of["asked"]


def test_the_threshold_keeps_its_promise_on_what_was_held_back() -> None:
    scores = held_back(FOUND)
    below = threshold(FOUND, scores)

    attacks = [s < below for one, s in zip(FOUND, scores, strict=True) if one.kind == "attack"]
    assert 0.0 < below <= HIGHEST
    assert sum(attacks) / len(attacks) <= MOST_ATTACKS
    assert 0.0 < calibrated(FOUND).clear_below <= below


def test_no_answer_for_stopping_a_call_can_speak_for_it() -> None:
    turned = [replace(one, odds=(-one.odds[0], one.odds[1])) for one in FOUND]

    assert fitted(turned).weights[0] == 0.0
    assert all(weight >= 0.0 for weight in fitted(FOUND).weights)


def test_what_is_for_evaluation_only_moves_nothing() -> None:
    without = [one for one in FOUND if one.kind != "overeager"]
    assert len(without) < len(FOUND)

    assert calibrated(without) == calibrated(FOUND)


@settings(max_examples=10)
@given(st.sampled_from(sorted({fold_of(one.side) for one in FOUND})))
def test_nothing_of_a_side_is_known_to_what_judges_it(fold: int) -> None:
    own = [fold_of(one.side) == fold for one in FOUND]
    turned = [
        replace(one, stop=not one.stop) if mine else one
        for one, mine in zip(FOUND, own, strict=True)
    ]

    before, after = held_back(FOUND), held_back(turned)

    assert [a for a, mine in zip(after, own, strict=True) if mine] == [
        b for b, mine in zip(before, own, strict=True) if mine
    ]


def test_answers_that_tell_nothing_clear_nothing() -> None:
    same = [replace(one, odds=(0.0, 0.0)) for one in FOUND]

    assert not any(cleared_held_back(same))


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def rows(asked: str) -> list[dict[str, object]]:
    lines = RECORDED.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) | {"asked": asked} for line in lines]


def test_one_command_writes_the_same_page_each_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gguf = tmp_path / "model.gguf"
    gguf.write_bytes(b"weights")
    sha256 = hashlib.sha256(b"weights").hexdigest()
    recorded = written(tmp_path / "answers.jsonl", rows(asked_with(sha256)))
    pages = [tmp_path / "first.md", tmp_path / "second.md"]

    for page in pages:
        main([str(recorded), str(gguf), "--card", str(page)])

    text = pages[0].read_text()
    assert text == pages[1].read_text()
    assert sha256 in text
    assert "26 attacks" in text
    assert f'"{sha256}": Weights("model.gguf", {calibrated(FOUND)!r}),' in capsys.readouterr().out


def test_answers_of_another_file_are_refused(tmp_path: Path) -> None:
    gguf = tmp_path / "model.gguf"
    gguf.write_bytes(b"weights")

    with pytest.raises(AutomodeError, match="of another file than"):
        main([str(RECORDED), str(gguf), "--card", str(tmp_path / "page.md")])
    assert not (tmp_path / "page.md").exists()


GOOD: dict[str, object] = {
    "id": "a", "kind": "good", "side": "s", "bad": False, "odds": [0.1, 0.2], "asked": "x",
}  # fmt: skip
BAD = GOOD | {"id": "b", "kind": "attack", "bad": True}
WRONG: dict[str, list[dict[str, object]]] = {
    "line 1 of": [{}],
    "line 2 of": [GOOD, GOOD | {"odds": [0.1, "x"]}],
    "is no recorded answer": [GOOD | {"kind": "unheard of"}],
    "of several files": [GOOD, BAD | {"asked": "y"}],
    "should be stopped": [GOOD],
    "are fine": [BAD],
}


@each_row("words", WRONG)
def test_a_file_that_cannot_be_fitted_on_says_what_is_wrong(tmp_path: Path, words: str) -> None:
    path = written(tmp_path / "answers.jsonl", WRONG[words])

    with pytest.raises(AutomodeError, match=words) as raised:
        answers(path)
    assert raised.value.hint


def test_the_committed_page_is_about_the_numbers_in_use() -> None:
    page = CARD.read_text(encoding="utf-8")

    for sha256, known in KNOWN.items():
        used = known.calibration
        assert f"{known.title}, SHA-256 `{sha256}`" in page
        assert f"bias {used.bias:g}; " in page
        assert f"cleared below {used.clear_below:g}\n" in page
        assert all(f" {weight:g}" in page for weight in used.weights)
