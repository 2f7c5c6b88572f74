"""What a message says of the work as a whole: one thing only, no change, a bare yes, or a halt."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from automode.core.transcript import Entry, UserMessage
from automode.judge.deeds import Deed
from automode.judge.heads import is_kind, words_of
from automode.judge.objects import NOTHING
from automode.judge.requests import Request, Said, request, said_by, sentence_around

_BARE = re.compile(
    r"^\W*(?:y|yes|yep|yeah|yup|sure|ok(?:ay)?|k|go(?: ahead| on)?|do (?:it|that|this|so)|proceed|"
    r"continue|please(?: do| continue)?|sounds good|lgtm|perfect|great|good|thanks?|approved?|next|"
    r"keep going|carry on|ja|oui|s[ií]|da|hai|好的?|はい|继续|\d{1,2}|[a-d])"
    r"(?:[\s,.!]+\w+){0,4}\W*$",
    re.IGNORECASE,
)
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
    r"\b(?:do not|don['\u2019]?t|dont) (?:change|modify|edit|touch|write) "
    r"(?:anything|any ?thing|any (?:code|files?)|files|code)\b"
    r"(?! (?:else|but|except|other|outside))",
    re.IGNORECASE,
)
_HALT = (
    r"^\W*(?:(?:no|oh|ok(?:ay)?|hey|actually|sorry|please|pls|hm+|but|well|um+|and|yeah|uh)\b\W*)*"
    r"(?:(?:stop|cancel|abort|skip)(?=\W*$|[,.!;:\u2014-]|\s+(?:it|that|this|there|everything|all|"
    r"please|pls|right|for|now|what|doing|working|here|them)\b)|"
    r"(?:leave|keep) (?:it|them|that|this|those)(?=\W*$|[,.!;]|\s+(?:as|for|there|alone|in)\b)|"
    r"wait(?!\s+(?:for|times?)\b)|hold (?:on|off|up|it|your)\b|hang on|pause|halt\b|"
    r"not (?:yet|now|so fast|today)|never ?mind|nvm|forget (?:it|that|about|what)|scratch that|"
    r"let['\u2019]?s not\b|(?:do not|don['\u2019]?t)(?: do)?(?: (?:it|that|so))?(?=\W*$|[,.!;])|"
    r"(?:i|we)(?:['\u2019]ve| have)? changed (?:my|our) minds?|on second thoughts?|"
    r"first(?:ly)?,? (?:show|let|tell|explain|check|look|run|do|make|fix|finish|test|see|read|list|"
    r"give|i|we|please|review|verify|clarify|answer|discuss|wait)\b(?!.*\bthen\b)|"
    r"before (?:that|doing)\b|no(?=\W*$)|nope|scrap (?:it|that)|"
    r"warte|stopp?(?=\W*$)|noch nicht|doch nicht|lass (?:es|das)|espera|todavía no|para(?=\W*$)|"
    r"attends|pas encore|arrête(?=\W*$)|подожди|стоп|не надо)|^\W*(?:等|停|先别|别|待って|まだ)"
)
_HALTS = re.compile(_HALT, re.IGNORECASE)
_BARE_HALT = re.compile(rf"(?:{_HALT})(?:[\s,.!]+[\w'\u2019]+){{0,4}}\W*$", re.IGNORECASE)
_LOOKS = re.compile(r"\b(?:repo(?:s|sitor(?:y|ies))?|code ?base|project)\b", re.IGNORECASE)
_DOES = re.compile(
    r"\b(?:run|build|test|install|fix|add|mak|writ|chang|updat|refactor|implement|creat|set ?up|"
    r"start|execut|improv|compil|lint|verif|try|deploy|commit|push|get|debug|reproduc|remov|delet|"
    r"mov|ensur|sure|pass|bench|do (?:it|the|this|that|not|a)|if|init|new|fork|publish|releas|"
    r"migrat|convert|upgrad|bump|config|clean|renam|continu|need|want|should|must|error|fail|bug|"
    r"broken|work)\w*",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:no|not|\w+n['\u2019]t|dont|stop|wait|hold|pause|halt|cancel|abort|later|yet|myself|"
    r"rather|never ?mind|keep(?! going| on)|still need|before|unsure|think about|doubt\w*|wrong|"
    r"mistake|ignore (?:it|that)|take (?:it|over) from here|alone|postpone|undo|meant|"
    r"decided against|nicht|nein|noch|warte|espera|todavía|pas|attends|нет|не|подожди)\b|别|不|等",
    re.IGNORECASE,
)
_SUGGESTS = re.compile(r"\b(?:can|could|should|shall) (?:we|you|i)\b", re.IGNORECASE)
SHORT = 40
LONGEST_LIMIT = 600  # in a long text `only` is about something else


def limits(message: str) -> bool:
    """Whether the user wants one thing and nothing beside it."""
    return len(message) <= LONGEST_LIMIT and _LIMITED.search(message) is not None


def wants_no_change(message: str) -> bool:
    return len(message) <= LONGEST_LIMIT and _NO_CHANGE.search(message) is not None


def only_looks(message: str) -> bool:
    """Whether all that the user wants is to learn what a project is."""
    short = len(message) <= LONGEST_LIMIT
    return short and bool(_LOOKS.search(message)) and not _DOES.search(message)


def affirms(message: str) -> bool:
    return _BARE.match(message) is not None


def takes_back(message: str) -> bool:
    """Whether it stops, or puts something before, what was asked for earlier."""
    return _HALTS.search(message) is not None


def halts(message: str) -> bool:
    """Whether it says nothing but that."""
    return _BARE_HALT.search(message) is not None and "then" not in message


def doubts(message: str) -> bool:
    """Whether a short answer has a word in it that may take back what was asked for earlier."""
    if len(message) > SHORT or not _DOUBTS.search(message):
        return False
    return "?" not in message or _SUGGESTS.search(message) is not None


MOST_MESSAGES = 40
LONGEST_MESSAGE = 6_000
MOST_KEPT = 256  # sessions whose words are kept as they were worked out
LONGEST_KEPT = 16_384  # characters of all messages together


@dataclass(frozen=True, slots=True)
class UsersWords:
    messages: tuple[str, ...]
    said: str  # all of them, without regard to case
    limited: bool  # the last one asks for one thing and nothing beside it
    no_change: bool  # the last one wants nothing changed
    looks: bool = False  # all of them only want to learn what a project is


def users_words(entries: Iterable[Entry]) -> UsersWords:
    """Each message is cut: consent stands at the beginning or the end of a text."""
    said = [one for one in entries if isinstance(one, UserMessage)]
    messages = tuple([_cut(_with_referent(one)) for one in said[-MOST_MESSAGES:]])
    # They are the same for all calls until the user speaks again.
    short = sum(map(len, messages)) <= LONGEST_KEPT
    return _kept_worked_out(messages) if short else _worked_out(messages)


def _worked_out(messages: tuple[str, ...]) -> UsersWords:
    last = messages[-1] if messages else ""
    said = "\n".join(messages).casefold()
    no_change = wants_no_change(last) or halts(last)
    looks = bool(messages) and all(map(only_looks, messages))
    return UsersWords(messages, said, limits(last), no_change, looks)


_kept_worked_out = lru_cache(maxsize=MOST_KEPT)(_worked_out)


def _with_referent(message: UserMessage) -> str:
    """A bare yes says what it answers."""
    bare = message.referent and affirms(message.text)
    return f"yes: {message.referent}" if bare else message.text


def _cut(text: str) -> str:
    half = LONGEST_MESSAGE // 2
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:half]}\n{text[-half:]}"


MOST_HEARD = 2_048  # messages of which is kept what they say
LONGEST_HEARD = 8_192  # characters of one of them
MOST_REQUESTS = 12

# What it asks for, whether it forbids, and the sentences that have a word for it.
_Heard = tuple[tuple[Request, ...], bool, tuple[str, ...]]


@lru_cache(maxsize=MOST_HEARD)
def _heard(message: str) -> dict[Deed, _Heard]:
    """What one message says of the deeds that were looked for in it: every later call of a session
    is held against the same messages."""
    return {}


def heard_of(deed: Deed, message: str) -> _Heard:
    if len(message) > LONGEST_HEARD:
        return _listened(deed, message)
    heard = _heard(message)
    if deed not in heard:
        heard[deed] = _listened(deed, message)
    return heard[deed]


def _listened(deed: Deed, message: str) -> _Heard:
    denied = False
    requests: list[Request] = []
    sentences: list[str] = []
    for found in deed.asked.finditer(message) if deed.asked else ():
        said = said_by(message, found, anywhere=deed.anywhere)
        denied = denied or (said is Said.DENIAL and _denies(deed, message, found))
        if said is Said.REQUEST and len(requests) < MOST_REQUESTS:
            requests.append(request(message, found))
        if len(sentences) < MOST_REQUESTS:
            start, end = sentence_around(message, found.start())
            sentences.append(message[start:end].casefold())
    return tuple(requests), denied, tuple(sentences)


def _denies(deed: Deed, message: str, found: re.Match[str]) -> bool:
    """A broad verb forbids only what it is said of."""
    if not deed.broad:
        return True
    words = words_of(request(message, found).head)
    return bool(words) and is_kind(words[-1], deed, NOTHING)
