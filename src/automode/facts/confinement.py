"""What a confined call must not reach or change on this disk."""

import glob
import os
from collections.abc import Callable, Iterable

from automode.agents.catalog import INSTALLED
from automode.core.errors import AutomodeError
from automode.core.word_lists import word_lists

MOST_NAMES = 60_000
MOST_BESIDE = 200

_LISTS = word_lists("automode.guards.reads", "credentials")
_SHARED = (".config", ".local", ".cache")


def _own_folder(path: str) -> str:
    """The folder of the agent's own that a path below the home lies in; else the path."""
    first, slash, _ = path.partition("/")
    return first if slash and first[0] == "." and first not in _SHARED else path


_AGENTS = tuple(
    dict.fromkeys(
        _own_folder(path)
        for agent in INSTALLED.values()
        for path in (
            *(agent.paths.home_files + agent.paths.home_folders),
            *(agent.paths.transcripts + agent.paths.histories),
        )
    )
)
_CREATED_LATER = (
    *(".git", ".automode", ".vscode", ".idea", ".husky", ".githooks", ".devcontainer", ".envrc"),
    *(name for agent in INSTALLED.values() for name in agent.paths.protected),
)
"""Protected names that a confined call cannot make either; programs that build look for none."""


class TooMany(AutomodeError):
    """A folder holds more names than are looked at."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"`{folder}` holds more than {MOST_NAMES} files", "work in a smaller one")


def credentials(homes: Iterable[str], workspace: str) -> tuple[str, ...]:
    """Existing files and folders that hold credentials, of the account, the agents and projects
    beside the workspace."""
    found: list[str] = []
    for home in dict.fromkeys(homes):
        names = (*_LISTS["below-home"], *_LISTS["only-in-home"], *_LISTS["folders"], *_AGENTS)
        for name in dict.fromkeys(one.removesuffix("/**") for one in names):
            found += _matching(f"{glob.escape(home)}/{name}")
    for name in _LISTS["absolute"]:
        if not name.startswith(("/proc/", "/dev/")):
            found += _matching(name.removesuffix("/**"))
    beside = f"{glob.escape(os.path.dirname(workspace))}/*/.env*"
    found += [one for one in _matching(beside) if not one.startswith(f"{workspace}/")]
    kept: list[str] = []
    for one in sorted({os.path.realpath(one) for one in found}):
        if not is_within(workspace, one) and not any(is_within(one, above) for above in kept):
            kept.append(one)
    return tuple(kept)


def _matching(pattern: str) -> list[str]:
    if not glob.has_magic(pattern):
        return [pattern] if os.path.lexists(pattern) else []
    return glob.glob(pattern, include_hidden=True)[:MOST_BESIDE]


def is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def protected_files(root: str, matches: Callable[[str], bool]) -> tuple[str, ...]:
    """The protected paths in a workspace, and those that nobody may make. No link is followed, and
    no protected folder is entered. Raises TooMany."""
    found = [f"{root}/{name}" for name in dict.fromkeys(_CREATED_LATER) if "*" not in name]
    left, folders = MOST_NAMES, [root]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        raise TooMany(root)
                    if matches(entry.path[len(root) :]):
                        found.append(entry.path)
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except PermissionError:
            continue
    return tuple(dict.fromkeys(found))
