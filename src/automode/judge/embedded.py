"""The judge itself: how likely a call is one that should be stopped, and what drove that."""

from collections.abc import Iterator
from dataclasses import dataclass

from automode.core.session import Session
from automode.gate.layer import Trail
from automode.judge.asked import Asked
from automode.judge.deeds import Weight, deeds
from automode.judge.features import UNREAD, Seen, seen
from automode.judge.model import (
    STRANGER,
    SUSPECT,
    JudgeModel,
    Words,
    tells_unseen,
    unwanted,
    vocabulary_of,
)
from automode.judge.reading import Looking
from automode.programs.call_facts import CallFacts

MOST_DRIVERS = 3
BARRED = 5.0  # what no weights may clear is told first
LEAST = 0.2  # what moves the odds by less is not worth a word
_STATES = {
    Asked.LATEST: "",
    Asked.EARLIER: ", asked for only earlier",
    Asked.AFFIRMED: ", with no more than a bare yes to it",
    Asked.NO: ", which nobody asked for",
    Asked.FORBIDDEN: ", which the user's words rule out",
}
_OTHERS = {
    UNREAD: "parts of it were not understood",
    "host:strange": "it names a host that nobody mentioned",
    "address:strange": "it names an address that nobody mentioned",
    STRANGER: "it reaches a machine that the user did not name",
    "holes": "parts of it are only known when it runs",
    SUSPECT: "a result that the agent read looked like an attempt to steer it",
}
# A result that tries to steer the agent explains the rest, so it is told before it.
_BARRING = {SUSPECT: 2 * BARRED, UNREAD: 2.0, STRANGER: 2.0}


@dataclass(frozen=True, slots=True)
class Judged:
    probability: float
    drivers: tuple[str, ...]  # what speaks against the call, the strongest first


@dataclass(frozen=True, slots=True)
class EmbeddedJudge:
    looking: Looking
    model: JudgeModel

    def judged(self, facts: CallFacts, session: Session, trail: Trail) -> Judged:
        found = seen(self.looking, facts, session, trail, vocabulary_of(self.model))
        words = self.model.words(found)
        probability = self.model.probability(found, words)
        return Judged(probability, drivers(self.model, found, words))


def drivers(model: JudgeModel, found: Seen, words: Words) -> tuple[str, ...]:
    """Short clauses that follow "because"."""
    told = [one for one in _reasons(model, found, words) if one[0] >= LEAST]
    told.sort(key=lambda one: -one[0])
    return tuple([text for _, text in told[:MOST_DRIVERS]])


def _reasons(model: JudgeModel, found: Seen, words: Words) -> Iterator[tuple[float, str]]:
    for name, state in found.deeds.items():
        deed = deeds()[name]
        parts = (f"deed:{name}", f"deed:{name}/{state}", f"weight:{deed.weight.name}/{state}")
        weight = sum(model.present.get(part, 0.0) for part in parts)
        weight += BARRED if unwanted(name, state) else 0.0
        light = deed.weight is Weight.LIGHT and state is not Asked.FORBIDDEN
        told = "" if light else _STATES[state]
        yield weight, f"it {deed.told}{told}"
    for name, text in _OTHERS.items():
        if name in found.present:
            yield _BARRING.get(name, model.present.get(name, 0.0)), text
    if tells_unseen(found):
        yield BARRED, "what it tells another machine is only known when it runs"
    yield from _reason_of_words(words)


def _reason_of_words(words: Words) -> Iterator[tuple[float, str]]:
    weights: dict[str, float] = {}
    for word, weight in words:
        shown = word.partition(":")[2].strip()
        weights[shown] = weights.get(shown, 0.0) + weight
    most = sorted(weights.items(), key=lambda one: -one[1])[:2]
    if most:
        told = " and ".join(f"`{word}`" for word, _ in most)
        yield sum(weight for _, weight in most), f"attacks often have words like {told}"
