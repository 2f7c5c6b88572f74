"""Reads a TOML file of word lists that lies beside a module."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def word_lists(package: str, name: str) -> Mapping[str, tuple[str, ...]]:
    """The lists of `NAME.toml` in the package, each a text that is cut at blanks."""
    text = files(package).joinpath(f"{name}.toml").read_text("utf-8")
    return {key: tuple(value.split()) for key, value in tomllib.loads(text).items()}
