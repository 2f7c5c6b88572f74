"""What the command line does with settings, for the page that shows it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from automode.config.load import Loaded


class Finding(Protocol):
    """What `automode critique` says of a rule or a sentence."""

    @property
    def kind(self) -> str: ...
    @property
    def list(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def place(self) -> str: ...
    @property
    def says(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case of `automode policy test`."""

    name: str
    place: str
    expected: str
    got: str
    reason: str
    as_expected: bool


@dataclass(frozen=True, slots=True)
class Checks:
    """What the command line does with settings, handed in by it. Both take a project's folder."""

    criticise: Callable[[Loaded, str | None], Sequence[Finding]]
    try_cases: Callable[[str, str | None], Sequence[Outcome]]  # a file of cases first
