"""Which value of each setting holds, and who set it."""

from dataclasses import dataclass

from automode.config.diagnostics import Source
from automode.config.entries import pattern_fault
from automode.config.environment import restrained
from automode.config.json_tree import Scalar
from automode.config.keys import DEFAULT_VALUES, ROW_OF
from automode.config.load import Loaded
from automode.config.part import Part
from automode.config.reading import read_part
from automode.config.sources import State

HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class Held:
    """The value in force and where it comes from."""

    value: Scalar
    source: Source = Source.BUILT_IN
    file: str = ""
    line: int | None = None

    @property
    def place(self) -> str:
        if not self.file:
            return self.source.value
        return f"{self.source.value}, {self.file}" + (f":{self.line}" if self.line else "")


def held(loaded: Loaded) -> dict[str, Held]:
    """Every single value. Walks the sources as loading does, weakest first."""
    found = {key: Held(value) for key, value in DEFAULT_VALUES.items()}
    for part in _parts(loaded):
        if part.source is Source.ENVIRONMENT and not loaded.settings.trust_environment:
            part = restrained(part, {key: one.value for key, one in found.items()})
        for key, given in part.scalars.items():
            found[key] = Held(given.value, part.source, part.file, given.line)
    return {key: _discreet(key, one) for key, one in found.items()}


def _parts(loaded: Loaded) -> list[Part]:
    return [
        read_part(text.source, text.file, text.data, pattern_fault)
        for text in loaded.sources
        if text.state is State.READ and text.source is not Source.SHARED
    ]


def _discreet(key: str, one: Held) -> Held:
    """A value that may hold a password is not shown, unless it is the built-in one."""
    if not ROW_OF[key].secret or one.value == DEFAULT_VALUES[key]:
        return one
    return Held(HIDDEN, one.source, one.file, one.line)
