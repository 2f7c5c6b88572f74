"""Whether everything configured for git, here and for the person, is harmless for a command."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from automode.core.paths import absolute, parents, within
from automode.core.workspace import Files, Kind, Workspace
from automode.programs.git_settings import BadConfig, Family, Setting, harmless, parse, secret
from automode.programs.use import READS, Effect, Use, runs, unknown

FILE_BYTES = 64 * 1024
FILES_READ = 64
LEVELS = 64
_SYSTEM_CONFIGS = ("/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
_OWN_CONFIGS = (".config/git/config", ".gitconfig")
_SUBMODULE_PATH = ("submodule", "path")


class Unproved(Exception):
    """The configuration could not be looked at; the text says why."""


@dataclass(frozen=True, slots=True)
class Repository:
    git_dir: str
    common_dir: str  # differs from `git_dir` in a linked worktree
    top: str  # the folder that holds `.git`


@dataclass(frozen=True, slots=True)
class Place:
    """Where a git command runs: the folder, and the repository, checkout and settings it names."""

    folder: str
    git_dir: str | None = None
    work_tree: str | None = None
    settings: tuple[Setting, ...] = ()


def configuration_use(
    workspace: Workspace, place: Place | None, families: Family, verb: str = ""
) -> Use:
    """READS when everything configured there is harmless for a command of these families."""
    if place is None:
        return unknown("the folder git runs in is not known")
    look = _Look(workspace, families, verb)
    try:
        found = look.first(place)
    except (Unproved, BadConfig) as error:
        return unknown(f"git's configuration could not be looked at: {error}")
    if found is None:
        return READS
    if found.section != "hooks" and Family.PRINTS in families and secret(found):
        return Use(Effect.SECRETS, f"`{found.key}` may hold a credential")
    return runs(f"`{found.key}` is set, which is not known to be harmless for `git {verb}`")


def repository_of(workspace: Workspace, place: Place) -> Repository | None:
    """The repository of a place; raises Unproved."""
    return _Look(workspace, Family.NONE, "").find(place)


@dataclass(slots=True)
class _Look:
    """One look at one repository and all configuration that git reads there."""

    workspace: Workspace
    families: Family
    verb: str
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

    def first(self, place: Place) -> Setting | None:
        """The first setting or hook that is not known to be harmless, None when there is none."""
        repository = self.find(place)
        shared = [*place.settings, *self.shared_settings()]
        if any(setting.section in ("include", "includeif") for setting in place.settings):
            raise Unproved("an include is given with `-c`")
        found = self.objection(shared)
        if repository is None or found is not None:
            return found
        self.same_tree(repository, place)
        return self.inside(repository, shared)

    def shared_settings(self) -> Iterator[Setting]:
        """What counts in every repository."""
        homes = dict.fromkeys((self.workspace.home, self.workspace.other_home))
        own = (posixpath.join(home, name) for home in homes if home for name in _OWN_CONFIGS)
        for path in (*_SYSTEM_CONFIGS, *own):
            yield from self.settings(path)

    def objection(self, settings: Iterable[Setting]) -> Setting | None:
        for setting in settings:
            aliased = setting.subsection or setting.name
            if setting.section == "alias" and aliased.lower() == self.verb:
                return setting
            if not harmless(setting, self.families):
                return setting
        return None

    def find(self, place: Place) -> Repository | None:
        folder = self.resolve(self.workspace.cwd, place.folder)
        self.check_known(folder)
        if place.git_dir is not None:
            git_dir = self.resolve(folder, place.git_dir)
            self.check_known(posixpath.dirname(git_dir))
            if posixpath.basename(git_dir) != ".git":
                raise Unproved(f"`{place.git_dir}` is an unusual repository")
            return self.at(posixpath.dirname(git_dir))
        for level in (folder, *parents(folder)[:LEVELS]):
            if found := self.at(level):
                return found
            self.not_bare(level)
        return None

    def check_known(self, folder: str) -> None:
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

    def inside(self, repository: Repository, shared: list[Setting]) -> Setting | None:
        """The first objection in a repository and those that lie in its checkout."""
        if repository.git_dir in self.seen:
            return None
        self.seen.add(repository.git_dir)
        settings = [
            *self.settings(posixpath.join(repository.common_dir, "config")),
            *self.settings(posixpath.join(repository.git_dir, "config.worktree")),
        ]
        if found := self.objection(settings):
            return found
        for setting in (*shared, *settings):
            if setting.key == "core.worktree":
                self.same_top(repository, setting.value)
        if Family.WORKTREE not in self.families:
            return None
        found = self.hook(repository, (*shared, *settings))
        return found or self.submodules(repository, shared)

    def settings(self, path: str, depth: int = 0) -> Iterator[Setting]:
        for setting in parse(self.text(path) or ""):
            yield setting
            if setting.section in ("include", "includeif") and setting.name == "path":
                if depth >= 4:
                    raise Unproved("an include cannot be followed")
                included = self.expand(setting.value, posixpath.dirname(path))
                yield from self.settings(included, depth + 1)

    def expand(self, path: str, base: str) -> str:
        """As git does it: `..` and links are left to the system."""
        if path.startswith("~/"):
            return posixpath.join(self.workspace.home, path[2:])
        if path.startswith(("~", "%", ":")):
            raise Unproved(f"`{path}` cannot be followed")
        return posixpath.join(base, path)

    def same_top(self, repository: Repository, tree: str) -> None:
        if self.resolve(repository.git_dir, tree) != self.real(repository.top):
            raise Unproved("`core.worktree` leads elsewhere")

    def same_tree(self, repository: Repository, place: Place) -> None:
        """A command that reads files of the checkout must not take another folder for it."""
        if Family.WORKTREE not in self.families:
            return
        if place.git_dir is None and place.work_tree is None:
            return
        folder = self.resolve(self.workspace.cwd, place.folder)
        tree = self.resolve(folder, place.work_tree or ".")
        if not within(tree, self.real(repository.top)):
            raise Unproved(f"`{tree}` is taken for the checkout of another repository")

    def hook(self, repository: Repository, settings: Iterable[Setting]) -> Setting | None:
        """Refreshing the index, as `git status` does, runs the `post-index-change` hook."""
        folders = [posixpath.join(repository.common_dir, "hooks")]
        for setting in settings:
            if setting.key == "core.hookspath":
                folders.append(self.expand(setting.value, repository.top))
        for folder in folders:
            hook = posixpath.join(folder, "post-index-change")
            if self.files.kind(hook) not in (Kind.MISSING, Kind.OTHER):
                return Setting("hooks", "", "post-index-change", hook)
        return None

    def submodules(self, repository: Repository, shared: list[Setting]) -> Setting | None:
        """git asks each checked-out repository inside for its status, under its configuration."""
        listed = self.text(posixpath.join(repository.top, ".gitmodules"))
        paths = [s.value for s in parse(listed or "") if (s.section, s.name) == _SUBMODULE_PATH]
        for path in dict.fromkeys((*paths, *self.gitlinks(repository))):
            folder = posixpath.join(repository.top, path)
            inner = self.at(folder) if self.files.kind(folder) is Kind.FOLDER else None
            if inner and (found := self.inside(inner, shared)):
                return found
        return None

    def gitlinks(self, repository: Repository) -> tuple[str, ...]:
        index = posixpath.join(repository.git_dir, "index")
        if self.files.kind(index) is Kind.MISSING:
            return ()
        split = any(n.startswith("sharedindex.") for n in self.files.names(repository.git_dir, 512))
        found = None if split else self.files.gitlinks(index)
        if found is None:
            raise Unproved("the index may name repositories inside this one")
        return found
