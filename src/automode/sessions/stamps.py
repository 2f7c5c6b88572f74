"""Files and folders as short texts that change with anything in them."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from automode.classifier.named_files import named_paths, status_stamp
from automode.core.files import Kind
from automode.core.session import Session
from automode.core.tools import meant_paths
from automode.core.workspace import Workspace
from automode.facts.files import Names


@dataclass(frozen=True, slots=True)
class FolderStamp:
    text: str
    entries: int  # that were looked at


def folder_stamp(folder: str, most: int) -> FolderStamp | None:
    """None for a folder with more than `most` entries below it, or that cannot be looked through:
    what was not seen cannot be told to be the same.

    Files count by name, size, times and inode. To read them all would take many times longer, and
    a time that was set back shows in the time of that change, which no program can choose."""
    found: list[str] = []
    try:
        for line in _below(folder):
            if len(found) == most:
                return None
            found.append(line)
    except (OSError, ValueError):
        return None
    text = "\0\0".join(sorted(found)).encode("utf-8", "surrogatepass")
    return FolderStamp(hashlib.sha256(text).hexdigest(), len(found))


def _below(folder: str) -> Iterator[str]:
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                # What git keeps there is named by its content, and found by what lies beside it.
                if entry.is_dir(follow_symlinks=False) and not entry.path.endswith("/.git/objects"):
                    folders.append(entry.path)
                yield f"{entry.path}\0{_entry(entry)}"


def _entry(entry: "os.DirEntry[str]") -> str:
    found = entry.stat(follow_symlinks=False)
    if entry.is_dir(follow_symlinks=False):
        # Its times also change with what is there for a moment only, such as a lock of `git
        # status`. What stays is seen by its own name.
        return f"{found.st_dev}:{found.st_ino}:{found.st_mode}"
    if entry.is_symlink():
        return f"{status_stamp(found)}\0{_led_to(entry)}"
    return status_stamp(found)


def _led_to(link: "os.DirEntry[str]") -> str:
    """Programs read files through links, also from outside; into folders behind them nobody goes
    here, because they can lead anywhere."""
    try:
        return status_stamp(link.stat()) if link.is_file() else os.readlink(link.path)
    except FileNotFoundError:
        return "missing"


LARGEST_READ = 1024 * 1024  # bytes at once
MOST_READ = 64 * LARGEST_READ
"""Bytes of all files of one call. Only its content shows that a script is the same: size and times
can be made to fit. Everybody waits while it is read; this much takes about a tenth of a second, and
only calls that were stopped, or that may be an approved retry, are looked at."""

MOST_BELOW = 3000  # entries of all named folders; to look at them takes some 25 ms
MOST_CROWDED = 8  # folders that are mentioned and hold more; each is looked at until that shows
MOST_TEXTS = 4000
WORDS_PER_PART = 40
MOST_KEPT = 4096
LONGEST_KEPT = 256  # characters
MISSING = "missing: "
_LONGER = re.compile(r"[\s'\";|&<>():]")


class TooManyNames(Exception):
    """More files, or more in them, than anybody looks at."""


@dataclass(slots=True)
class Stamps:
    """Looks at files and below folders, up to limits over all of them. Raises TooManyNames: what
    was not looked at as a whole cannot be told to be the same."""

    session: Session
    left: int = MOST_READ
    entries_left: int = MOST_BELOW
    crowded: set[str] = field(default_factory=set)  # folders that were mentioned and hold too much
    texts: int = 0
    folders: dict[str, None] = field(default_factory=dict)  # that were named
    found: dict[str, str] = field(default_factory=dict)  # of every path, in the order of looking

    def text(self, text: str, cwd: str, *, below: bool = True) -> None:
        """Every name that a text can be, or hold; of a folder also what is in it, unless `below`
        says that this is of no account."""
        # The text as it stands is a name as well, blanks and all.
        for part in _parts(text):
            self.texts += 1
            paths = self._paths(part, cwd)
            if paths is None or self.texts > MOST_TEXTS:
                raise TooManyNames
            for path in paths:
                self._note(path)
                if below and path in self.folders:
                    self._within(path, mentioned=self._mentions(part, path, cwd))

    def _within(self, path: str, *, mentioned: bool) -> None:
        """A message or code that mentions `src`, or divides by `/`, need not be about it, and a
        container that is given the project does not use all of it: there folders count as far as
        they can be looked through."""
        if not mentioned:
            self._note(path + "/")
        elif path != "/" and path not in self.crowded:
            try:
                self._note(path + "/")
            except TooManyNames:
                self.crowded.add(path)
                if len(self.crowded) > MOST_CROWDED:
                    raise

    def _mentions(self, text: str, path: str, cwd: str) -> bool:
        """Whether a path is only part of a longer text."""
        return bool(_LONGER.search(text)) and path not in meant_paths(
            text, _standing(cwd, self.session.workspace.home)
        )

    def _note(self, path: str) -> None:
        if path not in self.found:
            self.found[path] = self.looked(path)

    def _paths(self, text: str, cwd: str) -> tuple[str, ...] | None:
        home = self.session.workspace.home
        if len(text) <= LONGEST_KEPT:
            return _kept_paths(text, cwd, home)
        return named_paths(text, _standing(cwd, home))

    def misses(self, path: str) -> bool:
        files = self.session.workspace.files
        gone = files.kind(path) is Kind.MISSING and files.resolve(path) == path
        return gone or self.looked(path) == MISSING + path

    def looked(self, path: str) -> str:
        """A path with `/` at its end stands for what is below it."""
        files = self.session.workspace.files
        real = files.resolve(path) or resolved(path)
        if files.kind(path) is Kind.MISSING:
            return f"{MISSING}{real}"
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return f"{MISSING}{real}"
        if stat.S_ISREG(found.st_mode):
            return f"{real}: {self._content(path, found)}"
        if stat.S_ISDIR(found.st_mode) and path.endswith("/") and path != "/":
            return f"below {real}: {self._below(path)}"
        if stat.S_ISDIR(found.st_mode):
            self.folders[path] = None
        return f"{stat.S_IFMT(found.st_mode)}: {real}"

    def _below(self, path: str) -> str:
        found = folder_stamp(path, self.entries_left)
        if found is None:
            raise TooManyNames
        self.entries_left -= found.entries
        return found.text

    def _content(self, path: str, found: os.stat_result) -> str:
        digest = hashlib.sha256()
        try:
            for part in _read(path):
                self.left -= len(part)
                if self.left < 0 or (not found.st_size and len(part) == LARGEST_READ):
                    raise TooManyNames  # what has no size and no end is made up while it is read
                digest.update(part)
        except OSError:
            return f"not to be read: {status_stamp(found)}"
        return digest.hexdigest()


def _parts(text: str) -> list[str]:
    words = text.split()
    if len(words) <= WORDS_PER_PART:
        return [text]
    return [
        " ".join(words[start : start + WORDS_PER_PART])
        for start in range(0, len(words), WORDS_PER_PART)
    ]


@lru_cache(maxsize=MOST_KEPT)
def _kept_paths(text: str, cwd: str, home: str) -> tuple[str, ...] | None:
    """The same words come again and again, from the same folders."""
    return named_paths(text, _standing(cwd, home))


def _standing(cwd: str, home: str) -> Workspace:
    return Workspace(cwd, cwd, home, Names(cwd))


def resolved(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return ""


def _read(path: str) -> Iterator[bytes]:
    # What was a file a moment ago may be a pipe now: opening it must not wait.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb", buffering=0) as file:
        while part := file.read(LARGEST_READ):
            yield part
