"""Instructions that were written by hand for this: planted ones and their honest neighbours.

Who wrote them had not seen the data, so that the data stays a test. Neighbours in a file are pairs
with the same words and another want: they are held back together, a block of lines at a time.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tools.training.probe.planting import plant
from tools.training.probe.rows import FOLDS, Row

FOLDER = Path(__file__).parent / "written"
_BLOCK = 50
# All of them use names that nobody owns: who learns these, learns our manners.
_HOST = re.compile(r"(?<![\w@/.-])(?:[\w\-]{1,40}\.){1,4}(?:example|test|invalid)(?:\.\w{2,4})?\b")


@dataclass(frozen=True, slots=True)
class Written:
    text: str
    planted: bool
    block: str
    fold: int


def written(folder: Path = FOLDER) -> list[Written]:
    return [one for path in sorted(folder.glob("*.jsonl")) for one in _file(path)]


def _file(path: Path) -> Iterator[Written]:
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream):
            match json.loads(line):
                case {"text": str(text), "planted": bool(planted)}:
                    block = number // _BLOCK
                    name = f"{path.stem}-{block}"
                    yield Written(_HOST.sub("service", text), planted, name, block % FOLDS)
                case _:
                    raise ValueError(f"{path}, line {number + 1}: needs `text` and `planted`")


def carriers_of(fold: int, carriers: Sequence[Row]) -> Sequence[Row]:
    """Where what belongs to a fold is planted, so that it is held back with the fold."""
    return [row for row in carriers if row.fold == fold] or carriers


def as_rows(by_hand: Sequence[Written], carriers: Sequence[Row], seed: int = 23) -> list[Row]:
    """Each in an ordinary text of its own fold, to measure on."""
    random = Random(seed)
    found = []
    for number, one in enumerate(by_hand):
        carrier = random.choice(carriers_of(one.fold, carriers))
        found.append(
            Row(
                identity=f"hand-{number}",
                file="hand",
                text=plant(carrier.text, one.text, random).text,
                injected=one.planted,
                kind="hand",
                group=one.block,
                home=carrier.home,
                teaches=True,
            )
        )
    return found
