"""What one message says of a deed: where it asks for it, whether it forbids it, and every sentence
that has a word for it."""

import re
from functools import lru_cache

from automode.judge.deeds import Deed
from automode.judge.heads import is_kind, words_of
from automode.judge.objects import NOTHING
from automode.judge.requests import Request, Said, request, said_by, sentence_around

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
