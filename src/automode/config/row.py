"""One row of the table of settings."""

from dataclasses import dataclass

from automode.config.diagnostics import Source
from automode.config.json_tree import Scalar
from automode.config.kinds import Kind
from automode.config.strictness import CLOSED, Order

# A shared project file is not among them: it is read as a type that has no place for settings.
ANYONE = frozenset({Source.USER, Source.LOCAL, Source.ENVIRONMENT, Source.MANAGED})


@dataclass(frozen=True, slots=True)
class Row:
    """One setting. `order` bounds what an environment may do to it that the user does not trust."""

    key: str
    kind: Kind
    default: Scalar
    meaning: str
    order: Order = CLOSED
    absent: str = ""  # what holds without a default, in words
    sources: frozenset[Source] = ANYONE
    closes: bool = False  # whether a malformed entry may hide a prohibition
    chooses: bool = False  # whether a malformed value is still a choice, which nobody may replace
    spellings: tuple[str, ...] = ()  # earlier names: understood, applied and reported
    secret: bool = False  # never quoted in a diagnostic
