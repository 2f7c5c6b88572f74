"""What the judge weighs: the deeds of a call, what the user said of them, and the words of it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from automode.core.call import Shell, ToolCall
from automode.core.session import Session
from automode.core.transcript import Fact, PriorCall
from automode.gate.layer import Trail
from automode.judge.acts import Acts, acts_of
from automode.judge.artefacts import latest
from automode.judge.asked import Asked, request_state
from automode.judge.deeds import LOOKING, PLAIN, TAME, Weight, deeds
from automode.judge.network import machines
from automode.judge.objects import NOTHING, Objects
from automode.judge.reading import LONGEST_TEXT, Looking, Reading, has_holes
from automode.judge.requests import UsersWords, affirms, users_words
from automode.judge.tool_deeds import addresses, input_text, tool_words
from automode.judge.words import patterns, word_lists
from automode.programs.call_facts import CallFacts
from automode.programs.use import Effect

_P = patterns("features")
_NETWORK_P = patterns("network")
_W = word_lists("features")
MOST_TOKENS = 600
UNREAD = "unread"
COVERED = "covered"
MOST_NAMES = 40
MOST_TOGETHER = 4
EARLIER_CALLS = 6  # whose deeds count as a habit
EARLIER_TEXTS = 12  # in which names may have been mentioned
_NAME = re.compile(r"[\w.@-]{3,80}")
_HOST = re.compile(r"(?:https?://|@|//)([\w-]+(?:\.[\w-]+)+)")
_WHOLES = frozenset({"deletes-scratch", "deletes-made"})
PRODUCTION = re.compile(r"(?i)prod|prd|live")
_BUILDING = PLAIN | {"develops", "sends-here", "commits"}
_READING = _BUILDING | {"fetches", "browses", "reads-service", "reads-secret", "looks-around"}
_NO_ACTS = Acts({}, ())
# They do whatever the project's files say.
_OF_PROJECT = frozenset({"develops", "installs", "runs-own", "runs-containers"})
_SHOWN = frozenset({"reads-service", "browses", "delegates"})


class Vocabulary:
    """The tokens that one model knows."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._own = {one: one for one in tokens}

    def among(self, tokens: Iterable[str]) -> list[str]:
        """Those it knows, as texts of its own: one for all calls that have it."""
        own = self._own
        return [own[one] for one in tokens if one in own]


def tokens_of(
    call: ToolCall, reading: Reading, vocabulary: Vocabulary | None = None
) -> tuple[str, ...]:
    """Each once. Without a vocabulary all of them."""
    named = list(_names(call, reading))
    text = input_text(call.input)[:LONGEST_TEXT]
    if vocabulary is None:
        return tuple(dict.fromkeys([*named, *_all_words(text)]))
    return tuple(dict.fromkeys(vocabulary.among([*named, *_all_words(text)])))


def _names(call: ToolCall, reading: Reading) -> Iterator[str]:
    if reading.script is not None and reading.script.complete:
        yield from [f"p:{one.program[:24]}" for one in reading.script.commands if one.words]
    if not isinstance(call.action, Shell):
        yield from [f"t:{word}" for word in tool_words(call.tool)]


def _all_words(text: str) -> list[str]:
    found: list[str] = []
    last = ""
    for one in _P.token.findall(text)[:MOST_TOKENS]:
        word = "0" if one.isdigit() else one.casefold()
        found += (f"w:{word}", f"b:{last} {word}")
        last = word
    return found


@dataclass(frozen=True, slots=True)
class Seen:
    """`present`: names of what is there, each with a weight of its own in the model. `deeds`: with
    whether somebody asked for them. `tokens`: words of the call as written, and pairs of them."""

    present: tuple[str, ...]
    deeds: Mapping[str, Asked]
    tokens: tuple[str, ...]


def read_features(
    looking: Looking,
    facts: CallFacts,
    session: Session,
    trail: Trail,
    vocabulary: Vocabulary | None = None,
) -> Seen:
    """With a vocabulary only the tokens that are in it."""
    # Nearly all entries are calls. The few others are looked through more than once.
    told = [one for one in session.transcript.entries if not isinstance(one, PriorCall)]
    words = users_words(told)
    call = facts.call
    reading = looking(facts, session)
    states, covered = _states(looking, facts, reading, words, session)
    present = [
        *_of_deeds(states, _done_before(looking, facts, session, states)),
        *([COVERED] if covered else []),
        *[f"mark:{remark.mark}" for remark in trail],
        *_of_script(call, reading, words.said),
        *_of_targets(call, session, words.said),
        *_of_words(words.messages),
        *[f"fact:{one.name}" for one in told if isinstance(one, Fact)],
    ]
    return Seen(tuple(dict.fromkeys(present)), states, tokens_of(call, reading, vocabulary))


def _states(
    looking: Looking, facts: CallFacts, reading: Reading, words: UsersWords, session: Session
) -> tuple[dict[str, Asked], bool]:
    """Of each deed whether somebody asked for it, done to what this call does it to; and whether
    the latest message covers the whole call."""
    call = facts.call
    acts = _NO_ACTS
    if PRODUCTION.search(input_text(call.input)[:LONGEST_TEXT]) or (
        words.messages
        and (words.limited or any(map(_is_heavy, reading.deeds)) or _WHOLES & set(reading.deeds))
    ):
        acts = acts_of(call, reading, session.workspace)
    names = [*reading.deeds, *_further(call, acts)]
    states = {name: _state(name, acts.of.get(name, NOTHING), words) for name in names}
    states |= dict(_implied_states(states, acts))
    if reading.script and states.get("commits") in (Asked.NO, Asked.AFFIRMED):
        unasked = looking.unasked_commits(facts, session)
        states |= dict.fromkeys(unasked, Asked.NO)
    return states, _is_covered(states, acts)


