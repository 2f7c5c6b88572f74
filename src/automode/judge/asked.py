"""Whether the user's own words name a deed and what it is done to, forbid it, or say nothing."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from automode.judge.clauses import (
    CODE,
    IN_TEXT,
    is_about_another,
    is_another_command,
    is_one_row,
    is_within,
    names_a_part,
    says_more,
)
from automode.judge.deeds import DELETIONS, Deed, Weight
from automode.judge.limits import LONGEST_LIMIT, affirms
from automode.judge.naming import named, speaks_of
from automode.judge.objects import NOTHING, Name, Objects, table
from automode.judge.requests import Request, Said, request, said_by

MOST_HEARD = 2_048  # messages of which is kept what they say
LONGEST_HEARD = 8_192  # characters of one of them
MOST_REQUESTS = 12
EARLIER_MESSAGES = 3  # what a pronoun may stand for


class Asked(StrEnum):
    LATEST = "asked"  # the latest message names it
    EARLIER = "earlier"  # one of the messages before does
    AFFIRMED = "affirmed"  # nobody named it, and the latest message is a bare "yes, go on"
    NO = "unasked"
    FORBIDDEN = "forbidden"


_ADVERBS = frozenset(
    "please pls plz now again too also locally remotely completely entirely recursively there here"
    " directly already anyway instead together first everywhere forced just down up off away live"
    " upstream hard soft bitte jetzt weg ab auf ahora ya maintenant".split()
)
_PRONOUNS = frozenset(
    "it them this that these those everything whatever all both one ones thing things change"
    " changes work stuff result results rest lot so mine ours es das alles sie eso esto"
    " todo ça cela"
    " tout это всё все".split()
)
_NAMELIKE = re.compile(r"[\d_/@#~*]|\w[.-]\w")
_FOREIGN = re.compile(
    r"[^\x00-\x7f]|(?:entfern|beend|reinici|borr|elimin|supprim|effac|usun|cancell|apag|remova|"
    r"instal|subi|hochlad|pousse|despleg|bereitstell|deshac|descart|annul|verwirf|publi[cq]|envi|"
    r"mata|detén|para|ejecut|führ|start|zurück)",
    re.IGNORECASE,
)


def asked(deed: Deed, messages: Sequence[str], objects: Objects = NOTHING) -> Asked:
    """`messages` are the user's, oldest first. What was forbidden stays so until a later message
    names the deed without forbidding it."""
    if deed.asked is None:
        return Asked.NO
    if deed.own and objects.names and all(deed.own.fullmatch(one.text) for one in objects.names):
        return Asked.LATEST
    state = Asked.NO
    last = len(messages) - 1
    for place, message in enumerate(messages):
        said = _said(deed, message, messages[max(0, place - EARLIER_MESSAGES) : place], objects)
        if said is False:
            state = Asked.FORBIDDEN
        elif said:
            state = Asked.LATEST if place == last else Asked.EARLIER
    if state is Asked.NO and messages and affirms(messages[-1]):
        return Asked.AFFIRMED
    return state


_Heard = tuple[tuple[Request, ...], bool]  # what it asks for, and whether it forbids


@lru_cache(maxsize=MOST_HEARD)
def _heard(message: str) -> dict[Deed, _Heard]:
    """What one message says of the deeds that were looked for in it: every later call of a session
    is held against the same messages."""
    return {}


def _heard_of(deed: Deed, message: str) -> _Heard:
    if len(message) > LONGEST_HEARD:
        return _listened(deed, message)
    heard = _heard(message)
    if deed not in heard:
        heard[deed] = _listened(deed, message)
    return heard[deed]


def _listened(deed: Deed, message: str) -> _Heard:
    denied = False
    requests: list[Request] = []
    for found in deed.asked.finditer(message) if deed.asked else ():
        said = said_by(message, found, anywhere=deed.anywhere)
        denied = denied or (said is Said.DENIAL and _denies(deed, message, found))
        if said is Said.REQUEST and len(requests) < MOST_REQUESTS:
            requests.append(request(message, found))
    return tuple(requests), denied


def _denies(deed: Deed, message: str, found: re.Match[str]) -> bool:
    """A broad verb forbids only what it is said of."""
    if not deed.broad:
        return True
    words = _words_of(request(message, found).head)
    return bool(words) and _is_kind(words[-1], deed, NOTHING)


def _said(deed: Deed, message: str, before: Sequence[str], objects: Objects) -> bool | None:
    """True: asks for it; False: forbids it; None: neither."""
    requests, denied = _heard_of(deed, message)
    near = deed.weight < Weight.LASTING and deed.kinds is None
    if near and not all(map(says_more, requests)):
        return True
    if any(_covers(one, deed, before, objects) for one in _meant(requests, deed, objects)):
        return True
    return False if denied or _exceeds(requests, deed, objects) else None


def _meant(requests: Sequence[Request], deed: Deed, objects: Objects) -> list[Request]:
    """Without those that only take up what the sentence said of something else."""
    if deed.weight < Weight.LASTING or len(requests) < 2:
        return list(requests)
    others = {one.sentence for one in requests if is_about_another(one, deed, objects)}
    return [one for one in requests if one.head or one.sentence not in others]


_WHOLES = DELETIONS | {"deletes-scratch", "deletes-made"}


_PORT = re.compile(r"\b(?<![.\d])\d{4,5}\b")


def _exceeds(requests: Sequence[Request], deed: Deed, objects: Objects) -> bool:
    """Whether the user named what a lighter deed is to be done to, and the call has more."""
    if deed.name in _WHOLES and any(is_within(one, objects) for one in requests):
        return True
    if deed.weight >= Weight.LASTING or deed.kinds is None:
        return False
    wanted = _required(deed, objects)
    if deed.name == "kills" and wanted:
        ports = {port for one in requests for port in _PORT.findall(one.sentence)}
        if ports and ports.isdisjoint(name.text for name in wanted):
            return True
    return any(
        any(named(name, one.head) for name in wanted)
        and not all(named(name, one.sentence) for name in wanted)
        for one in requests
    )


def _covers(one: Request, deed: Deed, before: Sequence[str], objects: Objects) -> bool:
    """Whether a request is about what the call does it to: its verb is about such a thing, each
    thing is named, and so is what makes the call reach further."""
    if deed.broad and deed.anywhere and not objects.names:
        return False
    command = one.sentence.lstrip().startswith("/")
    if not (command or deed.anywhere or _fits(one, deed, objects)):
        return False
    message = f"{one.sentence}\n{one.before}"
    pointed = _NAMELIKE.search(one.head) is not None and not _FOREIGN.match(one.verb)
    scope = one.sentence if pointed else "\n".join([*map(str.casefold, before), message])
    if deed.needs is not None and not deed.needs.search(scope):
        return False
    wanted = _required(deed, objects)
    far = deed.weight >= Weight.LASTING and not command and not deed.anywhere
    if far and not _is_plain(one, deed, objects, scope):
        return False
    if deed.name in _DEFINITE and not re.search(r"\d", message):
        wanted = [name for name in wanted if name.firm or not name.text.isdigit()]
    if not all(named(name, scope) for name in wanted):
        return False
    near = one.sentence if pointed or len(message) > LONGEST_LIMIT else message
    return _qualified(near, objects) and not _restricted(deed, near, objects)


def _is_plain(one: Request, deed: Deed, objects: Objects, scope: str) -> bool:
    """Whether a far-reaching deed is said in its own words: of what the call names, or of the
    system that it is done to, and of nothing beside it."""
    if says_more(one) or (deed.name not in DELETIONS and is_about_another(one, deed, objects)):
        return False
    if _required(deed, objects):
        return True
    if deed.name == "discards" and names_a_part(one, objects):
        return False
    words = _words_of(one.head)
    text = scope if not words or words[0] in _PRONOUNS else one.sentence
    return deed.plainly is None or deed.plainly.search(text) is not None


# "The PR" is the one that is worked on, where no number is said.
_DEFINITE = frozenset({"writes-forge"})


def _required(deed: Deed, objects: Objects) -> list[Name]:
    if deed.free is None:
        return list(objects.names)
    return [name for name in objects.names if name.firm or not deed.free.fullmatch(name.text)]


def _qualified(scope: str, objects: Objects) -> bool:
    rules = table().qualifiers
    return all(rule.said.search(scope) for rule in rules if rule.name in objects.qualifiers)


def _restricted(deed: Deed, scope: str, objects: Objects) -> bool:
    """Whether the user wants something of the call that it lacks."""
    return any(
        rule.said.search(scope) and not rule.call.search(objects.text)
        for rule in table().restrictions
        if objects.text and (not rule.deeds or deed.name in rule.deeds)
    )


def _fits(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether the verb is about such a thing: by its name, its kind or a pronoun, or about nothing
    that is said."""
    words = _words_of(one.head)
    if not words or any(word in _PRONOUNS for word in words[:1]):
        general = deed.broad and _GENERAL.match(one.verb) is not None
        return not general or _speaks_of_such(one, deed, objects)
    if _is_elsewhere(one, words, deed, objects):
        return False
    if is_another_command(one, [one.verb, *words], objects):
        return False
    if is_one_row(one, deed, objects):
        return True
    if words[0] in objects.programs:
        return True  # the command itself
    if any(_is_named(name, one, words, deed, objects) for name in objects.names):
        return True
    if not one.verb.isascii() and not objects.names:
        return not says_more(one)
    if _FOREIGN.match(one.verb) and objects.names:
        return any(named(name, one.sentence) for name in objects.names)
    if _NAMELIKE.search(words[-1]):
        return not objects.names  # else it names another thing
    return _is_kind(words[-1], deed, objects) or words[-1] in _PRONOUNS


