"""What is wrong with a configuration, where, and whose configuration it is."""

from dataclasses import dataclass, field
from enum import StrEnum

MOST_PER_FILE = 100  # a hostile file must not flood a terminal or a log
LONGEST_EXCERPT = 60


class Source(StrEnum):
    """Where settings come from, weakest first."""

    BUILT_IN = "built-in"
    USER = "user"
    LOCAL = "project-local"
    ENVIRONMENT = "environment"
    MANAGED = "managed"
    SHARED = "shared project"


class Level(StrEnum):
    ERROR = "error"  # something that was written does not count
    WARNING = "warning"  # it counts, but perhaps not as meant
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. One that `closes` may hide a deny, ask or hard_deny rule: while it stands,
    nothing may be allowed without a person."""

    level: Level
    file: str
    key: str
    line: int | None
    message: str
    hint: str = ""
    closes: bool = False
    source: Source | None = None

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line else "")
        parts = [part for part in (place, self.key, self.message) if part]
        return printable(": ".join(parts) + (f" ({self.hint})" if self.hint else ""))


def printable(text: str) -> str:
    """`text` with everything escaped that could steer a terminal or hide in a line."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def excerpt(text: str) -> str:
    """The beginning of `text`, fit to be printed."""
    cut = text[:LONGEST_EXCERPT]
    return printable(cut) + ("…" if len(text) > len(cut) else "")


@dataclass(slots=True)
class Findings:
    """Collects what is wrong with one file. Past `MOST_PER_FILE` findings are only counted, but
    the first that closes is always kept."""

    source: Source
    file: str
    kept: list[Diagnostic] = field(default_factory=list)
    dropped: int = 0
    closes: bool = False

    @property
    def full(self) -> bool:
        return len(self.kept) >= MOST_PER_FILE

    def add(
        self,
        level: Level,
        key: str,
        line: int | None,
        message: str,
        hint: str = "",
        *,
        closes: bool = False,
    ) -> None:
        if self.full and (self.closes or not closes):
            self.dropped += 1
            return
        self.closes = self.closes or closes
        self.kept.append(
            Diagnostic(level, self.file, key, line, message, hint, closes, self.source)
        )

    def all(self) -> tuple[Diagnostic, ...]:
        if not self.dropped:
            return tuple(self.kept)
        rest = f"and {self.dropped} more findings in this file"
        return (
            *self.kept,
            Diagnostic(Level.WARNING, self.file, "", None, rest, source=self.source),
        )
