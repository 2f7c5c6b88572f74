"""Texts as windows of traits, the way the probe itself reads them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from automode.probe.folding import fold
from automode.probe.model import TABLE_BITS, WIDTH, Traits, starts, tokens, words
from tools.training.probe.by_hand import Written, carriers_of
from tools.training.probe.grammar import Grammar
from tools.training.probe.learning import Floats, Ints, Sparse
from tools.training.probe.planting import plant
from tools.training.probe.rows import Row, cleaned, family_fold

_INSIDE = 0.5
"""How much of a window, or of the order where that is shorter, has to be order."""
_REPEATED = 4
_PLACES = 4
"""In how many texts each instruction that was written by hand is put."""
_STRESSED = 2
_SHORTEST_CARRIER = 200


@dataclass(slots=True)
class Windows:
    traits: Traits
    cells: list[Ints] = field(default_factory=list)
    labels: list[float] = field(default_factory=list)
    folds: list[int] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def ordinary(self, row: Row) -> None:
        text = fold(cleaned(row.text)).text
        said = words(text, 0, len(text))
        for _, touched in self.traits.windows(said, starts(len(said))):
            self._add(touched, 0.0, row.fold, "real")

    def planted(self, carrier: Row, order: str, source: str, *, honest: bool, by: Random) -> None:
        """Only the windows of the order itself: the rest of the carrier is learnt elsewhere."""
        made = plant(cleaned(carrier.text), order, by)
        plain = fold(made.text)
        places = list(tokens(plain.text, 0, len(plain.text)))
        said = [word for word, _, _ in places]
        inside = [made.start <= plain.origin(at) < made.end for _, at, _ in places]
        enough = _INSIDE * min(sum(inside), WIDTH)
        for start, touched in self.traits.windows(said, starts(len(said))):
            if sum(inside[start : start + WIDTH]) >= max(1.0, enough):
                self._add(touched, 0.0 if honest else 1.0, carrier.fold, source)

    def matrix(self, chosen: Ints) -> tuple[Sparse, Floats]:
        rows = [self.cells[at] for at in chosen]
        starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
        labels = np.array([self.labels[at] for at in chosen])
        return Sparse(np.concatenate(rows), starts, 1 << TABLE_BITS), labels

    def _add(self, touched: set[int], label: float, fold: int, source: str) -> None:
        self.cells.append(np.fromiter(sorted(touched), dtype=np.int64, count=len(touched)))
        self.labels.append(label)
        self.folds.append(fold)
        self.sources.append(source)


def gathered(
    traits: Traits,
    benign: Iterable[Row],
    others: Sequence[tuple[str, str]],
    counts: tuple[int, int],
    by_hand: Sequence[Written] = (),
    seed: int = 7,
) -> Windows:
    """Real ordinary texts; orders of our grammar, by hand, and of others, planted in them; and
    honest instructions in the same places. `counts` are how many of the grammar's, planted and
    honest."""
    random = Random(seed)
    grammar = Grammar(random)
    ordinary = [row for row in benign if row.teaches]
    carriers = [row for row in ordinary if len(row.text) >= _SHORTEST_CARRIER]
    found = Windows(traits)
    for row in ordinary:
        for _ in range(_STRESSED if _instructs(row) else 1):
            found.ordinary(row)
    for number in range(counts[0]):
        goal = grammar.goals[number % len(grammar.goals)]
        order = grammar.planted(goal).text
        found.planted(random.choice(carriers), order, "grammar", honest=False, by=random)
    for _ in range(counts[1]):
        order = grammar.ordinary().text
        found.planted(random.choice(carriers), order, "grammar", honest=True, by=random)
    for one in [*by_hand] * _PLACES:
        carrier = random.choice(carriers_of(one.fold, carriers))
        found.planted(carrier, one.text, "hand", honest=not one.planted, by=random)
    for order, family in [*others] * _REPEATED:
        carrier = random.choice(carriers_of(family_fold(family), carriers))
        found.planted(carrier, order, maker(family), honest=False, by=random)
    return found


def _instructs(row: Row) -> bool:
    """Guides and skills are full of honest instructions: the ones that are hardest to tell."""
    return row.file == "hard_negatives" or row.kind == "skill"


def maker(family: str) -> str:
    """Who wrote a family of payloads."""
    name = family.partition(":")[0].partition("-")[0]
    return {"skill": "SkillInject", "cse": "CyberSecEval", "bipia": "BIPIA"}.get(name, name)
