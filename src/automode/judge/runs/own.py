"""What belongs to the project: its modules, and those from elsewhere that it is known to use."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from automode.core.paths import absolute, exactly_within, parents
from automode.core.workspace import Kind, Workspace
from automode.judge.calls.packages import RUNS, Need
from automode.shell.script import Command

LONGEST_FILE = 60_000
LONGEST_SETTINGS = 20_000


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

    @cached_property
    def made(self) -> frozenset[str]:
        """The modules that this session wrote, by the last part of their names."""
        python = self.path.endswith(".py")
        every = (one for one in self.written if one.endswith(".py") is python)
        parts = (one.removesuffix("/__init__.py").split("/")[-2:] for one in every)
        stems = (name.partition(".")[0] for both in parts for name in both[-1 if python else 0 :])
        return frozenset(stems)

    @cached_property
    def _folders(self) -> tuple[str, ...]:
        """Where modules are looked for: the project's places, and the folders around the test."""
        place = self.workspace
        around = [one for one in parents(self.path) if exactly_within(one, place.root)]
        given = [place.root, place.cwd, *around]
        return tuple(dict.fromkeys(f"{one}{end}" for one in given for end in ("", "/src", "/lib")))

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


def shadows(path: str, place: Workspace) -> bool:
    """Whether a module takes the place of one of Python's own, so that whoever runs loads it."""
    for folder in (place.root, place.cwd, f"{place.root}/src"):
        if path.startswith(f"{folder}/") and path.endswith(".py"):
            first = path.removeprefix(f"{folder}/").partition("/")[0]
            return first.removesuffix(".py") in sys.stdlib_module_names - {"test"}
    return False
