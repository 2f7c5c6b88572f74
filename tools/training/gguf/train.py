"""Fits the calibration of a model file: `python -m tools.training.gguf.train ANSWERS GGUF`.

ANSWERS is what `make eval-gguf` recorded of that file. The page of numbers is written, and the row
for `src/automode/llm/gguf/questions.py` is printed.
"""

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

from automode.core.errors import AutomodeError
from automode.llm.gguf.questions import KNOWN
from tools.training.gguf.answers import answers, asked_with
from tools.training.gguf.card import card
from tools.training.gguf.fitting import calibrated

ROOT = Path(__file__).parents[3]
CARD = ROOT / "docs/reference/gguf-calibration.md"


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("answers", type=Path)
    parser.add_argument("gguf", type=Path, help="the file that answered")
    parser.add_argument("--title", help="of a file that is not known")
    parser.add_argument("--card", type=Path, default=CARD, help="where the page of numbers goes")
    given = parser.parse_args(words)
    with given.gguf.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    found = answers(given.answers)
    if found[0].asked != asked_with(sha256):
        raise AutomodeError(
            f"`{given.answers}` holds answers of another file than `{given.gguf}`, or to other"
            " questions than those in use",
            "record them anew with `make eval-gguf`",
        )
    known = KNOWN.get(sha256)
    title = given.title or (known.title if known else given.gguf.name)
    made = calibrated(found)
    text = card(title, sha256, made, found)
    given.card.write_text(text, encoding="utf-8")
    print(text)
    print(f'"{sha256}": Weights("{title}", {made!r}),')


if __name__ == "__main__":
    main()
