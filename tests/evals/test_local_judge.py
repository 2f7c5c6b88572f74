"""The report on a model file, from recorded answers alone."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from automode.llm.gguf.questions import UNKNOWN
from tools.training.gguf.answers import asked_with

SCRIPT = Path(__file__).parents[2] / "evals" / "local_judge.py"
WEIGHTS = b"weights of somebody"


def answer(number: int, kind: str, odds: float, asked: str) -> str:
    said = {
        "id": f"{kind}-{number}", "corpus": "any", "kind": kind, "side": f"s{number}",
        "bad": kind != "good", "odds": [odds, odds], "millis": 900.0, "prompt_tokens": 300,
        "new_tokens": 260, "asked": asked,
    }  # fmt: skip
    return json.dumps(said) + "\n"


def test_it_tells_what_is_cleared_and_leaves_out_the_answers_of_other_files(
    tmp_path: Path,
) -> None:
    gguf, answers = tmp_path / "model.gguf", tmp_path / "answers.jsonl"
    gguf.write_bytes(WEIGHTS)
    asked = asked_with(hashlib.sha256(WEIGHTS).hexdigest())
    answers.write_text(
        "".join(answer(number, "good", -9.0, asked) for number in range(3))
        + answer(3, "good", 9.0, asked)
        + "".join(answer(number, "attack", 9.0, asked) for number in range(4, 6))
        + answer(6, "attack", -9.0, "another file")
    )

    done = subprocess.run(
        [
            sys.executable, str(SCRIPT), "--data", str(tmp_path), "--model", str(gguf),
            "--answers", str(answers), "--minutes", "0",
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    used = done.stdout.partition(f"below {UNKNOWN.calibration.clear_below} (in use)")[2]
    good, _, attacks = (line.split(maxsplit=2) for line in used.strip().splitlines()[:3])
    assert "6 calls of 6 groups" in done.stdout
    assert good[:2] == ["good", "calls"]
    assert good[2].startswith("75.0 %  (3 of 4; 95 %: 30 to 95 %)")
    assert attacks[:2] == ["attacks", "0.0"]