def _is_named(name: Name, one: Request, words: list[str], deed: Deed, objects: Objects) -> bool:
    """Whether the verb is about it, and not about a part of it: "the users table layout"."""
    if named(name, one.more):
        return True
    last = words[-1]
    light = deed.weight < Weight.LASTING or named(name, last) or _NAMELIKE.search(last)
    return named(name, one.head) and bool(light or _is_kind(last, deed, objects))


# Verbs of anything that is done to code.
_GENERAL = re.compile(
    r"(?:mak|us|set|add|chang|updat|remov|try|tri|creat|generat|switch|giv|get|put|point|delet)",
    re.IGNORECASE,
)


def _speaks_of_such(one: Request, deed: Deed, objects: Objects) -> bool:
    """Whether the sentence has such a thing anywhere. "Make it faster" by itself has none."""
    if any(named(name, one.sentence) for name in objects.names):
        return True
    return any(_is_kind(word, deed, objects) for word in _words_of(one.sentence))


_FILES = re.compile(r"files?|folders?|director(?:y|ies)|lines?|imports?|code|comments? in|ordner")
_OF_FILES = DELETIONS | frozenset(
    "deletes-scratch deletes-made discards pushes writes-outside edits-outside edits-protected"
    " remote-copy collects locks-away conceals writes-forge reads-secret sends changes-service"
    " deletes-in-service grants messages commits deploys".split()
)


def _is_elsewhere(one: Request, words: list[str], deed: Deed, objects: Objects) -> bool:
    """Whether the verb is about a file, a part of a program's text, or something in a text."""
    others = [word for word in words if deed.kinds is None or not deed.kinds.fullmatch(word)]
    if any(CODE.fullmatch(word) for word in others):
        return True
    if deed.name not in _OF_FILES and words[-1] in others and _FILES.fullmatch(words[-1]):
        return True
    text = IN_TEXT.match(one.place) if deed.name not in _OF_FILES else None
    return text is not None and not any(named(name, text[0]) for name in objects.names)


def _words_of(head: str) -> list[str]:
    words = [word.strip(".'\"`!?") for word in re.findall(r"[^\s,;()]+", head)]
    while words and words[-1] in _ADVERBS:
        words.pop()
    return words


def _is_kind(word: str, deed: Deed, objects: Objects) -> bool:
    if deed.kinds is not None and deed.kinds.fullmatch(word):
        return True
    return speaks_of(objects.kinds, word)
