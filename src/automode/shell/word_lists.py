"""Lists of words that stand in a `words.toml` beside the code that knows them."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def word_lists(package: str) -> Mapping[str, frozenset[str]]:
    """The words of each list, by its name."""
    text = files(package).joinpath("words.toml").read_text("utf-8")
    return {name: frozenset(words.split()) for name, words in tomllib.loads(text).items()}
