"""git's configuration: the text of a file, the keys that are known to be harmless, and whether all
that is configured for a command, here and for the person, is harmless for it.

The parser refuses what git refuses: a looser one could be shown a helper that it overlooks. Any
other key, in any file that git would read, means that nothing is proved: one that a later version
of git adds is not taken for a harmless one.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Flag, auto
from functools import lru_cache

from automode.core.paths import absolute, parents, within
from automode.core.word_lists import word_sets
from automode.core.workspace import Files, Kind, Workspace
from automode.programs.use import READS, Effect, Use, runs, unknown

LONGEST_KEPT = 8_192  # characters of a file whose settings are kept
_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"', "\n": ""}


class BadConfig(Exception):
    """The text is not a git configuration, or is written in a way this parser does not follow."""


@dataclass(frozen=True, slots=True)
class Setting:
    """`section` and `name` in lower case; `subsection` as written."""

    section: str
    subsection: str
    name: str
    value: str
    key: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        middle = f"{self.subsection}." if self.subsection else ""
        object.__setattr__(self, "key", f"{self.section}.{middle}{self.name}")

    @property
    def switch(self) -> bool | None:
        """What the value means as a switch, None when it is something else."""
        word = self.value.strip().lower()
        if word in ("true", "yes", "on", "1"):
            return True
        return False if word in ("false", "no", "off", "0", "") else None


_SKIPPED = re.compile(r"(?:[ \t\r\n]|[#;][^\n]*)*")
_HEADER = re.compile(r'\[(?!\.)([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]')
_NAME = re.compile(r"([A-Za-z][A-Za-z0-9-]*)[ \t]*(=|(?=\n))")
_ESCAPE = re.compile(r'\\([tbn\\"\n])')
_PIECE = re.compile(
    r'"(?P<quoted>(?:[^"\\\n]|\\[tbn\\"\n])*)"|(?P<plain>(?:[^"\\#; \t\r\n]|\\[tbn\\"\n])+)'
    r"|(?P<blank>[ \t\r]+)|[#;][^\n]*"
)


def parse(text: str) -> tuple[Setting, ...]:
    """Every setting in the order written; raises BadConfig where git would give up."""
    return _kept_settings(text) if len(text) <= LONGEST_KEPT else _settings(text)


def _settings(text: str) -> tuple[Setting, ...]:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"
    found: list[Setting] = []
    section = subsection = ""
    at = _match(_SKIPPED, text, 0).end()
    while at < len(text):
        if header := _HEADER.match(text, at):
            # `[branch.main]` is the old way to write `[branch "main"]`.
            section, _, old = header[1].lower().partition(".")
            inner = re.sub(r"\\(.)", r"\1", header[2] or "")
            subsection = ".".join(part for part in (old, inner) if part)
            at = header.end()
        else:
            name = _match(_NAME, text, at if section else len(text))
            value, at = _value(text, name.end()) if name[2] else ("true", name.end())
            found.append(Setting(section, subsection, name[1].lower(), value))
        at = _match(_SKIPPED, text, at).end()
    return tuple(found)


def _match(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str]:
    found = pattern.match(text, at)
    if found is None:
        raise BadConfig("it is not written the way git reads it")
    return found


def _value(text: str, at: int) -> tuple[str, int]:
    """A value and where it ends. Blanks around it do not belong to it."""
    value, keep = "", 0
    while text[at : at + 1] != "\n":
        piece = _match(_PIECE, text, at)
        at = piece.end()
        if piece["blank"]:
            value += piece[0] if value else ""
        elif piece.lastgroup:
            value += _ESCAPE.sub(lambda one: _ESCAPES[one[1]], piece[piece.lastgroup])
            keep = len(value)
    return value[:keep], at


# Every git command asks for the same few files, and what one says depends on its text alone.
_kept_settings = lru_cache(maxsize=64)(_settings)

WORDS = word_sets("automode.programs")


class Family(Flag):
    """What a command does that a setting can turn into more than reading."""

    NONE = 0
    DATA = auto()  # reads the index or objects, which a partial clone fetches when they are missing
    PAGER = auto()
    WORKTREE = auto()  # looks at files of the checkout: filters, the hook of the index
    EXTERNAL = auto()  # may hand a comparison to another program
    TEXTCONV = auto()  # shows contents, which drivers convert or merge first
    LOG = auto()  # shows commits in the configured format
    GREP = auto()
    FSCK = auto()
    TRAILER = auto()
    LFS = auto()  # a program of its own: another command stands in for it where it is missing
    PRINTS = auto()  # prints settings


_FOR_CHANGES = WORDS["git-keys-for-changes"]
_ON_OR_OFF = r"(?i:true|false|yes|no|on|off|0|1)?"
_OFF = r"(?i:false|no|off|0)?"
_LESS = (
    r"less(?: (?:-[aeEfFgGiIJKmMnNqQrRsSuUwWXx0-9,]+|--(?:tabs=[\d,]+|RAW-CONTROL-CHARS|mouse)))*"
)
_PAGER = rf"cat|more|most|bat|delta|(?:diff-so-fancy \| |diff-highlight \| )?{_LESS}"
_ATOMS = (
    "refname object[a-z]* deltabase tree parent numparent type tag[a-z]* author[a-z]* "
    "committer[a-z]* creator[a-z]* subject body contents upstream push symref flag HEAD "
    "worktreepath ahead-behind color align end if then else trailers rest raw decorate path stage "
    "eolinfo eolattr"
)
_FORMAT = (
    r"(?:[^%]|%%|%[-+ ]?(?:[HhTtPpeSsfbBNdDnm]|[ac][nNeElLdDrtiIsh]|g[dDnNeEs]|x?[0-9a-fA-F]{2}"
    r"|C(?:auto|red|green|blue|reset|\([^()%]*\))|w\([^()%]*\)|[<>][<>|]*\([^()%]*\)"
    rf"|\(\*?(?:{'|'.join(_ATOMS.split())})(?:[:=,](?:[^()%]|%x[0-9a-fA-F]{{2}})*)?\)))*"
)

# Harmless for every command when the whole value fits. No part of a format holds a `%` that git
# would read by itself where it does not understand the part.
_VALUES: dict[str, str] = {
    "core.fsmonitor core.usebuiltinfsmonitor": _ON_OR_OFF,
    "core.pager": f"|{_PAGER}",
    "pager.*": rf"{_ON_OR_OFF}|{_PAGER}",
    "log.showsignature remote.*.promisor status.submodulesummary core.splitindex": _OFF,
    "submodule.recurse grep.fallbacktonoindex merge.renormalize": _OFF,
    "help.autocorrect": rf"{_OFF}|never|prompt|show",
    "format.pretty pretty.*": _FORMAT,
    "filter.lfs.clean filter.lfs.smudge filter.lfs.process": (
        r"|git-lfs (?:clean|smudge|filter-process)(?: --skip)?(?: -- %f)?"
    ),
    "filter.*.clean filter.*.smudge filter.*.process diff.external": "",
    "diff.submodule": "short|log",
    "core.excludesfile": r"|[^\0]*(?:ignore|exclude)[\w.-]*",
    "core.attributesfile": r"|[^\0]*attributes[\w.-]*",
    "mailmap.file": r"|[^\0]*mailmap[\w.-]*",
    "blame.ignorerevsfile": r"|[^\0]*ignore[-_]?revs?[\w.-]*",
}

_SECRET_NAME = re.compile(r"token|passw|^(?:smtp|db)?pass$|secret|extraheader|oauth|api-?key", re.I)
_SECRET_ADDRESS = re.compile(r"://(?:[^/\s@]*:[^/\s@]+|[^/\s@]{20,})@|[?&;][\w-]*(?:token|key)=")


def _pattern_of(keys: Iterable[str]) -> str:
    return "|".join(re.escape(key).replace(r"\*", ".*") for key in keys)


_ROWS = tuple(
    (family, re.compile(_pattern_of(WORDS[f"git-keys-{str(family.name).lower()}"]), re.S))
    for family in (Family.NONE, *Family)
    if family is not Family.PRINTS
)


@lru_cache(maxsize=4_096)
def _is_listed(key: str, families: Family) -> bool:
    """Whether a key is harmless, whatever its value, for a command of these families."""
    return any(not family & families and keys.fullmatch(key) for family, keys in _ROWS)


_CHANGES = re.compile(_pattern_of(_FOR_CHANGES), re.S)
_BY_VALUE = tuple(
    (re.compile(_pattern_of(keys.split()), re.S), re.compile(value))
    for keys, value in _VALUES.items()
)


def plain_format(text: str) -> bool:
    """Whether a format asks for nothing but what is known to be read: `%G?` would run gpg."""
    return re.fullmatch(_FORMAT, text) is not None


def harmless(setting: Setting, families: Family) -> bool:
    if Family.PRINTS in families and secret(setting):
        return False
    return _is_listed(setting.key, families) or any(
        keys.fullmatch(setting.key) and value.fullmatch(setting.value) for keys, value in _BY_VALUE
    )


def harmless_for_changes(setting: Setting) -> bool:
    return _CHANGES.fullmatch(setting.key) is not None


def secret(setting: Setting) -> bool:
    """Whether printing the setting would print a credential."""
    named = _SECRET_NAME.search(setting.name) is not None
    return named or _SECRET_ADDRESS.search(f"{setting.subsection} {setting.value}") is not None


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


def configured(
    workspace: Workspace, folder: str, families: Family, verb: str
) -> tuple[Repository, tuple[Setting, ...]] | None:
    """The repository of a folder and all that is configured there. None where something is not
    harmless for a command of these families, or cannot be looked at."""
    look = _Look(workspace, families, verb)
    try:
        repository = look.find(Place(folder))
        if repository is None or look.first(Place(folder)) is not None:
            return None
        files = (f"{repository.common_dir}/config", f"{repository.git_dir}/config.worktree")
        own = [setting for path in files for setting in look.settings(path)]
        return repository, (*look.shared_settings(), *own)
    except (Unproved, BadConfig):
        return None


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
