"""What makes a retry exact: the same session, tool, input and working folder, and the same state of
every file that the call names and of all that lies below a folder it works on. What those files use
in turn is not looked at.

Names come from the reading of a script, which knows where each command runs and what its words
are. Where a name is made up only while the script runs, no retry can be known to be exact.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from automode.core.call import Delegate, Fetch, Other, Read, Shell, ToolCall, Write
from automode.core.input_paths import input_texts
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.guards.guard import words
from automode.guards.session_files import executed, may_execute
from automode.sessions.stamps import Stamps, TooManyNames, resolved
from automode.shell.reader import Reader
from automode.shell.script import Command, Word

MOST_IN_FOLDER = 4000

_MODULE_FILES = (".py", "/__main__.py", "/__init__.py")
# PowerShell and cmd: what is known only when the script runs.
_DYNAMIC_ELSEWHERE = re.compile(r"[$`*?%!]")

_NO_FOLDERS = words("cd pushd popd echo printf jq gojq yq")
"""To them a folder is a place to go to, or a word like any other: `jq .`."""

_DELETE = words("rm rmdir")
"""A yes to these is to the folder going away, whatever is in it. They are mostly about what is made
anew all the time, or is too much to look through."""

_PLACES = {**dict.fromkeys(words("git make gmake ninja env"), ("-C",)), "gh": ("-q", "--jq")}
"""Options whose value is a place to start from, or no folder at all. To other programs they mean
other things: `scp -C sub host:`."""

canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr).encode


class _NotToBeTold(Exception):
    """Names that are not known beforehand."""


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
        except (_NotToBeTold, TooManyNames):
            return ""
        place = session.workspace.cwd
        real = session.workspace.files.resolve(place) or resolved(place)
        digest = hashlib.blake2b(key=self.key, digest_size=20)
        for part in (session.id, call.tool, given, place, real):
            _fed(digest, part)
        digest.update(files)
        return digest.hexdigest()

    def _files(self, call: ToolCall, session: Session) -> bytes:
        seen = Stamps(session)
        match call.action:
            case Shell(command, "bash"):
                return self._script(command, session)
            case Shell(command):
                if _DYNAMIC_ELSEWHERE.search(command):
                    raise _NotToBeTold
                _look_along(command, session.workspace.cwd, seen)
            case Write(()):
                raise _NotToBeTold
            case Read(paths) | Write(paths):
                # Searching a folder is a yes to whatever is found there.
                below = isinstance(call.action, Write)
                for path in paths:
                    seen.text(path, session.workspace.cwd, below=below)
            case Fetch() | Delegate():
                pass
            case Other():
                for text in input_texts(call.input):
                    seen.text(text, session.workspace.cwd)
        return _digest(seen.found)

    def _script(self, text: str, session: Session) -> bytes:
        """Stands for every path that the script names, with its stamp."""
        script = self.reader.full(text, session.workspace)
        if not script.complete:
            raise _NotToBeTold
        seen = Stamps(session)
        _look_through(script.commands, seen, session.workspace)
        return _digest(seen.found)


def _digest(stamps: Mapping[str, str]) -> bytes:
    digest = hashlib.blake2b(digest_size=32)
    for path, stamp in stamps.items():
        _fed(digest, path)
        _fed(digest, stamp)
    return digest.digest()


def _fed(digest: "hashlib.blake2b", text: str) -> None:
    """With its length before it, so that no two rows of texts look the same."""
    data = text.encode("utf-8", "surrogatepass")
    digest.update(len(data).to_bytes(8, "big"))
    digest.update(data)


def _look_along(command: str, cwd: str, seen: Stamps) -> None:
    """A script that nobody reads here: each of its words may be an argument."""
    for text in (command, *command.split()):
        seen.text(text, cwd)


def _look_through(commands: Sequence[Command], seen: Stamps, workspace: Workspace) -> None:
    named = [(one, list(_names(one))) for one in commands]
    local = [(one, names) for one, names in named if not one.remote]
    for command, names in local:
        for name, below in names:
            seen.text(name, _place(command), below=below)
    # `env -C sub`, `make -C sub -f x.mk`: a program may start from any folder it is told.
    folders = list(seen.folders)
    for folder in folders:
        for name, below in (one for _, names in local for one in names):
            if not name.startswith(("/", "-")):
                seen.text(name, folder, below=below)
    for command, _ in local:
        if may_execute(command):
            files = _children({_place(command), *folders}, workspace)
            for path in sorted(executed(command, commands, files, workspace)):
                # As an argument it was looked at before; what a program picks up is a file.
                seen.text(path, "/", below=False)


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


def _names(command: Command) -> Iterator[tuple[str, bool]]:
    """Each word, what an option carries in the same word, and the files of a module; with each,
    whether it matters what lies below it, should it be a folder."""
    values = [_value(word) for word in _words(command)]
    program = command.name
    works = program not in _NO_FOLDERS and program not in _DELETE
    places = _PLACES.get(program, ())
    for before, value in zip(["", *values], values, strict=False):
        yield value, works and before not in places
        if re.match(r"-[A-Za-z].", value):
            yield value[2:], works and value[:2] not in places
        if before == "-m":
            yield from ((value.replace(".", "/") + ending, works) for ending in _MODULE_FILES)


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
