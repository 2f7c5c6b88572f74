"""Reads TOML files of texts and word lists that lie beside a module."""

from collections.abc import Mapping
from functools import cache


@cache
def toml_texts(package: str, name: str) -> Mapping[str, str]:
    """The texts of `NAME.toml` in the package."""
    # Loaded late: commands that need no list start sooner.
    import tomllib
    from importlib.resources import files

    return tomllib.loads(files(package).joinpath(f"{name}.toml").read_text("utf-8"))


@cache
def word_lists(package: str, name: str) -> Mapping[str, tuple[str, ...]]:
    """The lists of `NAME.toml` in the package, each a text that is cut at blanks."""
    return {key: tuple(text.split()) for key, text in toml_texts(package, name).items()}


@cache
def word_sets(package: str) -> Mapping[str, frozenset[str]]:
    """The same of `words.toml`, where their order means nothing."""
    return {key: frozenset(words) for key, words in word_lists(package, "words").items()}
