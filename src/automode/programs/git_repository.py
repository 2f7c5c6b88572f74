"""Whether the repository's own configuration can make a reading git command run a helper.

The person's own configuration (`~/.gitconfig`) is trusted; what lies in a checkout is not.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Flag, auto
from functools import lru_cache

from automode.core.files import Files, Kind
from automode.core.paths import absolute, parents, within
from automode.core.workspace import Workspace
from automode.programs.git_config import BadConfig, Setting, parse
from automode.programs.use import READS, Use, runs, unknown

FILE_BYTES = 64 * 1024
FILES_READ = 48
LEVELS = 64


class Hazard(Flag):
    """Groups of settings through which a command may start a helper."""

    NONE = 0
    PAGER = auto()
    WORKTREE = auto()  # looks at files of the checkout: filters, index hook
    DIFF = auto()  # shows contents: external diff and text conversion
    LOG = auto()  # shows commits: signatures, formats
    CONTENT = auto()  # needs objects that a partial clone would fetch first
    ARCHIVE = auto()
    TRAILER = auto()


_KEYS: dict[Hazard, re.Pattern[str]] = {
    Hazard.PAGER: re.compile(r"core\.pager|pager\..*"),
    Hazard.WORKTREE: re.compile(r"filter\..*\.(clean|smudge|process)|hook\..*\.command", re.S),
    Hazard.DIFF: re.compile(r"diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver", re.S),
    Hazard.LOG: re.compile(r"log\.showsignature|format\.pretty|pretty\..*", re.S),
    Hazard.CONTENT: re.compile(r"remote\..*\.promisor|extensions\.partialclone", re.S),
    Hazard.ARCHIVE: re.compile(r"tar\..*\.command", re.S),
    Hazard.TRAILER: re.compile(r"trailer\..*\.(cmd|command)", re.S),
}
_PLAIN_PAGERS = ("", "cat", "less", "more")
_LARGE_FILE_STORAGE = re.compile(r"git-lfs (clean|smudge|filter-process)( --skip)?( -- %f)?")


class Unproved(Exception):
    """The configuration could not be looked at; the text says why."""


@dataclass(frozen=True, slots=True)
class Repository:
    git_dir: str
    common_dir: str  # differs from `git_dir` in a linked worktree
    top: str  # the folder that holds `.git`


@dataclass(frozen=True, slots=True)
class Place:
    """Where a git command runs: the folder, and the repository it names itself if it does."""

    folder: str
    git_dir: str | None = None


def configured(workspace: Workspace, place: Place | None, hazards: Hazard, verb: str = "") -> Use:
    """READS when nothing configured there can run a helper in a command with these hazards."""
    if place is None:
        return unknown("the folder git runs in is not known")
    try:
        look = _Look(workspace)
        repository = look.find(place)
        helper = look.helper(repository, hazards, verb) if repository else None
    except (Unproved, BadConfig) as error:
        return unknown(f"the repository's configuration could not be looked at: {error}")
    return runs(f"the repository's configuration has `{helper}`") if helper else READS


@dataclass(slots=True)
class _Look:
    """One look at one repository, with a budget of files."""

    workspace: Workspace
    read: int = 0
    seen: set[str] = field(default_factory=set)

    @property
    def files(self) -> Files:
        return self.workspace.files

    def resolve(self, base: str, path: str) -> str:
        """`path` as the system would see it from `base`: links first, then `..`."""
        rooted = absolute(path, base) if path[1:2] == ":" else posixpath.join(base, path)
        found = self.files.resolve(rooted)
        if found is None:
            raise Unproved(f"`{path}` cannot be followed")
        return found

    def text(self, path: str) -> str | None:
        """The file's text, None when there is no such file."""
        kind = self.files.kind(path)
        if kind is Kind.MISSING:
            return None
        self.read += 1
        text = self.files.text(path, FILE_BYTES + 1) if kind is Kind.FILE else None
        if text is None or self.read > FILES_READ:
            raise Unproved(f"`{path}` cannot be read")
        # A character takes four bytes at most.
        if len(text) > FILE_BYTES // 4 and len(text.encode("utf-8", "replace")) > FILE_BYTES:
            raise Unproved(f"`{path}` is too large")
        return text

    def find(self, place: Place) -> Repository | None:
        folder = self.resolve(self.workspace.cwd, place.folder)
        self.known(folder)
        if place.git_dir is not None:
            git_dir = self.resolve(folder, place.git_dir)
            self.known(posixpath.dirname(git_dir))
            if posixpath.basename(git_dir) != ".git":
                raise Unproved(f"`{place.git_dir}` is an unusual repository")
            return self.at(posixpath.dirname(git_dir))
        for level in (folder, *parents(folder)[:LEVELS]):
            if found := self.at(level):
                return found
            self.not_bare(level)
        return None

    def known(self, folder: str) -> None:
        """Outside the workspace only a folder that can really be seen counts: where nothing can
        be looked at, somebody else's configuration would go unnoticed."""
        if any(within(folder, self.real(root)) for root in self.workspace.folders):
            return
        if self.files.kind(folder) is not Kind.FOLDER or not self.files.names(folder, 1):
            raise Unproved(f"`{folder}` is outside the workspace and cannot be seen")

    def real(self, root: str) -> str:
        return self.files.resolve(root) or root

    def at(self, top: str) -> Repository | None:
        """The repository whose `.git` stands in `top`."""
        dot_git = posixpath.join(top, ".git")
        kind = self.files.kind(dot_git)
        if kind is Kind.MISSING:
            return None
        if kind is Kind.FILE:
            dot_git = self.pointed_to(dot_git, top)
        elif kind is not Kind.FOLDER:
            raise Unproved(f"`{dot_git}` is no folder")
        if self.files.kind(posixpath.join(dot_git, "HEAD")) is not Kind.FILE:
            # git would walk on to a repository further up; which one is not worth guessing.
            raise Unproved(f"`{dot_git}` is no proper repository")
        shared = self.text(posixpath.join(dot_git, "commondir"))
        common = self.resolve(dot_git, shared.strip()) if shared else dot_git
        return Repository(dot_git, common, top)

    def pointed_to(self, dot_git: str, top: str) -> str:
        text = self.text(dot_git) or ""
        if not text.startswith("gitdir: "):
            raise Unproved(f"`{dot_git}` is no proper repository")
        return self.resolve(top, text.removeprefix("gitdir: ").rstrip("\r\n"))

    def not_bare(self, level: str) -> None:
        """A folder that is itself laid out as a repository brings its own configuration, and a
        checkout can contain one."""
        present = {
            name
            for name in ("objects", "refs", "commondir")
            if self.files.kind(posixpath.join(level, name)) is not Kind.MISSING
        }
        if "commondir" in present or len(present) == 2:
            raise Unproved(f"`{level}` looks like a bare repository")

    def helper(self, repository: Repository, hazards: Hazard, verb: str) -> str | None:
        """The first setting or hook that would run something, None when there is none."""
        if repository.git_dir in self.seen:
            return None
        self.seen.add(repository.git_dir)
        settings = [
            *self.settings(posixpath.join(repository.common_dir, "config")),
            *self.settings(posixpath.join(repository.git_dir, "config.worktree")),
        ]
        alias, risky = f"alias.{verb}", _risky(hazards)
        for setting in settings:
            key = setting.key
            if key == alias or _monitors(setting):
                return key
            if risky.fullmatch(key) and _runs(setting, hazards):
                return key
        self.same_top(repository, settings)
        if Hazard.WORKTREE not in hazards:
            return None
        return self.hook(repository, settings) or self.submodules(repository, hazards)

    def settings(self, path: str, depth: int = 0) -> Iterator[Setting]:
        for setting in parse(self.text(path) or ""):
            yield setting
            if setting.section in ("include", "includeif") and setting.name == "path":
                if depth >= 4 or setting.value.startswith("%"):
                    raise Unproved("an include cannot be followed")
                included = self.expanded(setting.value, posixpath.dirname(path))
                yield from self.settings(included, depth + 1)

    def expanded(self, path: str, base: str) -> str:
        if path.startswith("~/"):
            return self.resolve(self.workspace.home, path[2:])
        if path.startswith(("~", "%")):
            raise Unproved(f"`{path}` cannot be followed")
        return self.resolve(base, path)

    def same_top(self, repository: Repository, settings: list[Setting]) -> None:
        for setting in settings:
            if setting.key != "core.worktree":
                continue
            if self.resolve(repository.git_dir, setting.value) != self.real(repository.top):
                raise Unproved("`core.worktree` leads elsewhere")

    def hook(self, repository: Repository, settings: list[Setting]) -> str | None:
        """Refreshing the index, as `git status` does, runs the `post-index-change` hook."""
        folders = [posixpath.join(repository.common_dir, "hooks")]
        for setting in settings:
            if setting.key == "core.hookspath":
                folders.append(self.expanded(setting.value, repository.top))
        for folder in folders:
            hook = posixpath.join(folder, "post-index-change")
            if self.files.kind(hook) is not Kind.MISSING:
                return "hooks/post-index-change"
        return None

    def submodules(self, repository: Repository, hazards: Hazard) -> str | None:
        """git asks each checked-out submodule for its status, under that one's configuration."""
        listed = self.text(posixpath.join(repository.top, ".gitmodules"))
        for setting in parse(listed or ""):
            if setting.section == "submodule" and setting.name == "path":
                inner = self.at(self.resolve(repository.top, setting.value))
                if inner and (found := self.helper(inner, hazards, "")):
                    return found
        return None


