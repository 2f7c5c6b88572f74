"""What an installation would change: files as they are and as they would be, and what to know."""

from dataclasses import dataclass, field
from enum import StrEnum

from automode.core.errors import AutomodeError

OWNER_ONLY = 0o600


class CannotInstall(AutomodeError):
    """Nothing was changed; the message says why."""


class Scope(StrEnum):
    USER = "user"
    PROJECT = "project"
    MANAGED = "managed"


class Transport(StrEnum):
    HTTP = "http"
    COMMAND = "command"
    EXTENSION = "extension"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What must be known to take an installation out again."""

    agent: str
    scope: Scope
    path: str
    version: str
    transport: Transport
    without: bytes | None
    """The file as it is without us; None: there was none."""
    written: str
    """SHA-256 of the file as we wrote it: untouched since, it goes back to `without`."""
    pieces: tuple[str, ...] = ()
    """The very texts that were put in, blanks and commas included."""
    made: frozenset[str] = frozenset()
    """Dotted names of the objects and lists that were not there before."""
    folders: tuple[str, ...] = ()
    """Folders that were made for the file, outermost first."""


@dataclass(frozen=True, slots=True)
class Change:
    """`path` is the real file, no link. None: no file. Once it is done, `receipt` is kept for the
    file, or, where it is None, none any more."""

    path: str
    before: bytes | None
    after: bytes | None
    receipt: Receipt | None = None
    mode: int = OWNER_ONLY
    """Of a file that is made; one that is there keeps its own."""


@dataclass(frozen=True, slots=True)
class Plan:
    agent: str
    scope: Scope
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts in the changes that must not be shown."""
