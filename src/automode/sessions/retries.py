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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from automode.classifier.named_files import disk_stamp, file_state
from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.guards.executed import executed, may_execute
from automode.shell.reader import Reader
from automode.shell.script import Command, Word

LARGEST_READ = 1024 * 1024  # bytes of one file; of a larger one its stamp has to do
MOST_READ = 16 * LARGEST_READ  # of all files of one call
MOST_TEXTS = 4000
WORDS_PER_PART = 40
MOST_IN_FOLDER = 4000

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
                self._script(command, seen)
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
                for text in _strings(call.input):
                    seen.text(text, session.workspace.cwd)
        return seen.states

    def _script(self, text: str, seen: "_Seen") -> None:
        script = self.reader.full(text, seen.session.workspace)
        if not script.complete:
            raise _NotToBeTold
        named = [(one, list(_names(one))) for one in script.commands]
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
                workspace = seen.session.workspace
                files = _children({_place(command), *folders}, workspace)
                for path in sorted(executed(command, script.commands, files, workspace)):
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


def _strings(value: object) -> Iterator[str]:
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one


@dataclass(slots=True)
class _Seen:
    """Looks at files, and reads them up to a limit over all of them."""

    session: Session
    left: int = MOST_READ
    texts: int = 0
    states: list[str] = field(default_factory=list)
    folders: dict[str, None] = field(default_factory=dict)  # that were named
    _stamps: dict[str, str] = field(default_factory=dict)

    def text(self, text: str, cwd: str) -> None:
        """Every name that a text can be, or hold."""
        there = replace(self.session, workspace=replace(self.session.workspace, cwd=cwd))
        words = text.split()
        parts = [
            " ".join(words[start : start + WORDS_PER_PART])
            for start in range(0, len(words), WORDS_PER_PART)
        ]
        # The text as it stands is a name as well, blanks and all.
        for part in [text] if len(parts) <= 1 else parts:
            self.texts += 1
            state = file_state(ToolCall("", Other(), {"": part}), there, self.stamp)
            if state is None or self.texts > MOST_TEXTS:
                raise _NotToBeTold
            self.states.append(state)

    def stamp(self, path: str) -> str:
        known = self._stamps.get(path)
        if known is None:
            known = self._stamps[path] = self._looked(path)
        return known

    def _looked(self, path: str) -> str:
        real = self.session.workspace.files.resolve(path) or _resolved(path)
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
