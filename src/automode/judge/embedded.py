"""The judge itself: what it weighs of a call, how likely the call should be stopped, and why."""

import gzip
import hashlib
import json
import math
import re
import zlib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from automode.core.call import Shell, ToolCall
from automode.core.errors import AutomodeError
from automode.core.session import Session
from automode.core.transcript import Fact, PriorCall
from automode.gate.layer import Trail
from automode.judge.acts import Acts, acts_of
from automode.judge.calls.tool_deeds import input_text
from automode.judge.consent.asked import Asked, request_state
from automode.judge.consent.objects import NOTHING, Objects
from automode.judge.consent.requests import UsersWords, affirms, users_words
from automode.judge.deeds import LOOKING, PLAIN, STAYING, TAME, Weight, deeds
from automode.judge.features import UNREAD, script_features, target_features, tokens_of
from automode.judge.precedents import classes, hosts
from automode.judge.reading import LONGEST_TEXT, CallReader, Reading
from automode.judge.runs.inside import UNREAD as UNREAD_FILE
from automode.judge.words import word_lists
from automode.programs.call_facts import CallFacts

_W = word_lists("features")
COVERED = "covered"
_WHOLES = frozenset({"deletes-scratch", "deletes-made"})
PRODUCTION = re.compile(r"(?i)prod|prd|live")
_BUILDING = PLAIN | {"develops", "sends-here", "commits"}
_READING = _BUILDING | {"fetches", "browses", "reads-service", "reads-secret", "looks-around"}
_NO_ACTS = Acts({}, ())
# They do whatever the project's files say.
_OF_PROJECT = frozenset({"develops", "installs", "runs-own", "runs-containers"})
_SHOWN = frozenset({"reads-service", "browses", "delegates"})


@dataclass(frozen=True, slots=True)
class Seen:
    """`present`: names of what is there, each with a weight of its own in the model. `deeds`: with
    whether somebody asked for them. `tokens`: words of the call as written, and pairs of them."""

    present: tuple[str, ...]
    deeds: Mapping[str, Asked]
    tokens: tuple[str, ...]
    # By deed what a person said yes to before, in words for people: see `judge.precedents`.
    precedents: Mapping[str, str] = field(default_factory=dict)
    classes: tuple[str, ...] = ()  # what a yes to this call would cover later
    once_taught: "Seen | None" = None  # the call as it would be after that yes
    why: Mapping[str, str] = field(default_factory=dict)  # by deed, what a file that runs does


def read_features(
    reader: CallReader,
    facts: CallFacts,
    session: Session,
    trail: Trail,
    known: Container[str] | None = None,
) -> Seen:
    """`known`: the tokens that count; None for all."""
    # Nearly all entries are calls. The few others are looked through more than once.
    told = [one for one in session.transcript.entries if not isinstance(one, PriorCall)]
    words = users_words(told)
    call = facts.call
    reading = reader(facts, session, words)
    own, acts = _states(reader, facts, reading, words, session)
    tokens = tokens_of(facts, reading, session, known)
    unread = [one for one in reading.unmet if one.deed == UNREAD_FILE and one.name]
    why = {
        one.deed: f"{_file(one.name, session)}, "
        + (f"which {one.why}" if one.why else "and nobody can tell what is in it")
        for one in reversed(unread)
    }
    fixed = [
        *[f"mark:{remark.mark}" for remark in trail],
        *_of_words(words.messages),
        *([SUSPECT] if session.suspect else []),
    ]

    def seen(yes: Mapping[str, tuple[str, ...]]) -> Seen:
        """With a yes to all of these, by deed, counted as the user's latest words."""
        near = hosts(yes)
        states = own | dict.fromkeys(yes, Asked.LATEST)
        states |= dict(_implied_states(states, acts)) if yes else {}
        present = [
            *_of_deeds(states),
            *([COVERED] if _is_covered(states, acts, taught=bool(yes)) else []),
            *script_features(call, reading, words.said, near),
            *target_features(call, session, words, near),
            *fixed,
        ]
        return Seen(tuple(dict.fromkeys(present)), states, tokens, why=why)

    # After a suspect result no earlier yes counts: it was given before somebody tried to steer.
    steered = any(isinstance(one, Fact) and one.name == "probe" for one in told)
    learnt = None if steered else session.precedents
    keys = {} if learnt is None else classes(facts, session, reading, own)
    if learnt is None or not keys:
        return seen({})
    held = {name: some for name, some in keys.items() if learnt.keys() >= set(some)}
    found = seen(held)
    missing = tuple(key for name, some in keys.items() if name not in held for key in some)
    said = {name: learnt[some[0]] for name, some in held.items()}
    return replace(
        found, precedents=said, classes=missing, once_taught=seen(keys) if missing else None
    )


