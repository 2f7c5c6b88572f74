"""What makes a retry exact: the same session, tool, input and working folder, and the same state of
every file that the call names. What those files use in turn is not looked at.

Names come from the reading of a script, which knows where each command runs and what its words
are. Where a name is made up only while the script runs, no retry can be known to be exact.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from sys import intern

from automode.classifier.named_files import disk_stamp, named_paths
from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.files import Kind
from automode.core.input_texts import input_texts
from automode.core.looks import Looks, Remembered
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.executed import executed, may_execute
from automode.shell.reader import Reader
from automode.shell.script import Command, Word

LARGEST_READ = 1024 * 1024  # bytes of one file; of a larger one its stamp has to do
MOST_READ = 16 * LARGEST_READ  # of all files of one call
MOST_TEXTS = 4000
WORDS_PER_PART = 40
MOST_IN_FOLDER = 4000
MOST_SCRIPTS = 8192
MOST_STAMPS = 512
MOST_KEPT = 4096
LONGEST_KEPT = 256  # characters

_MODULE_FILES = (".py", "/__main__.py", "/__init__.py")
# PowerShell and cmd: what is known only when the script runs.
_DYNAMIC_ELSEWHERE = re.compile(r"[$`*?%!]")

canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr).encode


class _NotToBeTold(Exception):
    """Names that are not known beforehand, or too many."""


@dataclass(frozen=True, slots=True)
class Retries:
    """`key` is secret, so that nobody who reads a digest can try out which secret stood in the
    input."""

    key: bytes
    reader: Reader
    _known: Remembered[tuple[tuple[str, str], ...]] = field(
        default_factory=lambda: Remembered(MOST_SCRIPTS)
    )

    def exact(self, call: ToolCall, session: Session, given: str) -> str:
        """What two calls share only if one is an exact retry of the other; empty when that cannot
        be told. `given` is the call's input as canonical JSON."""
        try:
            files = self._files(call, session)
        except _NotToBeTold:
            return ""
        place = session.workspace.cwd
        parts = (session.id, call.tool, given, place, os.path.realpath(place), *files)
        digest = hashlib.blake2b(key=self.key, digest_size=20)
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        return digest.hexdigest()

    def _files(self, call: ToolCall, session: Session) -> list[str]:
        seen = _Seen(session)
        match call.action:
            case Shell(command, "bash"):
                return [f"{path}\t{stamp}" for path, stamp in self._script(command, session)]
            case Shell(command):
                if _DYNAMIC_ELSEWHERE.search(command):
                    raise _NotToBeTold
                seen.text(command, session.workspace.cwd)
            case Write(()):
                raise _NotToBeTold
            case Read(paths) | Write(paths):
                for path in paths:
                    seen.text(path, session.workspace.cwd)
            case Fetch() | Delegate():
                pass
            case Other():
                for text in input_texts(call.input):
                    seen.text(text, session.workspace.cwd)
        return [f"{path}\t{stamp}" for path, stamp in seen.stamps.items()]

    def _script(self, text: str, session: Session) -> tuple[tuple[str, str], ...]:
        """Every path that the script names, with its stamp. Which paths those are is thought out
        once; they are looked at each time."""
        place = session.workspace
        script = self.reader.full(text, place)
        if not script.complete:
            raise _NotToBeTold
        key = (text, place.cwd, place.root, place.home)
        known = self._known.known(key, script, place.files)
        seen = _Seen(session)
        if known is not None and all(seen.looked(path) == stamp for path, stamp in known.answer):
            return known.answer
        seen, looks = _Seen(session), Looks(place.files)
        _look_through(script.commands, seen, replace(place, files=looks))
        found = tuple(seen.stamps.items())
        if len(found) <= MOST_STAMPS:
            kept = tuple((intern(path), intern(stamp)) for path, stamp in found)
            self._known.keep(key, script, looks, kept)
        return found


def _look_through(commands: Sequence[Command], seen: "_Seen", workspace: Workspace) -> None:
    named = [(one, list(_names(one))) for one in commands]
    local = [(one, names) for one, names in named if not one.remote]
    for command, names in local:
        for name in names:
            seen.text(name, _place(command))
    # `env -C sub`, `make -C sub -f x.mk`: a program may start from any folder it is told.
    folders = list(seen.folders)
    for folder in folders:
        for name in (name for _, names in local for name in names):
            if not name.startswith(("/", "-")):
                seen.text(name, folder)
    for command, _ in local:
        if may_execute(command):
            files = _children({_place(command), *folders}, workspace)
            for path in sorted(executed(command, commands, files, workspace)):
                seen.text(path, "/")


def _words(command: Command) -> Iterator[Word]:
    yield from command.words
    yield from (one.value for one in (*command.assignments, *command.environment))
    yield from (one.target for one in command.redirects)


def _value(word: Word) -> str:
    if word.value is None:
        raise _NotToBeTold
    return word.value


def _place(command: Command) -> str:
    if command.cwd is None:
        raise _NotToBeTold
    return command.cwd


def _names(command: Command) -> Iterator[str]:
    """Each word, what an option carries in the same word, and the files of a module."""
    values = [_value(word) for word in _words(command)]
    for before, value in zip(["", *values], values, strict=False):
        yield value
        if re.match(r"-[A-Za-z].", value):
            yield value[2:]
        if before == "-m":
            yield from (value.replace(".", "/") + ending for ending in _MODULE_FILES)


def _children(folders: Iterable[str], workspace: Workspace) -> dict[str, str]:
    """What lies in folders where a program may look for files by itself."""
    found: dict[str, str] = {}
    for folder in folders:
        names = workspace.files.names(folder, MOST_IN_FOLDER)
        if len(names) >= MOST_IN_FOLDER:
            raise _NotToBeTold
        paths = (f"{folder.rstrip('/')}/{name}" for name in names)
        found.update({path.casefold(): path for path in paths})
    return found


@dataclass(slots=True)
class _Seen:
    """Looks at files, and reads them up to a limit over all of them."""

    session: Session
    left: int = MOST_READ
    texts: int = 0
    folders: dict[str, None] = field(default_factory=dict)  # that were named
    stamps: dict[str, str] = field(default_factory=dict)  # of every path, in the order of looking

    def text(self, text: str, cwd: str) -> None:
        """Every name that a text can be, or hold."""
        # The text as it stands is a name as well, blanks and all.
        for part in _parts(text):
            self.texts += 1
            paths = self._paths(part, cwd)
            if paths is None or self.texts > MOST_TEXTS:
                raise _NotToBeTold
            for path in paths:
                if path not in self.stamps:
                    self.stamps[path] = self.looked(path)

    def _paths(self, text: str, cwd: str) -> tuple[str, ...] | None:
        home = self.session.workspace.home
        if len(text) <= LONGEST_KEPT:
            return _kept_paths(text, cwd, home)
        return named_paths(text, _standing(cwd, home))

    def looked(self, path: str) -> str:
        files = self.session.workspace.files
        real = files.resolve(path) or _resolved(path)
        if files.kind(path) is Kind.MISSING:
            return f"missing: {real}"
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return f"missing: {real}"
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


def _resolved(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return ""


def _hashed(path: str) -> str:
    # What was a file a moment ago may be a pipe now: opening it must not wait.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        return hashlib.sha256(file.read(LARGEST_READ + 1)).hexdigest()
