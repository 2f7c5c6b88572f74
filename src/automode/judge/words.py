"""The judge's words and patterns: what stands in `words/*.toml`, read when it is first asked for.

In a pattern line breaks and indents mean nothing, and `%name%` is another pattern of the file.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


class _Patterns:
    """The patterns of a file as attributes, each compiled when it is first used: to compile them
    all takes as long as many decisions."""

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def __getattr__(self, name: str) -> re.Pattern[str]:
        texts = read_words(self._topic)["patterns"]
        if name not in texts:
            raise AttributeError(name)
        found = re.compile(expand(texts[name], texts))
        setattr(self, name, found)
        return found


class _WordLists:
    """The lists of words of a file as attributes."""

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def __getattr__(self, name: str) -> frozenset[str]:
        lists = read_words(self._topic)["words"]
        if name not in lists:
            raise AttributeError(name)
        found = frozenset(lists[name].split())
        setattr(self, name, found)
        return found


patterns, word_lists = cache(_Patterns), cache(_WordLists)
USUAL_NAMES = word_lists("usual")
"""Names that need nobody's word."""


@cache
def word_table(topic: str, name: str) -> Mapping[str, frozenset[str]]:
    """A table of a file that has a list of words for each of its keys."""
    return {key: frozenset(words.split()) for key, words in read_words(topic)[name].items()}


@cache
def read_words(topic: str) -> Mapping[str, Mapping[str, str]]:
    """The tables of a file."""
    return tomllib.loads(files("automode.judge").joinpath(f"words/{topic}.toml").read_text("utf-8"))


@cache
def keys_by_word(topic: str, name: str) -> Mapping[str, str]:
    """Of such a table the key of each word; of two keys with one word the later."""
    return {word: key for key, words in read_words(topic)[name].items() for word in words.split()}


def expand(text: str, texts: Mapping[str, str]) -> str:
    """As one line, with the other patterns that it names."""
    text = re.sub(r"(?:^|\n) {2}", "", text)
    return re.sub(
        r"%(\w+)%",
        lambda name: expand(texts[name[1]], texts) if name[1] in texts else name[0],
        text,
    )
