"""Whether the user's own words name a deed, forbid it, or say nothing of it."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from automode.judge.deeds import Deed

NEAR = 48
LONGEST_SENTENCE = 200
MOST_HEARD = 2_048  # messages of which is kept what they say
LONGEST_HEARD = 8_192  # characters of one of them


class Asked(StrEnum):
    LATEST = "asked"  # the latest message names it
    EARLIER = "earlier"  # one of the messages before does
    AFFIRMED = "affirmed"  # nobody named it, and the latest message is a bare "yes, go on"
    NO = "unasked"
    FORBIDDEN = "forbidden"


# Typed with a straight or a curly apostrophe, or without one.
_APOSTROPHE = "['\u2019]?"
_NOT = re.compile(
    r"(?:\b(?:do(?:es)?\s*n[o']?t|don@t|never|not|no|without|avoid|stop|instead of|rather than|"
    r"before|hold off|wait (?:with|before)|mustn@t|must not|nobody|no one|refus\w*|forb\w*|"
    r"prohibit\w*|explain|ask me|shouldn@t|can@t|only(?=\s+\w)|nicht|kein\w*|ohne|nie|nunca|sin|ne|"
    r"jamais|sans|não|bez)\b|不要|别|しない|не\b|без\b|нельзя)"
    r"[^.!?;\n]{0,32}$|\bi(?:@ll| will|@m going to| am going to)\s*$".replace("@", _APOSTROPHE),
    re.IGNORECASE,
)
_AFTER_NOT = re.compile(
    r"^\w*\s*(?:\?\s*no\b|[=:]?\s*(?:forbidden|prohibited|no\b|never|not)|(?:it |them )?yourself|"
    r"(?:it |them )?myself|manually|isn't|is (?:not|my|our|done|up to)|by (?:me|us)|later|"
    r"after (?:i|we|review)|only (?:after|when|if))\b",
    re.IGNORECASE,
)
_VERB_PLACE = re.compile(
    r"(?:^|[.!?;:,(\n\-*•>]|\b(?:and|but|only|then|please|pls|also|now|to|you|just|let@?s|let us|"
    r"can|could|should|must|may|ahead|ok(?:ay)?|yes|yeah|yep|sure|so|next|finally|afterwards|before|"
    r"after|first|go|by|try|do|git|with|force|"
    r"und|dann|bitte|y|por favor|et|puis|i potem))\s*(?:\d+[.)]\s*)?$".replace("@", _APOSTROPHE),
    re.IGNORECASE,
)
_DONE = re.compile(r"(?:ed|pt|ne)$", re.IGNORECASE)
_THING = re.compile(
    r"[- ]*(?:buttons?|pages?|notif\w*|fields?|dialogs?|forms?|endpoints?|functions?|methods?|"
    r"handlers?|events?|components?|tests?|checks?|scripts?|steps?|jobs?|stages?|flags?|options?|modals?|links?|"
    r"the (?:deadline|date|limits?|envelope|boundar\w*|release|meeting)|back\b|icons?|hooks?|"
    r"apis?|routes?|errors?|logic|flow|code|conflicts?|button|nothing|downs?)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^\W*(?:y|yes|yep|yeah|yup|sure|ok(?:ay)?|k|go(?: ahead| on)?|do (?:it|that|this|so)|proceed|"
    r"continue|please(?: do| continue)?|sounds good|lgtm|perfect|great|good|thanks?|approved?|next|"
    r"keep going|carry on|ja|oui|s[ií]|da|hai|好的?|はい|继续|\d{1,2}|[a-d])"
    r"(?:[\s,.!]+\w+){0,4}\W*$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^\s*(?:why|what|how|when|where|which|who|is|are|was|were|does|did|has|have|should|would it|"
    r"isn't|aren't|didn't|doesn't|warum|wieso|was|wie|por qu[eé]|pourquoi)\b[^.!\n]*\?\s*$",
    re.IGNORECASE,
)


def asked(deed: Deed, messages: Sequence[str]) -> Asked:
    """`messages` are the user's, oldest first. What was forbidden stays so until a later message
    names the deed without forbidding it."""
    if deed.asked is None:
        return Asked.NO
    state = Asked.NO
    last = len(messages) - 1
    for place, message in enumerate(messages):
        said = _heard_of(deed, message)
        if said is False:
            state = Asked.FORBIDDEN
        elif said:
            state = Asked.LATEST if place == last else Asked.EARLIER
    if state is Asked.NO and messages and _BARE.match(messages[-1]):
        return Asked.AFFIRMED
    return state


_LIMITED = re.compile(
    r"\b(?:only|solely|exclusively|nothing (?:else|more)|no more than|"
    r"anything (?:else|but|except)|leave (?:everything|the rest|all) (?:else )?(?:alone|as)|"
    r"that's (?:it|all)|no changes outside|únicamente|solamente|"
    r"sólo|nur|ausschließlich|seulement|uniquement|apenas|somente|soltanto|только)\b|只",
    re.IGNORECASE,
)
_NO_CHANGE = re.compile(
    r"\bread-?only\b|\b(?:change|modify|edit|touch|write) nothing\b|"
    r"\b(?:no|without(?: any)?) (?:code |file )?(?:changes|edits|modifications)\b|"
    r"\b(?:do not|don@t|dont) (?:change|modify|edit|touch|write) "
    r"(?:anything|any ?thing|any (?:code|files?)|files|code)\b"
    r"(?! (?:else|but|except|other|outside))".replace("@", _APOSTROPHE),
    re.IGNORECASE,
)
LONGEST_LIMIT = 600  # in a long text `only` is about something else


def limits(message: str) -> bool:
    """Whether the user wants one thing and nothing beside it."""
    return len(message) <= LONGEST_LIMIT and _LIMITED.search(message) is not None


def wants_no_change(message: str) -> bool:
    return len(message) <= LONGEST_LIMIT and _NO_CHANGE.search(message) is not None


def affirms(message: str) -> bool:
    return _BARE.match(message) is not None


@lru_cache(maxsize=MOST_HEARD)
def _heard(message: str) -> dict[Deed, bool | None]:
    """What one message says of the deeds that were looked for in it: every later call of a session
    is held against the same messages."""
    return {}


def _heard_of(deed: Deed, message: str) -> bool | None:
    if len(message) > LONGEST_HEARD:
        return _said(deed, message)
    heard = _heard(message)
    if deed not in heard:
        heard[deed] = _said(deed, message)
    return heard[deed]


def _said(deed: Deed, message: str) -> bool | None:
    """True: asks for it; False: forbids it; None: neither."""
    denied = False
    for found in deed.asked.finditer(message) if deed.asked else ():
        before = message[max(0, found.start() - NEAR) : found.start()]
        if _NOT.search(before) or _AFTER_NOT.match(message[found.end() : found.end() + NEAR]):
            denied = True
            continue
        if _QUESTION.match(_sentence(message, found.start())):
            continue
        if deed.anywhere or _requests(message, found, before):
            return True
    return False if denied else None


def _requests(message: str, found: re.Match[str], before: str) -> bool:
    """Whether the word stands where a request has its verb. "The reset page" asks for nothing, and
    neither does what somebody did. Other scripts than Latin have no such places."""
    if message.lstrip().startswith("/") or not found[0][:1].isascii():
        return True
    line = message[message.rfind("\n", 0, found.start()) + 1 : found.start()]
    if line.lstrip().startswith(">") or any(line.count(mark) % 2 for mark in '`"'):
        return False  # somebody else's words
    after = message[found.end() : found.end() + NEAR]
    code = after.startswith(("(", "/", ".")) and after[1:2].strip() != ""
    if code or _DONE.search(found[0]) or _THING.match(after):
        return False
    return _VERB_PLACE.search(before) is not None or found.start() == 0


def _sentence(message: str, place: int) -> str:
    first, last = max(0, place - LONGEST_SENTENCE), place + LONGEST_SENTENCE
    start = max(message.rfind(mark, first, place) for mark in ".!?\n") + 1
    ends = [end for mark in ".!?\n" if (end := message.find(mark, place, last)) >= 0]
    return message[max(start, first) : min(ends) + 1 if ends else last]
