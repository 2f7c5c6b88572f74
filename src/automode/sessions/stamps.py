"""What a file looks like, as a short text that another state of it does not have."""

import hashlib
import os
import stat
from dataclasses import dataclass, field
from functools import lru_cache

from automode.classifier.named_files import disk_stamp, named_paths
from automode.core.files import Kind
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Names

LARGEST_READ = 1024 * 1024  # bytes of one file; of a larger one its stamp has to do
MOST_READ = 16 * LARGEST_READ  # of all files of one call
MOST_TEXTS = 4000
WORDS_PER_PART = 40
MOST_KEPT = 4096
LONGEST_KEPT = 256  # characters
MISSING = "missing: "


class TooManyNames(Exception):
    """A text that can stand for more files than anybody looks at."""


@dataclass(slots=True)
class Stamps:
    """Looks at files, and reads them up to a limit over all of them. Raises TooManyNames."""

    session: Session
    left: int = MOST_READ
    texts: int = 0
    folders: dict[str, None] = field(default_factory=dict)  # that were named
    found: dict[str, str] = field(default_factory=dict)  # of every path, in the order of looking

    def text(self, text: str, cwd: str) -> None:
        """Every name that a text can be, or hold."""
        # The text as it stands is a name as well, blanks and all.
        for part in _parts(text):
            self.texts += 1
            paths = self._paths(part, cwd)
            if paths is None or self.texts > MOST_TEXTS:
                raise TooManyNames
            for path in paths:
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
        files = self.session.workspace.files
        real = files.resolve(path) or resolved(path)
        if files.kind(path) is Kind.MISSING:
            return f"{MISSING}{real}"
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return f"{MISSING}{real}"
        if stat.S_ISDIR(found.st_mode):
            self.folders[path] = None
        if not stat.S_ISREG(found.st_mode):
            return f"{stat.S_IFMT(found.st_mode)}: {real}"
        return f"{real}: {self._content(path, found.st_size)}"

    def _content(self, path: str, size: int) -> str:
        if size > min(LARGEST_READ, self.left):
            return disk_stamp(path) or "missing"
        self.left -= size
        try:
            return _hashed(path)
        except OSError:
            return "not to be read"


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


def _hashed(path: str) -> str:
    # What was a file a moment ago may be a pipe now: opening it must not wait.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        return hashlib.sha256(file.read(LARGEST_READ + 1)).hexdigest()
