"""Where the agent works, and how deciding code asks about files without touching a disk."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias


class Kind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    MISSING = "missing"
    OTHER = "other"  # devices, sockets, what cannot be looked at


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for below a folder: links, and names that begin or end so or hold that, in small
    letters."""

    folder: str
    limit: int  # names looked at
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    pruned: frozenset[str] = frozenset()  # names, or paths, of folders that are not entered
    hidden: bool = True  # whether names that begin with a dot count
    deep: bool = True  # whether folders below it are entered
    holds: tuple[str, ...] = ()
    links: bool = True  # whether every link is looked for


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

    def below(self, search: Search) -> tuple[str, ...] | None:
        """The paths that are looked for, no link followed; None when there are too many names."""
        ...

    def gitlinks(self, index: str) -> tuple[str, ...] | None:
        """Names in a git index that stand for other repositories; None when they cannot be read."""
        ...

    def tracked(self, search: Search) -> tuple[str, ...] | None:
        """Of the names in the git index in a folder those with a part that is looked for; None
        when they cannot be read."""
        ...

    def same(self, one: str, other: str) -> bool:
        """Whether both paths are one existing file (device and inode)."""
        ...

    def snapshot(self) -> object | None:
        """Every look so far with what it found; None where that was not kept."""
        ...

    def matches(self, snapshot: object) -> bool:
        """Whether every look of a snapshot finds the same now."""
        ...


@dataclass(frozen=True, slots=True)
class Workspace:
    """`root` is the project, `cwd` where the next command starts; both absolute and normal."""

    root: str
    cwd: str
    home: str
    files: Files
    temporary: tuple[str, ...] = ("/tmp", "/var/tmp", "/private/tmp")  # noqa: S108 - names, not uses
    other_home: str = ""  # a second folder that passes for home: `HOME` and the account disagree
    roots: tuple[str, ...] = field(default=())  # further folders the person added to the workspace

    @property
    def folders(self) -> tuple[str, ...]:
        return (self.root, *self.roots)


@dataclass(frozen=True, slots=True)
class Changes:
    """Absolute paths; a folder that is not tracked at all ends with a slash."""

    tracked: frozenset[str]
    untracked: frozenset[str]
    staged: frozenset[str]


AskChanges: TypeAlias = Callable[[str, Workspace], Changes | None]
"""From a folder to what is changed in its repository; None where that is not known."""


def not_known(folder: str, workspace: Workspace) -> Changes | None:
    return None


AskMoves: TypeAlias = Callable[[str, Workspace], tuple[str, ...] | None]
"""From a folder to what the latest moves of HEAD say of themselves (`commit: fix the cart`), the
newest first; None where that is not known, and where a remote or a tag has the commit."""


def no_moves(folder: str, workspace: Workspace) -> tuple[str, ...] | None:
    return None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Of which files of a repository to tell what git has of them: those at or below absolute
    `paths`, all for none. `foreign`: files that another commit brings, too, so that a folder is not
    enough."""

    folder: str
    paths: tuple[str, ...]
    foreign: bool = False


AskTexts: TypeAlias = Callable[[Wanted, Workspace], Mapping[str, str | None] | None]
"""Of each tracked file that is not as it was committed, by its absolute path: what git has of it;
None where more than its text differs. Of a file in conflict: what the merge made of it. None where
it is not known which files differ."""


def no_texts(wanted: Wanted, workspace: Workspace) -> Mapping[str, str | None] | None:
    return None


JUDGE_FOLDER = "automode-judge-"
"""How the working folder of a process is called that automode itself asks as the judge."""


def is_judge_folder(path: str) -> bool:
    return f"/{JUDGE_FOLDER}" in f"/{path}"
