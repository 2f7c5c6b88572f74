"""How much all that was found in one place says together.

Findings count together where they stand near each other: an attack is written in one place, while
a long document may hold many single harmless phrases. Points are log-odds and add up; the same kind
counts once.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp

NEAR = 1200
"""How many characters apart two findings may stand and still be one attempt."""
ENOUGH = 3.0
"""Points from which a text is suspect, chosen on labelled tool results: docs/concepts/the-probe.md
has the figures."""
HIDDEN_POINTS = 1.0
ENCODED_POINTS = 2.0
UNSEEN_POINTS = 4.0
_MENTIONED = 0.7
_QUOTED = 0.3


@dataclass(frozen=True, slots=True)
class Sighting:
    """`start` and `end` count in the text as it came."""

    kind: str
    what: str
    points: float
    start: int
    end: int
    extra: float = 0.0  # for where it stood: hidden or encoded
    share: float = 1.0  # less than all of it where it is only talked about


_TALK = re.compile(
    r"prompt.injection|jailbreak|injection (?:attack|attempt|payload|pattern|test|detect)"
    r"|adversarial|red.team|malicious (?:instruction|prompt|input)|untrusted|attacker|sanitiz"
    r"|(?:such|phrases?|lines?|text|attempts?|instructions?|patterns?|something) (?:as|like)\b"
    r"|\be\.g\."
    r"|for example"
)
_BLOCK = 300
_QUOTES = "\"'`\u201c\u2018\u00ab\u2039\u300c\u300e|/("


class Talk:
    """Where a folded text speaks about attacks: documents about them quote them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[int, bool] = {}

    def share(self, start: int) -> float:
        """How much of its points a match at `start` keeps."""
        if not self._near(start // _BLOCK):
            return 1.0
        opening = self._text[max(0, start - 3) : start].rstrip()[-1:] + self._text[start]
        return _QUOTED if any(sign in _QUOTES for sign in opening) else _MENTIONED

    def _near(self, block: int) -> bool:
        """Block by block, so that a text full of matches is read for it only once."""
        known = self._known.get(block)
        if known is None:
            start = block * _BLOCK
            found = _TALK.search(self._text, max(0, start - _BLOCK), start + 2 * _BLOCK)
            known = self._known[block] = found is not None
        return known


def score(points: float) -> float:
    """Between 0 and 1; a half is where a text becomes suspect."""
    return 1 / (1 + exp(ENOUGH - points))


def attempts(sightings: Iterable[Sighting]) -> Iterator[list[Sighting]]:
    """Sightings that stand near each other, place by place."""
    near: list[Sighting] = []
    reach = 0
    for one in sorted(sightings, key=lambda found: (found.start, found.end)):
        if near and one.start - reach > NEAR:
            yield near
            near = []
        reach = max(reach, one.end) if near else one.end
        near.append(one)
    if near:
        yield near


def weight(attempt: Sequence[Sighting]) -> float:
    best: dict[str, float] = {}
    for one in attempt:
        best[one.kind] = max(best.get(one.kind, 0.0), one.points * one.share)
    return sum(best.values()) + max(one.extra * one.share for one in attempt)
