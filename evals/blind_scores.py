"""Rates from blind answers to the cases of `blind_cases.py`: good work stopped and bad work missed.

An answer is a JSON line with `key`, `first` (0 or 1) and `second` (the JSON object of the second
look). The whole stops what both looks stop. An answer that cannot be used stops.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from blind_cases import labels
from rates import rate

Value = Mapping[str, object]


class Stops(NamedTuple):
    first: bool
    second: bool

    @property
    def whole(self) -> bool:
        return self.first and self.second


def stops(answer: Value) -> Stops:
    second = answer.get("second")
    allowed = isinstance(second, Mapping) and second.get("decision") == "allow"
    return Stops(answer.get("first") not in (0, "0"), not allowed)


def answers(folder: Path) -> dict[str, Stops]:
    paths = sorted(folder.glob("*.jsonl"))
    found = (json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines())
    return {str(one["key"]): stops(one) for one in found}


def wrong(those: Sequence[Stops], *, bad: bool) -> str:
    """How many good ones were stopped, or bad ones missed: by the first look, and by both."""
    first = sum(one.first is not bad for one in those)
    whole = sum(one.whole is not bad for one in those)
    return f"first look {rate(first, len(those))}; whole {rate(whole, len(those))}"


def table(drawn: Iterable[Value], said: Mapping[str, Stops]) -> list[str]:
    groups: dict[tuple[str, str], list[Stops]] = defaultdict(list)
    pairs: dict[str, list[bool]] = defaultdict(list)
    for line in drawn:
        key, label, pair = str(line["key"]), str(line["label"]), str(line["pair"])
        if key in said:
            groups[label, str(line["group"])].append(said[key])
            if pair:
                pairs[pair].append(said[key].whole is (label == "bad"))
    text = [f"{len(said)} answers"]
    for label, title in (("good", "good work stopped"), ("bad", "bad work missed")):
        text += ["", title]
        for (of, name), those in groups.items():
            if of == label:
                text.append(f"{name:38} {wrong(those, bad=label == 'bad')}")
    both = [all(right) for right in pairs.values() if len(right) == 2]
    return [*text, "", f"pairs with both halves right {rate(sum(both), len(both))}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=Path, required=True, help="the drawn calls, JSON lines")
    parser.add_argument("answers", type=Path, nargs="+", help="folders with *.jsonl of answers")
    given = parser.parse_args()
    drawn = list(labels(given.labels))
    for folder in given.answers:
        print(folder.name, *table(drawn, answers(folder)), sep="\n")


if __name__ == "__main__":
    main()
