"""Trains, measures and writes the judge's model: `python -m tools.training.judge.train DATA`.

DATA is a folder with `actions_*.jsonl.gz`. With `--out FOLDER` the model is written there and not
into the package.
"""

import argparse
import gzip
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path

from automode.judge.embedded import FILE, FORMAT, SUMS, JudgeModel
from tools.training.judge import made_up, measuring
from tools.training.judge.card import card
from tools.training.judge.fitting import fitted, held_back
from tools.training.judge.rows import given, rows

ROOT = Path(__file__).parents[3]
WEIGHTS = ROOT / "src/automode/judge/weights"
CARD = ROOT / "docs/reference/judge-model.md"


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--card", type=Path, help="where the model card goes")
    chosen = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as home:
        found = [*rows(given(chosen.data), Path(home)), *made_up.rows(Path(home))]
    print(f"{len(found)} rows: {dict(Counter(row.file for row in found))}", flush=True)
    scores = held_back(found)
    model = replace(
        fitted(found, version=date.today().isoformat()),
        clear_below=measuring.threshold(found, scores, measuring.MOST_UNASKED),
        clear_below_alone=measuring.threshold(found, scores, measuring.MOST_UNASKED_ALONE),
    )
    sum_of = write(model, chosen.out)
    text = card(model, found, scores, sum_of)
    place = chosen.card or (CARD if chosen.out == WEIGHTS else chosen.out / "judge-model.md")
    place.write_text(text, encoding="utf-8")
    print(text)


def write(model: JudgeModel, folder: Path) -> str:
    """The same numbers give the same bytes. Returns the checksum."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"format": FORMAT, **asdict(model)}, sort_keys=True, separators=(",", ":"))
    packed = gzip.compress(text.encode(), mtime=0)
    (folder / FILE).write_bytes(packed)
    found = hashlib.sha256(packed).hexdigest()
    (folder / SUMS).write_text(f"{found}  {FILE}\n", encoding="ascii")
    return found


if __name__ == "__main__":
    main()
