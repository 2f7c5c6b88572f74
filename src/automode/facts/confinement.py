"""What of this disk a confined call must not change, and what it may read."""

import glob
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from automode.agents.catalog import INSTALLED
from automode.core.errors import AutomodeError
from automode.core.word_lists import word_lists
from automode.core.workspace import Workspace
from automode.facts.git import NotKnown, git_folders
from automode.guards.reads.credentials import is_credential, shows_token

MOST_NAMES = 60_000
MOST_BESIDE = 200

MOST_WATCHED = 40
MOST_IN_A_FOLDER = 12
LONGEST_SETTINGS = 65_536

_LISTS = word_lists("automode.guards.reads", "credentials")
_VISIBLE = word_lists("automode.facts", "visible")
_TELLING = re.compile(r"credential|token|secret|passw|\bauth\b|netrc|\.pem$|\.key$|\.env\b", re.I)
"""In a name: a file that is not shown, whatever it holds."""
_SERVICE = re.compile("|".join(map(re.escape, _VISIBLE["services"])))
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


@dataclass(frozen=True, slots=True)
class Sight:
    """What a confined call sees of the disk: `hidden` without `readable`, which lies in it."""

    hidden: tuple[str, ...]
    readable: tuple[str, ...]
    watched: tuple[str, ...]
    """Files with credentials that no program looks for by itself."""
    services: tuple[str, ...]
    """Sockets below /run."""


def sight(place: Workspace, homes: Iterable[str], own: Sequence[str]) -> Sight:
    """`own` are folders that are hidden too. By a list of what programs need: what is not on it is
    not there."""
    homes = tuple(dict.fromkeys(homes))
    roots = [os.path.realpath(one) for one in place.folders]
    secret = (*credentials(homes, roots[0]), *own)
    with os.scandir("/") as entries:
        tops = [one for one in entries if not one.is_symlink()]
    folders = {one.path for one in tops if one.name not in _VISIBLE["system"]}
    folders.update(map(os.path.realpath, homes))
    hidden = folders.difference(("/", *roots))
    listed = [*_VISIBLE["programs"], *_repository(place)]
    listed += [f"{home}/{one}" for home in homes for one in _VISIBLE["home"]]
    listed += [one for one in (*homes, *place.folders) if os.path.realpath(one) != one]
    shown = [one for one in listed if not _shows_token(one)]
    readable = [part for one in shown for part in _parts(one, secret, hidden)]
    return Sight(
        hidden=tuple(sorted(hidden.union(secret))),
        readable=tuple(dict.fromkeys(readable)),
        watched=tuple(dict.fromkeys(_watched(homes, secret)))[:MOST_WATCHED],
        services=services(),
    )


def _parts(path: str, secret: Sequence[str], hidden: Iterable[str]) -> Iterator[str]:
    """A path without the secrets in it: where a folder holds one, its entries one by one."""
    real = os.path.realpath(path)
    if any(is_within(real, one) for one in secret):
        return
    if not os.path.exists(real):
        return
    if real != path:
        yield path  # the links on the way
    if real in hidden or not any(is_within(real, one) for one in hidden):
        return  # it is not shown, or can be seen anyway
    entries = list(os.scandir(real)) if os.path.isdir(real) else []
    telling = {entry.name for entry in entries if _is_telling(entry)}
    if not telling and not any(is_within(one, real) for one in secret):
        yield real
        return
    for name in sorted(entry.name for entry in entries)[:MOST_BESIDE]:
        if name not in telling and not _leads_out(f"{real}/{name}", real, hidden):
            yield from _parts(f"{real}/{name}", secret, hidden)


def _leads_out(path: str, folder: str, hidden: Iterable[str]) -> bool:
    """Whether a link in a folder leads to what that folder does not show: elsewhere in hidden ones,
    or to a credential."""
    real = os.path.realpath(path)
    if real == path or not any(is_within(real, one) for one in hidden):
        return False
    return not is_within(real, folder) or _is_named_so(real)


def _is_telling(entry: os.DirEntry[str]) -> bool:
    """Whether a file is called like a credential, and is no program."""
    if not _is_named_so(entry.path) or not entry.is_file(follow_symlinks=False):
        return False
    return not entry.stat(follow_symlinks=False).st_mode & stat.S_IXUSR


def _is_named_so(path: str) -> bool:
    return bool(_TELLING.search(os.path.basename(path))) or is_credential(path, "")


def _shows_token(path: str) -> bool:
    """Whether a file of settings does, or may: one that is too long to be looked at."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(LONGEST_SETTINGS + 1)
    except OSError:
        return True
    return len(text) > LONGEST_SETTINGS or shows_token(text)


def _repository(place: Workspace) -> tuple[str, ...]:
    """git's own folders, where they lie elsewhere: the workspace is a linked working tree."""
    found: list[str] = []
    for root in place.folders:
        try:
            found += map(os.path.normpath, git_folders(root, place))
        except NotKnown:
            continue
    elsewhere = [one for one in found if not is_within(one, place.root)]
    return tuple(one for one in elsewhere if os.path.isfile(f"{one}/HEAD"))


def _watched(homes: Sequence[str], secret: Iterable[str]) -> Iterator[str]:
    looked_for = [
        f"{os.path.realpath(home)}/{one}" for home in homes for one in _VISIBLE["looked-for"]
    ]
    for path in secret:
        for one in _files(path):
            if one.endswith("_history"):
                continue  # a shell opens its own when it starts
            wanted = any(is_credential(one, home) for home in homes)
            if wanted and not any(fnmatchcase(one, pattern) for pattern in looked_for):
                yield one


def _files(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
        return
    found = (
        os.path.join(folder, name) for folder, _, names in os.walk(path) for name in sorted(names)
    )
    for _, one in zip(range(MOST_IN_A_FOLDER), found, strict=False):
        yield one


def services(table: str = "/proc/net/unix") -> tuple[str, ...]:
    """Sockets of this machine below /run that act for whoever connects, by their names."""
    try:
        with open(table, encoding="utf-8", errors="surrogateescape") as file:
            rows = [line.rstrip("\n").split(None, 7) for line in file]
    except OSError:
        return ()
    paths = {os.path.realpath(row[7]) for row in rows if row[7:] and row[7][0] == "/"}
    return tuple(sorted(one for one in paths if one.startswith("/run/") and _SERVICE.search(one)))


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


@dataclass(frozen=True, slots=True)
class Inside:
    """Of a workspace: protected paths, with those that nobody may make; sockets and named pipes."""

    protected: tuple[str, ...]
    channels: tuple[str, ...]


def inside(root: str, matches: Callable[[str], bool]) -> Inside:
    """No link is followed, and no protected folder is entered. Raises TooMany."""
    protected = [f"{root}/{name}" for name in dict.fromkeys(_CREATED_LATER) if "*" not in name]
    channels: list[str] = []
    left, folders = MOST_NAMES, [root]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        raise TooMany(root)
                    if matches(entry.path[len(root) :]):
                        protected.append(entry.path)
                    elif entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                        channels.append(entry.path)
        except PermissionError:
            continue
    return Inside(tuple(dict.fromkeys(protected)), tuple(channels))
