"""What an installation would change: files as they are and as they would be, and what to know."""

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum

from automode.core.errors import AutomodeError

OWNER_ONLY = 0o600


def digest(data: bytes | None) -> str:
    """Empty for what is not there."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


class CannotInstall(AutomodeError):
    """Nothing was changed; the message says why."""


class Scope(StrEnum):
    USER = "user"
    PROJECT = "project"
    MANAGED = "managed"


def need_account(scope: Scope, title: str, agent: str) -> None:
    """Raises CannotInstall for an agent that takes hooks for an account alone."""
    if scope is not Scope.USER:
        raise CannotInstall(
            f"automode goes into {title} for an account, not for a project or a machine",
            f"run: automode install {agent} --user",
        )


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
    named: str = ""
    """What the agent calls the file: another path where that is a link."""
    replaced: str = ""
    """SHA-256 of the file as it was just before we wrote it: an installation that was cut off left
    it so, and without us that is `without`, too."""

    def knows(self, data: bytes) -> bool:
        """Whether it is one of these two: then `without` needs not be worked out."""
        return digest(data) in (self.written, self.replaced)


@dataclass(frozen=True, slots=True)
class Change:
    """`path` is the real file, no link. None: no file. Once it is done, `receipt` is kept for the
    file, or, where it is None, none any more. `before` and `after` alike: only that is done, and
    what an installation that was cut off has left beside the file goes."""

    path: str
    before: bytes | None
    after: bytes | None
    receipt: Receipt | None = None
    mode: int = OWNER_ONLY
    """Of a file that is made; one that is there keeps its own."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A file of an agent's that automode writes to. `named` is what the agent calls it; it may be a
    link to `path`."""

    agent: str
    scope: Scope
    named: str
    path: str
    before: bytes | None

    def change(
        self,
        after: bytes,
        version: str,
        transport: Transport,
        without: bytes | None = None,
        *,
        pieces: tuple[str, ...] = (),
        made: frozenset[str] = frozenset(),
        mode: int = OWNER_ONLY,
    ) -> Change:
        """The change to `after`, with the receipt that takes it back to `without`."""
        receipt = Receipt(
            self.agent,
            self.scope,
            self.path,
            version,
            transport,
            without,
            digest(after),
            pieces,
            made,
            named=self.named,
            replaced=digest(self.before),
        )
        return Change(self.path, self.before, after, receipt, mode)


@dataclass(frozen=True, slots=True)
class Plan:
    agent: str
    scope: Scope
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts in the changes that must not be shown."""
