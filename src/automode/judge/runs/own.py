"""What belongs to the project: its modules, and those from elsewhere that it is known to use."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from automode.core.paths import absolute, exactly_within, parents
from automode.core.workspace import Kind, Workspace
from automode.judge.calls.packages import RUNS, Need
from automode.judge.python.calls import standard
from automode.judge.words import word_lists
from automode.shell.script import Command

_W = word_lists("python_acts")
LONGEST_FILE = 60_000
LONGEST_SETTINGS = 20_000
LONGEST_LIST = 60_000
MOST_NAMES = 400
MOST_SOURCES = 60
_LISTS = re.compile(
    r"pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|Pipfile|noxfile\.py|environment\.ya?ml"
    r"|(?:.*[-_.])?(?:requirements?|constraints|deps|dependencies)(?:[-_.].*)?\.(?:txt|in)"
    r"|(?:tests?|dev|docs|ci|lint|base|all|extras?)\.(?:txt|in)"
)
_FOLDERS = "requirements requirements/extras requirements/pkg tests test ci docs doc".split()
_WORD = re.compile(r"[A-Za-z_][\w.-]*[A-Za-z0-9_]")
_BREAKS = re.compile(r"[-_.]+")
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


@dataclass(frozen=True)
class Own:
    """The folders of the project, and the files that this session wrote."""

    workspace: Workspace
    path: str  # of the test
    written: frozenset[str] = frozenset()
    around: tuple[str, ...] = ()  # files of this session whose fixtures the test gets
    # Files that earlier calls read, or that the user names. Nearly nobody asks for them.
    seen: Callable[[], frozenset[str]] = frozenset[str]

    def module(self, name: str) -> bool:
        """Whether a module of Python with this name lies in the project."""
        first = name.partition(".")[0]
        place = self.workspace
        if not first.isidentifier():
            return False
        for folder in self._folders:
            if place.files.kind(f"{folder}/{first}") is Kind.FOLDER:
                return True
            if place.files.kind(f"{folder}/{first}.py") is Kind.FILE:
                return True
        inside = f"{place.root}/"
        known = [
            one.removeprefix(place.root)
            for one in self.written | self.seen()
            if one.startswith(inside) and one != self.path
        ]
        return first == place.root.rsplit("/", 1)[-1] or any(
            f"/{first}/" in one or one.endswith(f"/{first}.py") for one in known
        )

    def runs(self, need: Need) -> bool:
        """Whether it is a program or a script of the project."""
        if need.deed != RUNS:
            return False
        full = absolute(need.name, need.cwd or self.workspace.cwd)
        inside = any(exactly_within(full, one) for one in self.workspace.folders)
        return (inside and "/" in need.name) or self.module(need.name)

    def knows(self, module: str) -> bool:
        """Whether a module of Python may be used: one of the standard library whose place no file
        of the project takes, one of the project's, or one that it declares or imports already."""
        first = module.partition(".")[0]
        if standard(first):
            return not self._takes_place(first)
        if first in _W.known or self.module(first):
            return True
        return self._is_declared(first) or first in self._imported

    @cached_property
    def made(self) -> frozenset[str]:
        """The modules that this session wrote, by the last part of their names."""
        python = self.path.endswith(".py")
        every = (one for one in self.written if one.endswith(".py") is python)
        parts = (one.removesuffix("/__init__.py").split("/")[-2:] for one in every)
        stems = (name.partition(".")[0] for both in parts for name in both[-1 if python else 0 :])
        return frozenset(stems)

    def _takes_place(self, first: str) -> bool:
        place = self.workspace
        folders = (place.root, f"{place.root}/src", place.cwd, self.path.rpartition("/")[0])
        own = [f"{folder}/{first}" for folder in dict.fromkeys(folders)]
        files = [f"{one}{end}" for one in own for end in (".py", "/__init__.py")]
        return any(one in self.written or place.files.kind(one) is Kind.FILE for one in files)

    @cached_property
    def _folders(self) -> tuple[str, ...]:
        """Where modules are looked for: the project's places, and the folders around the test."""
        place = self.workspace
        around = [one for one in parents(self.path) if exactly_within(one, place.root)]
        given = [place.root, place.cwd, *around]
        return tuple(dict.fromkeys(f"{one}{end}" for one in given for end in ("", "/src", "/lib")))

    def _is_declared(self, first: str) -> bool:
        name = _BREAKS.sub("_", first).casefold()
        names = {name, f"python_{name}", f"py{name}", f"{name}_python"}
        names |= {one.partition(":")[2] for one in _W.renamed if one.startswith(f"{first}:")}
        if first in _W.shared:  # many packages put modules into it
            return any(one.startswith(f"{name}_") for one in self._declared)
        return not names.isdisjoint(self._declared)

    @cached_property
    def _declared(self) -> frozenset[str]:
        """The words of the lists of packages, as far as this session did not write them."""
        place, root = self.workspace, self.workspace.root
        lists = [f"{root}/{one}" for one in _FOLDERS]
        folders = [root, *lists]
        found: set[str] = set()
        for folder in folders:
            for name in place.files.names(folder, MOST_NAMES):
                path = f"{folder}/{name}"
                listed = _LISTS.fullmatch(name) or ("/requirements" in folder and "." in name)
                if listed and path not in self.written:
                    text = place.files.text(path, LONGEST_LIST) or ""
                    found |= {_BREAKS.sub("_", one).casefold() for one in _WORD.findall(text)}
        return frozenset(found)

    @cached_property
    def _imported(self) -> frozenset[str]:
        """What sources import that lie around the test, and that this session did not write."""
        found: set[str] = set()
        for at, path in enumerate(self._sources()):
            if at >= MOST_SOURCES:
                break
            found |= set(_IMPORT.findall(self.workspace.files.text(path, LONGEST_SETTINGS) or ""))
        return frozenset(found)

    def _sources(self) -> Iterator[str]:
        place = self.workspace
        around = [one for one in parents(self.path) if exactly_within(one, place.root)]
        for folder in dict.fromkeys((*around, place.root)):
            for name in place.files.names(folder, MOST_NAMES):
                path = f"{folder}/{name}"
                if name.endswith(".py") and path not in self.written and path != self.path:
                    yield path

    def has(self, command: Command) -> bool:
        """Whether a command does no more than to read a file of the project."""
        place = self.workspace
        paths = [absolute(one.target.text, command.cwd or place.cwd) for one in command.redirects]
        reads = not command.words and not any(one.writes for one in command.redirects)
        return reads and all(exactly_within(one, place.root) for one in paths)

    def is_there(self) -> bool:
        """Whether the project can be looked at. Of one on another machine, whose calls were
        recorded, no file is there."""
        return bool(self.workspace.files.names(self.workspace.root, 1))

    def read_setting(self, file: str, pattern: str) -> str | None:
        text = self.workspace.files.text(f"{self.workspace.root}/{file}", LONGEST_SETTINGS)
        found = re.search(pattern, text or "", re.MULTILINE)
        return found[1] if found else None