def _monitors(setting: Setting) -> bool:
    """Reading the index starts the monitor, and even `git rev-parse :file` reads the index."""
    return setting.key == "core.fsmonitor" and setting.switch is None


@lru_cache(maxsize=256)
def _risky(hazards: Hazard) -> re.Pattern[str]:
    """Every key that counts for these hazards."""
    keys = [pattern for hazard, pattern in _KEYS.items() if hazard in hazards]
    return re.compile("|".join(f"(?{'s' if k.flags & re.S else ''}:{k.pattern})" for k in keys))


def _runs(setting: Setting, hazards: Hazard) -> bool:
    for hazard, keys in _KEYS.items():
        if hazard in hazards and keys.fullmatch(setting.key):
            return not _harmless(setting, hazard)
    return False


def _harmless(setting: Setting, hazard: Hazard) -> bool:
    if hazard is Hazard.LOG and setting.name != "showsignature":
        return "%G" not in setting.value
    if hazard is Hazard.PAGER:
        switched = setting.section == "pager" and setting.switch is not None
        return switched or setting.value in _PLAIN_PAGERS
    if hazard is Hazard.WORKTREE and setting.section == "filter":
        return bool(_LARGE_FILE_STORAGE.fullmatch(setting.value)) or not setting.value
    if setting.name in ("showsignature", "promisor"):
        return setting.switch is False
    return not setting.value
