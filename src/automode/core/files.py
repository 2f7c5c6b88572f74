"""How deciding code asks about files without touching a disk itself."""

from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    MISSING = "missing"
    OTHER = "other"  # devices, sockets, what cannot be looked at


class Files(Protocol):
    """Contract: never raises, never blocks for long; what cannot be known is said so.

    Answers are made anew each time: a verdict about a file must not outlive the file.
    """

    def resolve(self, path: str) -> str | None:
        """The absolute path with links followed as far as they exist; None when it cannot be known
        (a loop of links, a folder that may not be entered)."""
        ...

    def kind(self, path: str) -> Kind: ...

    def text(self, path: str, limit: int) -> str | None:
        """The first `limit` bytes of a regular file as text; None when there is none to be had."""
        ...

    def names(self, folder: str, limit: int) -> tuple[str, ...]:
        """Names in a folder, at most `limit`; empty when it cannot be listed."""
        ...

    def links(self, folder: str, limit: int) -> tuple[str, ...] | None:
        """Names in a folder that are symbolic links; None when it holds more than `limit` names."""
        ...

    def links_below(self, folder: str, limit: int) -> tuple[str, ...] | None:
        """Paths of the symbolic links anywhere below a folder, none of them followed; None when
        more than `limit` names lie below it."""
        ...

    def gitlinks(self, index: str) -> tuple[str, ...] | None:
        """Names in a git index that stand for other repositories; None when they cannot be read."""
        ...

    def same(self, one: str, other: str) -> bool:
        """Whether both paths are one existing file (device and inode)."""
        ...
