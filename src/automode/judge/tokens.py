"""The words of a call as written, and pairs of them: what a model has weights for, or all of them.

A model knows a few thousand tokens, and a long script has a thousand of its own. So only those that
the model knows are kept from one call to the next.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from automode.core.call import Shell, ToolCall
from automode.judge.reading import LONGEST_KEPT, LONGEST_TEXT, Reading
from automode.judge.tool_deeds import written
from automode.judge.tool_names import tool_words

MOST_TOKENS = 600
MOST_KEPT = 4_096
_TOKEN = re.compile(r"[A-Za-z_][A-Za-z_.+-]{1,23}|--?[a-zA-Z][\w-]*|[|&;<>$(){}\\]+|/dev/\w+|\d+")


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
    text = written(call.input)[:LONGEST_TEXT]
    if vocabulary is None:
        return tuple(dict.fromkeys([*named, *_words(text)]))
    words = _kept_known if len(text) <= LONGEST_KEPT else _known
    return tuple(dict.fromkeys([*vocabulary.among(named), *words(vocabulary, text)]))


def _names(call: ToolCall, reading: Reading) -> Iterator[str]:
    if reading.script is not None and reading.script.complete:
        yield from [f"p:{one.program[:24]}" for one in reading.script.commands if one.words]
    if not isinstance(call.action, Shell):
        yield from [f"t:{word}" for word in tool_words(call.tool)]


def _known(vocabulary: Vocabulary, text: str) -> tuple[str, ...]:
    return tuple(vocabulary.among(_words(text)))


_kept_known = lru_cache(maxsize=MOST_KEPT)(_known)


def _words(text: str) -> list[str]:
    found: list[str] = []
    last = ""
    for one in _TOKEN.findall(text)[:MOST_TOKENS]:
        word = "0" if one.isdigit() else one.casefold()
        found += (f"w:{word}", f"b:{last} {word}")
        last = word
    return found
