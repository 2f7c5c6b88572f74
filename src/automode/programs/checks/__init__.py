"""Checks: what a row of the table cannot say in words.

A row proves that a command only reads; its check can only object. A row names a function of a
module here, such as `files.tar`: under `check` one that takes a `Given` and returns a `Use`, under
`touches` one that returns the files that a command touches where the kinds of its words do not
tell, under `loads` one that says of the text of a file whether it only has harmless settings, under
`language` one of `languages` that judges code.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import cast

from automode.programs.row import Check, Language, TouchedBy


@lru_cache(maxsize=1_024)
def _function(name: str) -> Callable[..., object]:
    module, _, function = name.rpartition(".")
    return cast(Callable[..., object], getattr(import_module(f"{__name__}.{module}"), function))


def check_of(name: str) -> Check:
    return cast(Check, _function(name))


def touches_of(name: str) -> TouchedBy:
    return cast(TouchedBy, _function(name))


def language_of(name: str) -> Language:
    return cast(Language, _function(f"languages.{name}"))


def harmless_of(name: str) -> Callable[[str], bool]:
    named = _function("settings.harmless")(name.removeprefix("settings."))
    return cast(Callable[[str], bool], named)
