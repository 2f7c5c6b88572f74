"""Where the agent works, as data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from automode.core.files import Files


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
