"""Words and patterns that stand in TOML files beside the code that knows them."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


def toml_texts(package: str, name: str) -> Mapping[str, str]:
    """A file of texts by their names."""
    return tomllib.loads(files(package).joinpath(name).read_text("utf-8"))


@cache
def word_lists(package: str) -> Mapping[str, frozenset[str]]:
    """The words of each list in `words.toml`, by its name."""
    return {
        name: frozenset(text.split()) for name, text in toml_texts(package, "words.toml").items()
    }
