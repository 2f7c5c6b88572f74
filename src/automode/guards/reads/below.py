"""What a program that reads whatever lies below a folder would come across: credentials, or links
that lead to some."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from automode.core.paths import may_match, within
from automode.core.workspace import Kind, Search, Workspace
from automode.guards.own_files import OwnFiles
from automode.guards.reads.credentials import (
    HOLDERS,
    NAME_ENDS,
    NAME_STARTS,
    SETTING_NAMES,
    holds_token,
    in_credential_folder,
    is_credential,
    is_credential_word,
    may_hold_token,
    repository_configs,
)
from automode.programs.loading import SPLIT_OPTIONS

MOST_NAMES = 20_000  # below one folder
_STARTS = (*NAME_STARTS, *SETTING_NAMES)
_PLAIN_STATE = [[name] for name in ("sys", "bus", "driver", "fs", "irq", "tty", "acpi", "scsi")]
_SURE = re.compile(r"[\w.*?~ -]+")  # every program reads such a pattern the same way


@dataclass(frozen=True, slots=True)
class Names:
    """Which of the names below a folder are read. By itself: all of them, links as they are."""

    wanted: tuple[str, ...] = ()  # patterns; none: every name
    unwanted: tuple[str, ...] = ()
    pruned: frozenset[str] = frozenset()  # names or paths of folders that are left out
    hidden: bool = True
    deep: bool = True
    follows: bool = True  # links below it
    tracked: bool = False  # by git: only its links are of interest
    kept: tuple[str, ...] = ()  # patterns of names that stay although they are unwanted
    words: bool = False  # the names become words of a command, so that one may be an option

    def include(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        # To leave a name out takes certainty, to read it does not.
        unwanted = any(_leaves_out(pattern, name) for pattern in self.unwanted)
        if unwanted and not any(may_match(pattern, name) for pattern in self.kept):
            return False
        return not self.wanted or any(may_match(pattern, name) for pattern in self.wanted)


def _leaves_out(pattern: str, name: str) -> bool:
    return _SURE.fullmatch(pattern) is not None and fnmatchcase(name, pattern)


def reading_objection(folder: str, names: Names, workspace: Workspace, own: OwnFiles) -> str | None:
    """Why reading such names below the absolute `folder` may show a credential."""
    real = workspace.files.resolve(folder)
    if real is None:
        return "reads below a folder that cannot be looked at"
    if holds_credentials(real, workspace.home):
        return "reads whatever lies in a folder where programs keep their keys"
    if shows_processes(real) and names.include("environ"):
        return "reads whatever the system shows of processes, their environment too"
    if _shows_token(real, names, workspace):
        return "reads the configuration of the repository, which holds a credential"
    search = Search(
        real,
        MOST_NAMES,
        (*(() if names.tracked else _STARTS), *("-" if names.words else ())),
        () if names.tracked else NAME_ENDS,
        names.pruned,
        names.hidden,
        names.deep,
        SPLIT_OPTIONS if names.words else (),
    )
    found = workspace.files.below(search)
    if found is None:
        return "reads more files than can be looked at"
    for path in found:
        name = path[len(real) :].lstrip("/")
        if names.words and _brings_option(name):
            return f"`{name}` becomes an option where names become words"
        if _secret(path, real, names, workspace, own):
            return f"reads whatever is found, `{name}` too"
    return None


def _brings_option(name: str) -> bool:
    """A name is printed with the folders above it, so only the first of them begins the word."""
    return name.startswith("-") or any(one in name for one in SPLIT_OPTIONS)


def _shows_token(folder: str, names: Names, workspace: Workspace) -> bool:
    if folder.endswith("/.git"):
        seen = True
    else:
        seen = names.hidden and not names.tracked and ".git" not in names.pruned
    return seen and any(
        names.include(one) and holds_token(one, workspace.files)
        for one in repository_configs(folder)
    )


def is_credential_file(path: str, workspace: Workspace) -> bool:
    """Whether a path that was found is a credential. A folder may be called `token`."""
    if is_credential(path, workspace.home) or may_hold_token(path, workspace.files):
        return True
    return is_credential_word(path) and workspace.files.kind(path) is Kind.FILE


def holds_credentials(folder: str, home: str) -> bool:
    """A home, what is above it, or a folder in it where programs keep their keys."""
    return within(home, folder) or any(folder == f"{home}/{name}" for name in HOLDERS)


def shows_processes(folder: str) -> bool:
    """Whether the environment of processes lies below the folder."""
    return within(folder, "/proc") and folder.split("/")[2:3] not in _PLAIN_STATE


def _secret(path: str, folder: str, names: Names, workspace: Workspace, own: OwnFiles) -> bool:
    real = workspace.files.resolve(path)
    if real == path:  # a folder is named for what is in it
        if in_credential_folder(path):
            return True
        return not names.tracked and names.include(path) and is_credential_file(path, workspace)
    if not names.follows:
        return False
    outside = real is not None and not within(real, folder)
    if real is None or (outside and workspace.files.kind(real) is Kind.FOLDER):
        return True  # what lies below another folder has not been looked at
    if is_credential_file(real, workspace) or in_credential_folder(real) or own.secret(real):
        return True
    holders = (workspace.home, *own.states, *(f"{workspace.home}/{name}" for name in HOLDERS))
    return any(within(one, real) for one in holders)
