"""A path that a command may write, as it was typed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from automode.guards.guard import Sight


@dataclass(frozen=True, slots=True)
class Aim:
    text: str
    whole: bool = False  # it goes away, or something else takes its place
    fills: bool = False  # a folder into which files of unknown names are put


Aiming: TypeAlias = Callable[[Sight], Iterator[Aim]]
