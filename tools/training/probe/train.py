"""Trains, measures and writes the probe's model: `python -m tools.training.probe.train DATA`.

False alarms are those of models that have not seen the repository of a text; attacks are put to
models that have also seen no payload but the grammar's. What is shipped learns from all that may be
learnt from.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import numpy as np

from automode.probe.model import Model, Traits, shipped_model
from automode.probe.screening import ENOUGH, Match
from tools.training.probe.by_hand import as_rows, written
from tools.training.probe.card import card
from tools.training.probe.exporting import exported, gated, moved, read_share
from tools.training.probe.grammar import Grammar
from tools.training.probe.learning import fitted
from tools.training.probe.measuring import Rate, rates, seen, warned
from tools.training.probe.planting import plant
from tools.training.probe.rows import (
    FOLDS,
    Row,
    alike,
    family_fold,
    payloads,
    rows,
    written_files,
)
from tools.training.probe.windows import Windows, gathered, maker

PULL = 3e-5
COUNTS = (16_000, 13_000)
MOST_FALSE: Mapping[str, float] = {
    "false alarms, real tool results": 0.004,
    "false alarms, guides and security documents": 0.025,
}
"""The rates that the threshold is set for: a little under what is promised."""
LOWEST = 0.0
_THRESHOLDS = tuple(LOWEST + step / 4 for step in range(24, -1, -1))
_TRIED = 600
_ROOT = Path(__file__).parents[3]


def trained(windows: Windows, kin: Mapping[str, int], keep: Callable[[str, int], bool]) -> Model:
    """From the windows whose source and fold are kept; its points are log-odds."""
    pairs = zip(windows.sources, windows.folds, strict=True)
    chosen = np.array([at for at, (source, fold) in enumerate(pairs) if keep(source, fold)])
    traits, labels = windows.matrix(chosen)
    weights, bias = fitted(traits, labels, PULL)
    return exported(weights, bias, kin, threshold=ENOUGH)


def without(maker_held_back: str, fold_held_back: int) -> Callable[[str, int], bool]:
    """`*` holds back the payloads of all others: what is left are the grammar's and those that
    were written by hand."""

    def keep(source: str, fold: int) -> bool:
        ours = source in ("real", "grammar", "hand")
        held = not ours if maker_held_back == "*" else source == maker_held_back
        return fold != fold_held_back and not held

    return keep


def strangers(found: Sequence[Row], others: Sequence[tuple[str, str]]) -> list[Row]:
    """Skills whose orders share no five words with a payload of another fold: to find them after
    learning other families of the same maker is no memory."""
    return [
        row
        for row in found
        if row.kind == "skill"
        and row.injected
        and not any(
            family_fold(family) != family_fold(row.group) and alike(row.text, text)
            for text, family in others
        )
    ]


def threshold(found: Sequence[Row], all_seen: Mapping[str, list[Match]]) -> tuple[float, list[str]]:
    """The lowest that keeps all promises on repositories that the models have not seen, and the
    curve around it."""
    curve: list[str] = []
    best, kept = _THRESHOLDS[0], True
    for at in _THRESHOLDS:
        every = {rate.name: rate for rate in rates(found, warned(all_seen, at - LOWEST))}
        kept = kept and all(every[name].share <= most for name, most in MOST_FALSE.items())
        best = at if kept else best
        curve.append(_point(at, every))
    return best, curve


def _point(at: float, every: Mapping[str, Rate]) -> str:
    names = (
        *MOST_FALSE,
        "false alarms, office tools",
        "false alarms, mixed",
        "found, office templates",
        "found, in coding results",
        "found, skills",
        "found, by hand",
    )
    shares = " | ".join(f"{every[name].share:.1%}" for name in names)
    return f"| {at:.2f} | {shares} |"


def _samples(carriers: Sequence[Row], count: int) -> list[str]:
    random = Random(11)
    grammar = Grammar(random)
    return [
        plant(random.choice(carriers).text, grammar.planted(goal).text, random).text
        for goal in [grammar.goals[at % len(grammar.goals)] for at in range(count)]
    ]


def _kin(path: Path | None) -> Mapping[str, int]:
    if path is not None:
        return {str(word): int(number) for word, number in json.loads(path.read_text()).items()}
    known = shipped_model()
    if isinstance(known, Model):
        return known.kin
    raise known


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the labelled results")
    parser.add_argument("--kin", type=Path, help="families of words, from vocabulary.py")
    parser.add_argument(
        "--out", type=Path, default=_ROOT / "src/automode/probe/weights/planted.bin"
    )
    parser.add_argument("--card", type=Path, default=_ROOT / "docs/reference/probe-model.md")
    parser.add_argument("--leave-out", nargs="*", default=[], help="makers to measure apart")
    return parser.parse_args()


def compared(
    found: Sequence[Row],
    windows: Windows,
    kin: Mapping[str, int],
    apart: Sequence[str],
    others: Sequence[tuple[str, str]],
) -> tuple[dict[str, list[Rate]], list[str], float]:
    """Rates by what was held back, the curve, and the threshold."""

    def held_back(name: str) -> dict[int, Model | None]:
        _say(f"training without {name or 'nobody'}")
        return {
            fold: moved(trained(windows, kin, without(name, fold)), LOWEST - ENOUGH)
            for fold in range(FOLDS)
        }

    attacks = [row for row in found if row.injected]
    knowing = held_back("")
    honest = seen([row for row in found if not row.injected], knowing)
    all_seen = honest | seen(attacks, held_back("*"))
    best, curve = threshold(found, all_seen)
    measured = {
        "patterns": rates(found, warned(all_seen, stricter=1e9)),
        "*": rates(found, warned(all_seen, best - LOWEST)),
    }
    akin = seen(strangers(found, others), knowing, lambda row: family_fold(row.group))
    measured["akin"] = rates(found, warned(akin, best - LOWEST))
    for name in apart:
        theirs = seen([row for row in attacks if maker(row.group) == name], held_back(name))
        measured[name] = rates(found, warned(theirs, best - LOWEST))
    return measured, curve, best


def main() -> None:
    given = _given()
    kin = _kin(given.kin)
    found = rows(given.data)
    benign = [row for row in found if not row.injected] + written_files(given.data)
    others = payloads(found)
    by_hand = written()
    windows = gathered(Traits(kin), benign, others, COUNTS, by_hand)
    _say(f"{len(windows.labels)} windows, {sum(windows.labels):.0f} of orders")
    carriers = [row for row in benign if row.teaches and len(row.text) > 200]
    tried = [*found, *as_rows(by_hand, carriers)]
    measured, curve, best = compared(tried, windows, kin, given.leave_out, others)
    for name, shares in measured.items():
        _say("\n".join([name, *map(str, shares)]))
    _say("\n".join([*curve, f"threshold {best}"]))

    model = trained(windows, kin, lambda source, fold: True)
    model = gated(moved(model, best - ENOUGH), _samples(carriers, _TRIED))
    given.out.write_bytes(model.pack())
    share = read_share(model, [row.text for row in found if row.file == "entire_benign"])
    _say(f"gate {model.gate}, reads {share:.1%} of ordinary results")
    page = card(measured, curve, best, share, len(others), by_hand, model)
    given.card.write_text(page, encoding="utf-8")


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
