"""The judge itself: how likely a call is one that should be stopped, and what drove that."""

import gzip
import hashlib
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TypeAlias

from automode.core.errors import AutomodeError
from automode.core.session import Session
from automode.gate.layer import Trail
from automode.judge.asked import Asked
from automode.judge.deeds import PLAIN, Weight, deeds
from automode.judge.features import COVERED, UNREAD, Seen, Vocabulary, read_features
from automode.judge.reading import Looking
from automode.programs.call_facts import CallFacts

FORMAT = 1
FILE, SUMS = "judge.json.gz", "SHA256SUMS"
SUSPECT = "fact:probe"
STRANGE = frozenset({"host:strange", "address:strange"})
NETWORK = frozenset("fetches sends listens remote-shell remote-copy runs-code".split())
STRANGER = "reaches:strange"
# What is asked for once is not asked for again and again.
ONCE = frozenset(
    "forces drops-data deletes-remote destroys-infrastructure merges-request removes-volumes"
    " publishes administers-forge pays grants".split()
)
PLAINLY_ASKED = 0.02  # whatever words the call has: the user named all that it does, and to what
LARGEST_BYTES = 64 * 1024 * 1024
Words: TypeAlias = tuple[tuple[str, float], ...]
_REINSTALL = "install automode again"
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


class BadModel(AutomodeError):
    """The judge's numbers cannot be used."""


@dataclass(frozen=True, slots=True)
class JudgeModel:
    """`tokens` are never negative. A call has `token_scale` to share among its known words, counted
    up to `token_cap`: a longer call does not make each of them lighter."""

    version: str
    bias: float
    present: Mapping[str, float]
    tokens: Mapping[str, float]
    token_scale: float
    token_cap: int
    clear_below: float
    clear_below_alone: float

    def __hash__(self) -> int:
        return hash(self.version)  # tables have no hash, and equal models have one version

    def probability(self, seen: Seen, words: Words | None = None) -> float:
        """That the call should be stopped. `words`: those that count, where they are at hand."""
        if needs_a_word(seen):
            return 1.0
        if COVERED in seen.present and STRANGE.isdisjoint(seen.present):
            return PLAINLY_ASKED
        weights = self.present
        total = self.bias + sum([weights.get(one, 0.0) for one in seen.present])
        total += sum([weight for _, weight in (self.words(seen) if words is None else words)])
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, total))))

    def words(self, seen: Seen) -> Words:
        """The words of the call that count, each with how much."""
        tokens = self.tokens
        known = [(one, tokens[one]) for one in seen.tokens if one in tokens]
        share = self.token_scale / math.sqrt(max(1, min(self.token_cap, len(known))))
        return tuple((one, weight * share) for one, weight in known if weight > 0.0)


def needs_a_word(seen: Seen) -> bool:
    """No sum of weights clears what was not read in full; what the user ruled out; what cannot be
    undone or others see, where nobody asked for it; nor, after a suspect result, more than building
    and testing."""
    if UNREAD in seen.present:
        return True
    if STRANGER in seen.present or tells_unseen(seen):
        return True
    if not (NETWORK.isdisjoint(seen.deeds) or STRANGE.isdisjoint(seen.present)):
        return True
    if SUSPECT in seen.present and not set(seen.deeds) <= PLAIN:
        return True
    return any(is_unwanted(name, state) for name, state in seen.deeds.items())


def tells_unseen(seen: Seen) -> bool:
    """Whether another machine is told something that is only known when it runs."""
    return "holes" in seen.present and not {"fetches", "sends"}.isdisjoint(seen.deeds)


def is_unwanted(name: str, state: Asked) -> bool:
    far = deeds()[name].weight >= Weight.LASTING
    enough = (Asked.LATEST,) if name in ONCE else (Asked.LATEST, Asked.EARLIER)
    return state is Asked.FORBIDDEN or (far and state not in enough)


@lru_cache(maxsize=4)
def vocabulary_of(model: JudgeModel) -> Vocabulary:
    """One for all judges that share the model."""
    return Vocabulary(model.tokens)


@lru_cache(maxsize=1)
def shipped_model() -> JudgeModel:
    """The model of this installation. Raises BadModel."""
    return load_model(files("automode.judge").joinpath("weights"))


def load_model(folder: Traversable) -> JudgeModel:
    try:
        packed = folder.joinpath(FILE).read_bytes()
        wanted = folder.joinpath(SUMS).read_text("ascii").split()
    except (OSError, ValueError) as error:
        raise BadModel(f"the judge's model cannot be read: {error}", _REINSTALL) from error
    if not wanted or hashlib.sha256(packed).hexdigest() != wanted[0]:
        raise BadModel(f"the judge's model `{FILE}` is not the one it should be", _REINSTALL)
    try:
        return from_json(json.loads(gzip.decompress(packed)[:LARGEST_BYTES]))
    except (
        *(OSError, EOFError, ValueError, KeyError, TypeError, AttributeError),
        *(RecursionError, zlib.error),
    ) as error:
        raise BadModel(f"the judge's model cannot be understood: {error}", _REINSTALL) from error


def from_json(given: Mapping[str, object]) -> JudgeModel:
    if given.get("format") != FORMAT:
        raise ValueError(f"format {given.get('format')!r}, and this version reads {FORMAT}")
    tokens = _weights(given["tokens"])
    if any(weight < 0.0 for weight in tokens.values()):
        raise ValueError("a word has a negative weight")
    lines = (_number(given["clear_below"]), _number(given["clear_below_alone"]))
    scale, cap = _number(given["token_scale"]), _number(given["token_cap"])
    if not all(0.0 <= line <= 0.5 for line in lines) or not (scale >= 0.0 and cap >= 1.0):
        raise ValueError("a threshold or a scale is out of range")
    return JudgeModel(
        version=str(given["version"]),
        bias=_number(given["bias"]),
        present=_weights(given["present"]),
        tokens=tokens,
        token_scale=_number(given["token_scale"]),
        token_cap=int(_number(given["token_cap"])),
        clear_below=_number(given["clear_below"]),
        clear_below_alone=_number(given["clear_below_alone"]),
    )


def _weights(given: object) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise TypeError("weights are not a table")
    return {str(name): _number(weight) for name, weight in given.items()}


def _number(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise ValueError(f"`{given!r}` is not a number")
    return float(given)


@dataclass(frozen=True, slots=True)
class Judged:
    probability: float
    drivers: tuple[str, ...]  # what speaks against the call, the strongest first


@dataclass(frozen=True, slots=True)
class EmbeddedJudge:
    looking: Looking
    model: JudgeModel

    def judged(self, facts: CallFacts, session: Session, trail: Trail) -> Judged:
        found = read_features(self.looking, facts, session, trail, vocabulary_of(self.model))
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
        weight += BARRED if is_unwanted(name, state) else 0.0
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