def _file(path: str, session: Session) -> str:
    """Of the session, as people know it."""
    return f"`{path.removeprefix(f'{session.workspace.root}/')}` of this session"


def _states(
    reader: CallReader, facts: CallFacts, reading: Reading, words: UsersWords, session: Session
) -> tuple[dict[str, Asked], Acts]:
    """Of each deed whether somebody asked for it, done to what this call does it to."""
    call = facts.call
    acts = _NO_ACTS
    if PRODUCTION.search(input_text(call.input)[:LONGEST_TEXT]) or (
        words.messages
        and (words.limited or any(map(_is_heavy, reading.deeds)) or _WHOLES & set(reading.deeds))
    ):
        acts = acts_of(call, reading, session.workspace)
    names = [*reading.deeds, *_further(call, reading, acts)]
    states = {name: _state(name, acts.of.get(name, NOTHING), words) for name in names}
    states |= dict(_implied_states(states, acts))
    if reading.script and states.get("commits") in (Asked.NO, Asked.AFFIRMED):
        unasked = reader.commits.deeds_of(facts, session)
        states |= dict.fromkeys(unasked, Asked.NO)
    return states, acts


def _further(call: ToolCall, reading: Reading, acts: Acts) -> Iterator[str]:
    """The deed that is told by where a call is done."""
    harmless = _READING - {"develops"} if reading.runs_task else _READING
    if isinstance(call.action, Shell) and any(
        "production" in acts.of[name].qualifiers for name in acts.of if name not in harmless
    ):
        yield "reaches-production"


def _implied_states(states: Mapping[str, Asked], acts: Acts) -> Iterator[tuple[str, Asked]]:
    """An aspect that nobody named is asked for where every command that has it is."""
    wanted = (Asked.LATEST, Asked.EARLIER)
    for aspect in _W.aspects & states.keys():
        if states[aspect] not in (Asked.NO, Asked.AFFIRMED):
            continue
        heavy = [
            [states.get(name, Asked.NO) for name in own - _W.aspects - LOOKING if _is_heavy(name)]
            for own in acts.together
            if aspect in own
        ]
        if heavy and all(some and set(some) <= set(wanted) for some in heavy):
            latest = all(state is Asked.LATEST for some in heavy for state in some)
            yield aspect, Asked.LATEST if latest else Asked.EARLIER


def _is_heavy(name: str) -> bool:
    return deeds()[name].weight is not Weight.LIGHT


def _state(name: str, objects: Objects, words: UsersWords) -> Asked:
    """Who asks for one thing only has ruled out the others."""
    state = request_state(deeds()[name], words.messages, objects)
    if words.no_change and name not in LOOKING:
        return Asked.FORBIDDEN
    if words.looks and name in _OF_PROJECT:
        return Asked.FORBIDDEN
    heavy = name == "deletes-scratch" or _is_heavy(name)
    return Asked.FORBIDDEN if words.limited and heavy and state is not Asked.LATEST else state


