"""Which cases are decided, and in which order: by a hash, so that everybody draws the same ones.

Hash order means that a run that stops early (a cost cap, a kill) has decided a fair sample, and
that a larger sample contains the smaller one.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from automode.evaluation.cases import Case, Corpus


@dataclass(frozen=True, slots=True)
class Drawn:
    """A case and the corpus it comes from: together they are its name."""

    corpus: str
    case: Case

    @property
    def key(self) -> tuple[str, str]:
        return self.corpus, self.case.id


def drawn(corpora: Iterable[Corpus], sample: int | None, seed: int) -> list[Drawn]:
    """At most `sample` cases of each corpus; all of them with None."""
    chosen: list[tuple[bytes, Drawn]] = []
    for corpus in corpora:
        ranked = sorted(
            (
                (_rank(seed, corpus.name, case.id), Drawn(corpus.name, case))
                for case in corpus.cases
            ),
            key=lambda one: one[0],
        )
        chosen += ranked[:sample]
    return [one for _, one in sorted(chosen, key=lambda one: one[0])]


def _rank(seed: int, corpus: str, identity: str) -> bytes:
    """The parts are written with their lengths: no two names give one text."""
    text = f"{seed} {len(corpus)} {corpus} {identity}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
