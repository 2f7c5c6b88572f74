"""What git says is changed in a repository, as far as deciding code wants to know it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from automode.core.workspace import Workspace


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