def _of_deeds(states: Mapping[str, Asked]) -> Iterator[str]:
    """Only what is there, so that a further deed takes nothing away."""
    heaviest = Weight.LIGHT
    for name, state in states.items():
        weight = deeds()[name].weight
        heaviest = max(heaviest, weight)
        yield f"deed:{name}"
        if weight is not Weight.LIGHT:
            yield f"deed:{name}/{state}"
            yield f"weight:{weight.name}/{state}"
    yield from [f"heaviest:{one.name}" for one in Weight if Weight.LIGHT < one <= heaviest]


def _is_covered(states: Mapping[str, Asked], acts: Acts, *, taught: bool) -> bool:
    """Whether it asks for all that the call does beside ordinary work. What a program that nobody
    described does is known where its command is asked for. `taught`: some of it is covered by an
    earlier yes, which needs no word for a commit beside it."""
    heavy = [name for name in states if _is_heavy(name) and not (taught and name in TAME)]
    known = all(any(map(_is_heavy, own)) for own in acts.together if "runs-unknown" in own)
    ordinary = TAME | _SHOWN | ({"runs-unknown"} if known else set())
    asked_for = bool(heavy) and all(states[name] is Asked.LATEST for name in heavy)
    asked_for = asked_for and _W.weighed.isdisjoint(heavy)
    return asked_for and states.keys() - set(heavy) <= ordinary


def _of_words(messages: Sequence[str]) -> Iterator[str]:
    """That nobody has said anything is no feature: it only means that nothing was asked for."""
    if not messages:
        return
    if messages[-1].lstrip().startswith("/"):
        yield "words:command"
    yield "words:bare" if affirms(messages[-1]) else "words:some"


FORMAT = 2
FILE, SUMS = "judge.json.gz", "SHA256SUMS"
SUSPECT = "suspect-result"
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
_REINSTALL = "install automode again"
MOST_DRIVERS = 3
_UNSURE = "the user's words do not clearly ask for it"
BARRED = 5.0  # what no weights may clear is told first
LEAST = 0.2  # what moves the odds by less is not worth a word
_STATES = {
    Asked.LATEST: "",
    Asked.EARLIER: ", asked for only earlier",
    Asked.AFFIRMED: ", with no more than a bare yes to it",
    Asked.NO: ", which nobody asked for",
    Asked.FORBIDDEN: ", which the user's words rule out",
}
_CLEARED = {
    Asked.LATEST: ", as the user asked",
    Asked.EARLIER: ", as the user asked earlier",
    Asked.AFFIRMED: ", to which the user said yes",
}
SUSPECTED = "a result that the agent read looked like an attempt to steer it"
_OTHERS = {
    UNREAD: "parts of it were not understood",
    "host:strange": "it names a host that nobody mentioned",
    "address:strange": "it names an address that nobody mentioned",
    STRANGER: "it reaches a machine that the user did not name",
    "holes": "parts of it are only known when it runs",
    SUSPECT: SUSPECTED,
}
# A result that tries to steer the agent explains the rest, so it is told before it.
_BARRING = {SUSPECT: 2 * BARRED, UNREAD: 2.0, STRANGER: 2.0}


class BadModel(AutomodeError):
    """The judge's numbers cannot be used."""


@dataclass(frozen=True, slots=True)
class JudgeModel:
    """No word or deed that can be added to a call has a negative weight, and each counts in full:
    a comment or a further command clears nothing."""

    version: str
    bias: float
    present: Mapping[str, float]
    tokens: Mapping[str, float]
    clear_below: float
    clear_below_alone: float

    def probability(self, seen: Seen) -> float:
        """That the call should be stopped."""
        if needs_a_word(seen):
            return 1.0
        if COVERED in seen.present and STRANGE.isdisjoint(seen.present):
            return PLAINLY_ASKED
        total = self.bias + sum([self.present.get(one, 0.0) for one in seen.present])
        total += sum([self.tokens.get(one, 0.0) for one in seen.tokens])
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, total))))


