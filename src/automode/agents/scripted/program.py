"""An agent that is started by the path of its program: what all have in common, or most."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from automode.agents.scripted.driver import Lodging, Screen, plain_environment


@dataclass(frozen=True, slots=True)
class Program:
    """`program` is the path of the real one, `node` the folder of the Node that it runs on; empty
    for whatever Node the caller's `PATH` has, and for a program that needs none. What the others
    mean stands in `Agent`; a value here is what most agents have.

    Each is started so that it asks its user nothing by itself and whatever automode does not stop
    runs: only then does a scenario show anything."""

    program: str
    node: str = ""

    name: ClassVar[str]
    screen: ClassVar[Screen]
    delegates: ClassVar[bool] = True
    tells_why_it_stopped: ClassVar[bool] = True
    cannot: ClassVar[Mapping[str, str]] = {}
    stops: ClassVar[bool] = True
    switch: ClassVar[tuple[str, ...]] = ()
    switched_off: ClassVar[str] = ""

    @property
    def words(self) -> tuple[str, ...]:
        return (os.path.join(self.node, "node"), self.program) if self.node else (self.program,)

    def environment(self, lodging: Lodging) -> dict[str, str]:
        folders = (*((self.node,) if self.node else ()), os.path.dirname(self.program))
        plain = plain_environment(lodging.home, first_on_path=folders)
        return {**plain, **self.variables(lodging)}

    def mods(self, lodging: Lodging) -> Mapping[str, str]:
        return {}

    def mod(self, answers: Sequence[str]) -> Mapping[str, str]:
        return {}

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        """What this agent needs beside what every program needs."""
        return {}


def write_file(path: str, text: str) -> None:
    """Also the folder that it lies in."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
