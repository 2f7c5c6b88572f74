"""What the verb of a request is said of: the words of its head, and kinds of things."""

import re

from automode.judge.deeds import Deed
from automode.judge.naming import speaks_of
from automode.judge.objects import Name, Objects

_ADVERBS = frozenset(
    "please pls plz now again too also locally remotely completely entirely recursively there here"
    " directly already anyway instead together first everywhere forced just down up off away live"
    " upstream hard soft bitte jetzt weg ab auf ahora ya maintenant".split()
)
PRONOUNS = frozenset(
    "it them this that these those everything whatever all both one ones thing things change"
    " changes work stuff result results rest lot so mine ours es das alles sie eso esto"
    " todo ça cela"
    " tout это всё все".split()
)


def words_of(head: str) -> list[str]:
    words = [word.strip(".'\"`!?") for word in re.findall(r"(?<!\S)[^\s,;()-][^\s,;()]*", head)]
    while words and words[-1] in _ADVERBS:
        words.pop()
    return words


def is_kind(word: str, deed: Deed, objects: Objects) -> bool:
    if deed.kinds is not None and deed.kinds.fullmatch(word):
        return True
    return speaks_of(objects.kinds, word)


def required_names(deed: Deed, objects: Objects) -> list[Name]:
    if deed.free is None:
        return list(objects.names)
    return [name for name in objects.names if name.firm or not deed.free.fullmatch(name.text)]