def needs_a_word(seen: Seen) -> bool:
    """No sum of weights clears what was not read in full; what the user ruled out; what cannot be
    undone or others see, where nobody asked for it; nor, while a result is suspect, what may reach
    beyond the project."""
    if UNREAD in seen.present:
        return True
    if STRANGER in seen.present or tells_unseen(seen):
        return True
    if not (NETWORK.isdisjoint(seen.deeds) or STRANGE.isdisjoint(seen.present)):
        return True
    if SUSPECT in seen.present and not STAYING.issuperset(seen.deeds):
        return True
    return any(is_unwanted(name, state) for name, state in seen.deeds.items())


def tells_unseen(seen: Seen) -> bool:
    """Whether another machine is told something that is only known when it runs."""
    return "holes" in seen.present and not {"fetches", "sends"}.isdisjoint(seen.deeds)


def is_unwanted(name: str, state: Asked) -> bool:
    far = deeds()[name].weight >= Weight.LASTING
    enough = (Asked.LATEST,) if name in ONCE else (Asked.LATEST, Asked.EARLIER)
    return state is Asked.FORBIDDEN or (far and state not in enough)


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
    numbers = "bias clear_below clear_below_alone"
    bias, *lines = [_number(given[name]) for name in numbers.split()]
    if not all(0.0 <= line <= 0.5 for line in lines):
        raise ValueError("a threshold is out of range")
    present = _weights(given["present"])
    return JudgeModel(str(given["version"]), bias, present, tokens, *lines)


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
    drivers: tuple[str, ...] = ()  # what speaks against the call, the strongest first
    deeds: tuple[str, ...] = ()  # what it does, the heaviest first
    classes: tuple[str, ...] = ()  # what a yes to the call would cover later
    once_taught: float = 1.0  # the probability after that yes


@dataclass(frozen=True, slots=True)
class EmbeddedJudge:
    reader: CallReader
    model: JudgeModel

    def assess(self, facts: CallFacts, session: Session, trail: Trail) -> Judged:
        found = read_features(self.reader, facts, session, trail, self.model.tokens)
        later = found.once_taught
        return Judged(
            *(self.model.probability(found), drivers(self.model, found), told_deeds(found)),
            found.classes,
            1.0 if later is None else self.model.probability(later),
        )


def drivers(model: JudgeModel, found: Seen) -> tuple[str, ...]:
    """Short clauses that follow "because"."""
    told = [one for one in _reasons(model, found) if one[0] >= LEAST]
    told.sort(key=lambda one: -one[0])
    return tuple([text for _, text in told[:MOST_DRIVERS]]) or (_UNSURE,)


def told_deeds(found: Seen) -> tuple[str, ...]:
    """What a call does, and whether the user asked for it: the reason of an allow. What belongs to
    any work is named only where there is nothing else."""
    weights = {name: deeds()[name].weight for name in found.deeds}
    heavy = [name for name in weights if weights[name] > Weight.LIGHT] or list(weights)
    heavy.sort(key=lambda name: -weights[name])
    return tuple(
        [f"it {deeds()[name].told}{_why_cleared(name, found)}" for name in heavy[:MOST_DRIVERS]]
    )


def _why_cleared(name: str, found: Seen) -> str:
    if name in found.precedents:
        return f", and the user said yes to {found.precedents[name]}"
    return _CLEARED.get(found.deeds[name], "")


def _reasons(model: JudgeModel, found: Seen) -> Iterator[tuple[float, str]]:
    for name, state in found.deeds.items():
        deed = deeds()[name]
        parts = (f"deed:{name}", f"deed:{name}/{state}", f"weight:{deed.weight.name}/{state}")
        weight = sum(model.present.get(part, 0.0) for part in parts)
        weight += BARRED if is_unwanted(name, state) else 0.0
        light = deed.weight is Weight.LIGHT and state is not Asked.FORBIDDEN
        told = "" if light else _STATES[state]
        yield weight, f"it {f'runs {found.why[name]}' if name in found.why else deed.told}{told}"
    for name, text in _OTHERS.items():
        if name in found.present:
            yield _BARRING.get(name, model.present.get(name, 0.0)), text
    if tells_unseen(found):
        yield BARRED, "what it tells another machine is only known when it runs"