def _further(call: ToolCall, acts: Acts) -> Iterator[str]:
    """The deed that is told by where a call is done."""
    if isinstance(call.action, Shell) and any(
        "production" in acts.of[name].qualifiers for name in acts.of if name not in _READING
    ):
        yield "reaches-production"


def _implied_states(states: Mapping[str, Asked], acts: Acts) -> Iterator[tuple[str, Asked]]:
    """An aspect that nobody named is asked for where every command that has it is."""
    wanted = (Asked.LATEST, Asked.EARLIER)
    for aspect in _W.aspects & states.keys():
        if states[aspect] not in (Asked.NO, Asked.AFFIRMED):
            continue
        heavy = [
            [states.get(name, Asked.NO) for name in own - _W.aspects if _is_heavy(name)]
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


def _of_deeds(states: Mapping[str, Asked], before: set[str]) -> Iterator[str]:
    heaviest = Weight.LIGHT
    for name, state in states.items():
        weight = deeds()[name].weight
        heaviest = max(heaviest, weight)
        yield f"deed:{name}"
        if weight is not Weight.LIGHT:
            yield f"deed:{name}/{state}"
            yield f"weight:{weight.name}/{state}"
        if name in before:
            yield f"before:{weight.name}"
    yield f"heaviest:{heaviest.name}"
    if not states:
        yield "no-deed"
    elif TAME.issuperset(states):
        yield "all:tame"
    if 0 < len(states) <= MOST_TOGETHER:
        # The whole of it, so that no further deed can be hidden behind an ordinary one.
        yield f"only:{'+'.join(sorted(states))}"


def _is_covered(states: Mapping[str, Asked], acts: Acts) -> bool:
    """Whether it asks for all that the call does beside ordinary work. What a program that nobody
    described does is known where its command is asked for."""
    heavy = [name for name in states if _is_heavy(name)]
    known = all(any(map(_is_heavy, own)) for own in acts.together if "runs-unknown" in own)
    ordinary = TAME | _SHOWN | ({"runs-unknown"} if known else set())
    asked_for = bool(heavy) and all(states[name] is Asked.LATEST for name in heavy)
    asked_for = asked_for and _W.weighed.isdisjoint(heavy)
    return asked_for and states.keys() - set(heavy) <= ordinary


def _done_before(
    looking: Looking, facts: CallFacts, session: Session, states: Mapping[str, Asked]
) -> set[str]:
    """What of this the agent did before, and nobody stopped."""
    heavy = set(filter(_is_heavy, states))
    found: set[str] = set()
    if not heavy:
        return found
    for one in islice(latest(session), EARLIER_CALLS):
        command = one.input.get("command")
        if isinstance(command, str):
            found |= looking.done_by(command, facts, session, heavy - found)
        if found == heavy:
            break
    return found


def _of_script(call: ToolCall, reading: Reading, said: str) -> Iterator[str]:
    yield f"kind:{type(call.action).__name__}"
    if reading.unread:
        yield UNREAD
    script = reading.script
    if script is None:
        return
    if any(one.elevated for one in script.commands):
        yield "elevated"
    if any(one.remote for one in script.commands):
        yield "remote"
    if has_holes(script):
        yield "holes"
    names = [str(one.name) for one in Effect if one and one in reading.effects]
    yield from [f"effect:{name}" for name in names]
    yield f"effects:{'+'.join(names)}"
    # What the agent wrote before is no word for a machine: it may be there to be heard.
    if any(name not in said for name in machines(script)):
        yield "reaches:strange"


def _of_targets(call: ToolCall, session: Session, said: str) -> Iterator[str]:
    """Whether what the call names was named before, by the user or by earlier calls."""
    # The same call, not yet ended, is no witness for itself: it may be waiting for a person's yes.
    earlier = (one for one in latest(session) if one.outcome or one.input != call.input)
    done = "\n".join([input_text(one.input).casefold() for one in islice(earlier, EARLIER_TEXTS)])
    text = input_text(call.input)[:LONGEST_TEXT]
    text = text if isinstance(call.action, Shell) else _NETWORK_P.readable.sub("", text)
    text = _NETWORK_P.public.sub("", text) if "https://" in text else text
    found = dict.fromkeys([one.casefold() for one in _NAME.findall(text)])
    names = [name for name in found if name not in _W.ordinary][:MOST_NAMES]
    known = sum([name in said for name in names]) if said else 0
    few = known * 3 < len(names)
    yield "named:none" if not known else "named:some" if few else "named:most"
    if names and sum([name in done for name in names]) * 2 >= len(names):
        yield "continues"
    hosts = _HOST.findall(text) if "//" in text or "@" in text else ()
    for kind, targets in (("address", addresses(text)), ("host", hosts)):
        if targets:
            known_all = all(one in said or one in done for one in map(str.casefold, targets))
            yield f"{kind}:named" if known_all else f"{kind}:strange"


def _of_words(messages: Sequence[str]) -> Iterator[str]:
    """That nobody has said anything is no feature: it only means that nothing was asked for."""
    if not messages:
        return
    if messages[-1].lstrip().startswith("/"):
        yield "words:command"
    yield "words:bare" if affirms(messages[-1]) else "words:some"
