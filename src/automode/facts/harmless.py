"""What the files that a project brings for an agent may say without a person having looked.

The lists stand in `harmless.toml`. Whatever is on none of them is an objection.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple, TypeAlias

from automode.shell.variables import PRESENTATION

Keys: TypeAlias = tuple[str, ...]

_FILLED_IN = re.compile(r"\$\{?\w+(?:\[\w*\])?\}?|\{\{\w+\}\}|\{(?:env|file):[^}]*\}")
"""What agents put arguments, variables and files in the place of, before they look for marks."""


class Objection(NamedTuple):
    """A key that nobody knows to be harmless, one level after the other, and what it says."""

    keys: Keys
    value: object

    @property
    def name(self) -> str:
        return ".".join(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Files of one kind: see `harmless.toml`."""

    agents: tuple[str, ...]
    files: tuple[Keys, ...]
    harmless: tuple[Keys, ...] = ()
    asked: tuple[Keys, ...] = ()
    variables: tuple[Keys, ...] = ()
    names: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    untracked: tuple[Keys, ...] = ()
    inside: tuple[Keys, ...] = ()
    code: bool = False
    marker: str = ""

    def objections(self, settings: object, text: str = "") -> Iterator[Objection]:
        """`settings`: see `settings_text`. `text`: the whole file."""
        told = "\n".join((text, *strings_in(settings)))
        filled = _FILLED_IN.sub("", told)
        for mark in self.marks:
            if mark in told or mark in filled:
                yield Objection((mark,), text)
        if isinstance(settings, tuple):
            yield from self._objections(settings, ())
        else:
            yield Objection((), "no object")

    def _objections(self, settings: tuple[object, ...], above: Keys) -> Iterator[Objection]:
        for pair in settings:
            key, value = pair if isinstance(pair, tuple) and len(pair) == 2 else ("", pair)
            keys = (*above, str(key))
            if self._passes(keys, value):
                continue
            if self._leads_on(keys) and isinstance(value, tuple):
                yield from self._objections(value, keys)
            else:
                yield Objection(keys, value)

    def _passes(self, keys: Keys, value: object) -> bool:
        above = keys[:-1]
        if above in self.variables:
            return self._presents(keys[-1], value)
        says_nothing = value in ((), []) and bool(above) and self._leads_on(above)
        return says_nothing or any(_fits(keys, one) for one in self.harmless)

    def _leads_on(self, keys: Keys) -> bool:
        """Whether the lists know something deeper."""
        known = (*self.harmless, *self.asked)
        if keys in self.inside:
            return True
        inner = any(len(one) > len(keys) and _fits(keys, one[: len(keys)]) for one in known)
        return inner or any(one[: len(keys)] == keys for one in self.variables)

    def _presents(self, name: str, value: object) -> bool:
        """Whether a variable of the environment changes nothing but presentation, the choice of a
        model, or data of the project's own programs."""
        values = PRESENTATION.get(name)
        if values is not None:
            return values.fullmatch(str(value)) is not None
        return any(fnmatchcase(name, one) for one in self.names)

    def only_asks(self, objection: Objection) -> bool:
        """Whether it cannot answer in a person's place."""
        return any(_fits(objection.keys, one) for one in self.asked)


@lru_cache(maxsize=1)
def rows() -> tuple[Row, ...]:
    given = tomllib.loads(files("automode.facts").joinpath("harmless.toml").read_text("utf-8"))
    return tuple(_row(one) for one in given["row"])


@lru_cache(maxsize=32)
def rows_of(agent: str) -> tuple[Row, ...]:
    return tuple(one for one in rows() if agent in one.agents)


def agents() -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in rows() for name in one.agents))


def _row(given: dict[str, object]) -> Row:
    def words(name: str) -> tuple[str, ...]:
        found = given.get(name, "")
        return tuple(found.split()) if isinstance(found, str) else _texts(found)

    def keys(name: str) -> tuple[Keys, ...]:
        return tuple(() if one == "." else _parted(one) for one in words(name))

    return Row(
        words("agents"),
        tuple(tuple(one.split("/")) for one in words("files")),
        keys("harmless"),
        keys("asked"),
        keys("variables"),
        words("names"),
        words("marks"),
        keys("untracked"),
        keys("inside"),
        given.get("code") is True,
        str(given.get("marker", "")),
    )


def _parted(name: str) -> Keys:
    return tuple(name.split("."))


def _texts(found: object) -> tuple[str, ...]:
    return tuple(str(one) for one in found) if isinstance(found, list) else ()


def strings_in(settings: object) -> Iterator[str]:
    """Every text in what a setting says."""
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, tuple | list):
        for one in settings:
            yield from strings_in(one)


def _fits(keys: Keys, pattern: Keys) -> bool:
    """Whether the keys are those, or stand below them."""
    return len(keys) >= len(pattern) and all(
        key == one or ("*" in one and fnmatchcase(key, one))
        for key, one in zip(keys, pattern, strict=False)
    )
