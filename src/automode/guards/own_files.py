"""Which files keep the gate standing: automode's own, and the hosts' switches and records.

They are named by where they are, never by what they are called: a project about auto mode may call
its files what it likes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from automode.agents.catalog import INSTALLED
from automode.core.paths import absolute, parents, within
from automode.core.workspace import Files, Kind

MANIFEST = ".claude-plugin"
_HOOKS = ("hooks", "hooks.json")
MOST_SKILLS = 512


def part_of_mod(path: str, skills: Iterable[str]) -> bool:
    """Whether the path, by its names alone, makes a folder of skills one of plug-ins."""
    below = (names_below(path, folder)[1:3] for folder in skills)
    return any(names[:1] == (MANIFEST,) or names == _HOOKS for names in below)


def filled_mod(path: str, skills: tuple[str, ...]) -> bool:
    """Whether files of unknown names, put there, may make a plug-in."""
    return any(within(path, one) and len(names_below(path, one)) <= 1 for one in skills)


def in_mod(path: str, skills: tuple[str, ...], files: Files) -> bool:
    """Whether it lies inside of what is a plug-in already."""
    for folder in skills:
        parts = names_below(path, folder)
        if parts[1:] and files.kind(f"{folder}/{parts[0]}/{MANIFEST}") is not Kind.MISSING:
            return True
    return False


def real_skills(skills: tuple[str, ...], files: Files) -> Iterator[str]:
    """The same folders where links lead to, each as a folder in which skills lie."""
    for folder in skills:
        yield files.resolve(folder) or folder
        for name in files.links(folder, MOST_SKILLS) or ():
            yield (files.resolve(f"{folder}/{name}") or folder).rpartition("/")[0]


def names_below(path: str, folder: str) -> tuple[str, ...]:
    """The names below a folder, in small letters; none for itself and for what lies elsewhere."""
    low, top = path.casefold().rstrip("/"), folder.casefold()
    return tuple(low[len(top) + 1 :].split("/")) if low.startswith(f"{top}/") else ()


TOKENS = ("decide", "prompt", "person", "http", "answers", "keys.json")


@dataclass(frozen=True, slots=True)
class OwnFolders:
    """Where this installation lies, absolute, each by all its names. Empty: the usual places."""

    config: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    runtime: tuple[str, ...] = ()  # the program itself, and the environment it runs in
    installed: tuple[str, ...] = ()  # files of agents into which automode was installed


@dataclass(frozen=True, slots=True)
class _Folded:
    """Paths without regard to case."""

    paths: frozenset[str]
    prefixes: tuple[str, ...]  # with a slash, for what is below them

    @classmethod
    def of(cls, paths: tuple[str, ...]) -> "_Folded":
        low = [path.casefold() for path in paths]
        return cls(frozenset(low), tuple(f"{path}/" for path in low))

    def cover(self, low: str) -> bool:
        return low in self.paths or low.startswith(self.prefixes)


@dataclass(frozen=True)
class OwnFiles:
    """Absolute paths. A `folder` stands for everything below it."""

    files: tuple[str, ...] = ()  # settings, hooks and permission files
    folders: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()  # the daemon's socket and tokens: not even to be talked to
    transcripts: tuple[str, ...] = ()  # folders of the hosts' session records
    states: tuple[str, ...] = ()  # those of the secrets where tokens lie
    programs: tuple[str, ...] = ()  # automode itself, also where it is worked on
    places: tuple[str, ...] = ()  # the home and the project
    skills: tuple[str, ...] = ()  # folders of skills that may hold plug-ins

    def is_setting(self, path: str) -> bool:
        low = path.casefold()
        listed = low in self._files.paths or self._folders.cover(low)
        return listed or part_of_mod(path, self.skills)

    def removed_with(self, path: str) -> bool:
        """Whether removing `path` as a whole takes one of them away."""
        return path.casefold() in self._with_parents

    def may_be_named(self, path: str) -> bool:
        """Whether the last name is one that they, or the folders of them, have. With another name
        only a link leads there, and that is looked up where something is written for sure."""
        return path.rpartition("/")[2].casefold() in self._last_two_names

    @cached_property
    def holders(self) -> frozenset[str]:
        """The folders in which settings lie; a project or a home is none."""
        folders = frozenset(path.rpartition("/")[0] for path in self._files.paths)
        return folders - _Folded.of(self.places).paths

    def holds(self, path: str) -> bool:
        return path.casefold() in self.holders or filled_mod(path, self.skills)

    @cached_property
    def by_top(self) -> dict[str, list[str]]:
        """All of them by the folder right below a home or a project that they lie in: where that
        does not exist, none of them need be looked for."""
        tops: dict[str, list[str]] = {}
        for path in (*self.files, *self.folders):
            # The innermost place: a project often lies in a home.
            place = max((one for one in self.places if within(path, one)), key=len, default="")
            start = len(place.rstrip("/")) + 1
            top = path[: start + len(path[start:].split("/", 1)[0])] if place else path
            tops.setdefault(top, []).append(path)
        return tops

    def below(self, path: str) -> tuple[str, ...]:
        """Those that lie below `path`."""
        if path.casefold() not in self._with_parents:
            return ()
        return tuple(one for one in (*self.files, *self.folders) if within(one, path))

    def is_transcript(self, path: str) -> bool:
        """Hosts keep notes for the agent beside the records; those are its to write."""
        low = path.casefold()
        return low.endswith((".jsonl", ".json")) and _Folded.of(self.transcripts).cover(low)

    def is_secret(self, path: str) -> bool:
        return self._secrets.cover(path.casefold())

    def is_ours(self, path: str) -> bool:
        """What no fast path may let anybody change."""
        return self.is_setting(path) or _Folded.of(self.programs).cover(path.casefold())

    @cached_property
    def channel(self) -> tuple[str, ...]:
        """The files that let whoever reads or opens them speak in the person's name, and the record
        of all sessions."""
        names = (*(f"tokens/{name}" for name in TOKENS), "signing.key", "daemon.sock", "audit.db")
        return tuple(f"{folder}/{name}" for folder in self.states for name in names)

    @cached_property
    def _files(self) -> _Folded:
        return _Folded.of(self.files)

    @cached_property
    def _folders(self) -> _Folded:
        return _Folded.of(self.folders)

    @cached_property
    def _secrets(self) -> _Folded:
        return _Folded.of(self.secrets)

    @cached_property
    def _with_parents(self) -> frozenset[str]:
        paths = (*self.files, *self.folders)
        return frozenset(one.casefold() for path in paths for one in (path, *parents(path)))

    @cached_property
    def _last_two_names(self) -> frozenset[str]:
        """Also of the folders right above them."""
        parts = (path.casefold().split("/")[-2:] for path in (*self.files, *self.folders))
        return frozenset(name for both in parts for name in both if name)


_PATHS = tuple(one.paths for one in INSTALLED.values())
_HOME_FILES = (
    *(path for one in _PATHS for path in one.home_files),
    *".codeium/windsurf/hooks.json .factory/settings.json .kimi/config.toml".split(),
)
_HOME_FOLDERS = (
    *(path for one in _PATHS for path in one.home_folders),
    *".config/automode .config/amp/plugins".split(),
)
_PLUGINS = ("plugins", "dev-mods")
"""Beside settings of Claude Code that lie elsewhere than usual."""
_STATE_FOLDERS = """.local/state/automode .local/share/automode .cache/automode
Library/Application\tSupport/automode Library/Caches/automode""".split()
_CONFIG_NAMES = "config.json trust.json".split()
_STATE_NAMES = """audit.db audit.db-wal audit.db-shm spool signing.key chain.id tokens writer.lock
daemon.sock agents.json speakers.json daemon.lock start.lock daemon.json daemon.log http.port
ui.port usage.jsonl outage.jsonl confined
install""".split()
_PROJECT_FILES = (
    ".automode/config.local.json",
    *(path for one in _PATHS for path in one.project_files),
)
_PROJECT_FOLDERS = tuple(path for one in _PATHS for path in one.project_folders)
_SYSTEM_FOLDERS = (
    *("/etc/automode", "/Library/Application Support/automode"),
    *(path for one in _PATHS for path in one.system_folders),
)
_TRANSCRIPTS = tuple(path for one in _PATHS for path in one.transcripts)
_TRANSCRIPT_FILES = tuple(path for one in _PATHS for path in one.histories)


_NO_FOLDERS = OwnFolders()


@lru_cache(maxsize=64)
def own_files(home: str, roots: tuple[str, ...], given: OwnFolders = _NO_FOLDERS) -> OwnFiles:
    """The usual places, and where this installation really lies. Agents look for their settings in
    the project and in the folder they were started in: those are the `roots`."""
    home, roots = absolute(home, "/"), _normal(roots)
    usual = tuple(f"{home}/{name}".replace("\t", " ") for name in _STATE_FOLDERS)
    config, state, runtime, installed = map(
        _normal, (given.config, given.state, given.runtime, given.installed)
    )
    state_parts = tuple(_parts(state, _STATE_NAMES, home, roots))
    moved = tuple(
        one.removesuffix("/settings.json") for one in installed if one.endswith("/settings.json")
    )
    return OwnFiles(
        files=(
            *(f"{home}/{name}" for name in (*_HOME_FILES, *_TRANSCRIPT_FILES)),
            *(f"{root}/{name}" for root in roots for name in _PROJECT_FILES),
            *installed,
        ),
        folders=(
            *(f"{home}/{name}" for name in _HOME_FOLDERS),
            *(f"{root}/{name}" for root in roots for name in _PROJECT_FOLDERS),
            *_SYSTEM_FOLDERS,
            *usual,
            *_parts(config, _CONFIG_NAMES, home, roots),
            *state_parts,
            *(f"{folder}/{name}" for folder in moved for name in _PLUGINS),
            *(folder for folder in runtime if _is_installed(folder, home, roots)),
        ),
        secrets=(*usual, *state_parts),
        transcripts=tuple(f"{home}/{name}" for name in _TRANSCRIPTS),
        states=tuple(dict.fromkeys((usual[0], *state))),
        programs=tuple(folder for folder in runtime if not within(home, folder)),
        places=(home, *roots),
        skills=(
            *(f"{one}/.claude/skills" for one in (home, *roots)),
            *(f"{one}/skills" for one in moved),
        ),
    )


def _normal(folders: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(absolute(folder, "/") for folder in folders if folder))


def _parts(
    folders: tuple[str, ...], names: list[str], home: str, roots: tuple[str, ...]
) -> Iterator[str]:
    """A folder that holds the home or every root is not ours as a whole: then these names in it
    are. One root that lies elsewhere is enough to guard all of it."""
    for folder in folders:
        below = [within(root, folder) and not within(folder, root) for root in roots]
        holds_home = within(home, folder)
        if holds_home or any(below):
            yield from (f"{folder}/{name}" for name in names)
        if not holds_home and not (below and all(below)):
            yield folder


def _is_installed(folder: str, home: str, roots: tuple[str, ...]) -> bool:
    """Whoever works on automode, or keeps it among a project's dependencies, may change what lies
    in the project after a review; an installed package nobody edits. It must lie in every root:
    the folder that the agent is in may be anywhere."""
    inside = bool(roots) and all(within(folder, root) for root in roots)
    developed = inside and "/site-packages/" not in folder
    return not developed and not within(home, folder)
