"""Which folders a machine and a person cannot do without. Paths as text, nothing is looked up."""

import posixpath
from dataclasses import dataclass
from enum import Enum, auto
from fnmatch import fnmatchcase

from automode.core.paths import normal, within
from automode.core.workspace import Workspace
from automode.guards.guard import words
from automode.shell.script import HOLE

WHOLE_TREES = words(
    "/etc /usr /bin /boot /sbin /lib /lib32 /lib64 /libx32 /sys /proc /dev /system /private/etc"
    " /c/windows /mnt/c/windows"
)
"""Nothing below these is anyone's to delete by hand, except below `LOCAL`."""

LOCAL = ("/usr/local/", "/dev/shm/", "/usr/src/app/")  # noqa: S108 - names, not uses
SINGLE = words(
    "/ /usr/local /root /library /applications /cores /private /home /users /c"
    " /c/users /mnt/c /mnt/c/users /mnt/wsl /var /private/var /efi /nix /nix/store /snap"
)
FIRST_LEVEL = ("/var", "/private/var", "/library", "/c/programdata")
NOT_FIRST_LEVEL = words("tmp folders www")
WINDOWS_TREES = ("/c/program files", "/c/program files (x86)")
USER_FOLDERS = ("/home", "/users", "/c/users", "/mnt/c/users", "/var/home")
NOT_USERS = words("shared public runner linuxbrew")

PRECIOUS = words(
    ".ssh .gnupg .config .aws .kube .azure .local .local/share .local/bin .password-store .docker"
    " .mozilla .thunderbird .config/gcloud documents desktop downloads pictures music movies videos"
    " library library/keychains library/preferences appdata onedrive .claude .codex .pi .gemini"
    " .qwen"
)
"""Folders of a home whose loss as a whole is never a small thing."""


class Loss(Enum):
    SYSTEM = auto()
    HOME = auto()
    OF_HOME = auto()  # a folder in it
    WORKSPACE = auto()  # all of it, and nothing beside it
    AROUND_WORKSPACE = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Lost:
    """What would be lost, and how a sentence names it."""

    kind: Loss
    text: str


ROOT = Lost(Loss.OTHER, "the root folder")
SYSTEM_FOLDER = Lost(Loss.SYSTEM, "a system folder")
PART_OF_SYSTEM = Lost(Loss.SYSTEM, "a part of the system")


def home_of(path: str, workspace: Workspace) -> str | None:
    """The home folder that the absolute `path` is or lies in."""
    if within(path, workspace.home):
        return workspace.home
    if within(path, "/root"):
        return "/root"
    for folder in USER_FOLDERS:
        if within(path, folder) and path.casefold() != folder:
            return posixpath.join(path[: len(folder)], path[len(folder) + 1 :].split("/", 1)[0])
    return None


def essential(path: str, workspace: Workspace, *, tree: bool = True) -> Lost | None:
    """What would be lost with the absolute `path` as a whole, or None. With `tree`, places below
    system folders count as well."""
    low = path.casefold()
    if low in SINGLE or low in WHOLE_TREES or low in WINDOWS_TREES:
        return ROOT if low == "/" else SYSTEM_FOLDER
    if len(low) == 2 and low[1].isalpha() and low in ("/c", "/d", "/e"):
        return Lost(Loss.OTHER, "a drive")
    if low == f"/{HOLE}":
        return Lost(Loss.OTHER, "a folder right below the root folder")
    return (
        _home(path, workspace)
        or _workspace(path, workspace)
        or (_system(low) if tree else None)
        or _first_level(low)
    )


def _home(path: str, workspace: Workspace) -> Lost | None:
    home = home_of(path, workspace)
    if home is None:
        return None
    rest = path[len(home) :].strip("/").casefold()
    if not rest:
        name = posixpath.basename(home).casefold()
        return None if name in NOT_USERS else Lost(Loss.HOME, "a home folder")
    precious = Lost(Loss.OF_HOME, "a folder of a home that cannot be replaced")
    return precious if rest in PRECIOUS else None


def _workspace(path: str, workspace: Workspace) -> Lost | None:
    for root in workspace.folders:
        if within(root, path):
            if path.casefold() == root.casefold():
                return Lost(Loss.WORKSPACE, "the whole workspace")
            return Lost(Loss.AROUND_WORKSPACE, "a folder that holds the workspace")
    return None


def _system(low: str) -> Lost | None:
    if low.startswith(LOCAL):
        return None
    trees = (*WHOLE_TREES, *WINDOWS_TREES)
    return PART_OF_SYSTEM if any(low.startswith(f"{tree}/") for tree in trees) else None


def _first_level(low: str) -> Lost | None:
    folder, _, name = low.rpartition("/")
    if folder in FIRST_LEVEL and name not in NOT_FIRST_LEVEL and HOLE not in name:
        return SYSTEM_FOLDER
    return None


def covers_all(pattern: str) -> bool:
    """Whether a glob takes every name, or every hidden name, of its folder."""
    bare = pattern.replace("[!.]", "?").replace("[^.]", "?").lstrip(".")
    return bool(bare) and set(bare) <= {"*", "?"} and "*" in bare


def essential_match(pattern: str, workspace: Workspace, *, tree: bool = True) -> Lost | None:
    """What a glob, as an absolute pattern, would take away as a whole."""
    folder, _, last = pattern.rpartition("/")
    while last and covers_all(last):
        # All of a folder's content is as good as the folder.
        folder = folder or "/"
        if not any(mark in folder for mark in "*?["):
            found = essential(folder, workspace, tree=tree)
            return Lost(found.kind, f"all of {found.text}") if found else None
        folder, _, last = folder.rpartition("/")
    if last == "" and pattern.startswith("/"):
        return Lost(Loss.OTHER, "all of the root folder")
    low = pattern.casefold()
    for place in known_places(workspace):
        if place.count("/") == low.count("/") and _matches(place, low):
            return Lost(_kind(place), f"`{place}`, which it matches")
    return _system(low) if tree else None


def _kind(place: str) -> Loss:
    if place in SINGLE or place in WHOLE_TREES:
        return Loss.SYSTEM
    return Loss.HOME if within(place, "/home") else Loss.OTHER


def known_places(workspace: Workspace) -> tuple[str, ...]:
    home = normal(workspace.home).casefold()
    inside = tuple(f"{home}/{name}" for name in PRECIOUS)
    roots = tuple(root.casefold() for root in workspace.folders)
    return (*SINGLE, *WHOLE_TREES, home, *inside, *roots)


def _matches(place: str, pattern: str) -> bool:
    """Matches part by part: `*` does not cross a slash, nor take a leading dot."""
    for part, wanted in zip(place.split("/"), pattern.split("/"), strict=True):
        if part.startswith(".") and not wanted.startswith("."):
            return False
        if part != wanted and not fnmatchcase(part, wanted):
            return False
    return True
