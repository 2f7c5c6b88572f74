"""What makes a retry exact: the same session, tool, input and working folder, and the same state of
every file that the call names and of all that lies below a folder it works on; for what publishes
or deploys a project, of the project. What those files use in turn is not looked at.

Names come from the reading of a script, which knows where each command runs and what its words
are. Where a name is made up only while the script runs, no retry can be known to be exact.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from automode.classifier.cache import named_paths, status_stamp
from automode.core.call import Delegate, Fetch, Other, Read, Shell, Write
from automode.core.paths import exactly_within
from automode.core.session import Session
from automode.core.tool_input import input_texts
from automode.core.tools import meant_paths
from automode.core.workspace import Kind, Workspace
from automode.facts.files import Names
from automode.facts.git import NotKnown, config_text, git_folders, repository_above
from automode.guards.guard import words
from automode.guards.session_files import may_execute, run_files
from automode.judge.deeds import OF_PROJECT
from automode.judge.reading import script_deeds
from automode.programs.call_facts import CallFacts
from automode.programs.git_config import BadConfig, parse
from automode.shell.script import Command, Script, Word


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
        for line in _list_below(folder):
            if len(found) == most:
                return None
            found.append(line)
    except (OSError, ValueError):
        return None
    text = "\0\0".join(sorted(found)).encode("utf-8", "surrogatepass")
    return FolderStamp(hashlib.sha256(text).hexdigest(), len(found))


def _list_below(folder: str) -> Iterator[str]:
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                found = entry.stat(follow_symlinks=False)
                text = status_stamp(found)
                if stat.S_ISDIR(found.st_mode):
                    # Its times also change with what is there for a moment only, such as a lock of
                    # `git status`. What stays is seen by its own name.
                    text = f"{found.st_dev}:{found.st_ino}:{found.st_mode}"
                    # What git keeps there is named by its content, found by what lies beside it.
                    if not entry.path.endswith("/.git/objects"):
                        folders.append(entry.path)
                elif stat.S_ISLNK(found.st_mode):
                    text = f"{text}\0{_led_to(entry)}"
                yield f"{entry.path}\0{text}"


def _led_to(link: "os.DirEntry[str]") -> str:
    """Programs read files through links, also from outside; folders behind links are not entered,
    because they can lead anywhere."""
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

    workspace: Workspace
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

    def within_project(self, path: str) -> None:
        self._note(path)
        if path in self.folders:
            self._within(path, mentioned=True)

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
            text, _standing(cwd, self.workspace.home)
        )

    def _note(self, path: str) -> None:
        if path not in self.found:
            self.found[path] = self.looked(path)

    def _paths(self, text: str, cwd: str) -> tuple[str, ...] | None:
        home = self.workspace.home
        if len(text) <= LONGEST_KEPT:
            return _kept_paths(text, cwd, home)
        return named_paths(text, _standing(cwd, home))

    def looked(self, path: str) -> str:
        """A path with `/` at its end stands for what is below it."""
        files = self.workspace.files
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
            return f"below {real}: {self._list_below(path)}"
        if stat.S_ISDIR(found.st_mode):
            self.folders[path] = None
        return f"{stat.S_IFMT(found.st_mode)}: {real}"

    def _list_below(self, path: str) -> str:
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


MOST_IN_FOLDER = 4000

_MODULE_FILES = (".py", "/__main__.py", "/__init__.py")
# PowerShell and cmd: what is known only when the script runs.
_DYNAMIC_ELSEWHERE = re.compile(r"[$`*?%!]")

_NO_FOLDERS = words("cd pushd popd echo printf jq gojq yq")
"""To them a folder is a place to go to, or a word like any other: `jq .`."""

_OF_REPOSITORY = words("git gh glab hub")
"""What they do depends on the branch that is checked out, and on what its commits are."""
_OF_WORKTREE = ("HEAD", "config.worktree")
_SHARED = ("config", "packed-refs", "refs/heads", "refs/tags", "reftable", "hooks")

_DELETE = words("rm rmdir")
"""A yes to these is to the folder going away, whatever is in it. They are mostly about what is made
anew all the time, or is too much to look through."""

_PLACES = {**dict.fromkeys(words("git make gmake ninja env"), ("-C",)), "gh": ("-q", "--jq")}
"""Options whose value is a place to start from, or no folder at all. To other programs they mean
other things: `scp -C sub host:`."""

canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr).encode


class _NotToBeTold(Exception):
    """Names that are not known beforehand."""


@dataclass(frozen=True, slots=True)
class _Named:
    """Of the paths that a call names, those that are there, and a digest of all others."""

    there: tuple[str, ...]
    missing: str
    crowded: tuple[str, ...] = ()  # folders of a project that hold too much to be looked through


@dataclass(frozen=True, slots=True)
class Retries:
    """`key` is secret: without it a reader of a digest could try out secrets of the input."""

    key: bytes

    def exact(self, facts: CallFacts, session: Session, given: str) -> str:
        """What two calls share only if one is an exact retry of the other; empty when that cannot
        be told. `given` is the call's input as canonical JSON."""
        seen = Stamps(facts.workspace)
        try:
            # Which paths are missing does not change while what is remembered holds.
            named = facts.remember("named", lambda facts: _list_named(facts, seen))
            known = (*named.there, *_written_below(named.crowded, session))
            stamps = {path: seen.found.get(path) or seen.looked(path) for path in known}
        except (_NotToBeTold, TooManyNames):
            return ""
        place = facts.workspace.cwd
        real = facts.workspace.files.resolve(place) or resolved(place)
        parts = [session.id, facts.call.tool, given, place, real, named.missing, stamps]
        whole = canonical_json(parts).encode()
        return hashlib.blake2b(whole, key=self.key, digest_size=20).hexdigest()


def _list_named(facts: CallFacts, seen: Stamps) -> _Named:
    _look_at_all(facts, seen)
    whole = _is_of_project(facts)
    if whole:
        _look_at_projects(facts.script, seen)
    files = facts.workspace.files
    missing = {path: one for path, one in seen.found.items() if files.kind(path) is Kind.MISSING}
    digest = hashlib.blake2b(canonical_json(missing).encode(), digest_size=32).hexdigest()
    crowded = tuple(seen.crowded) if whole else ()
    return _Named(tuple(path for path in seen.found if path not in missing), digest, crowded)


def _written_below(folders: Sequence[str], session: Session) -> list[str]:
    """What sessions of the project wrote there: of folders that nobody looks through, this much is
    known."""
    if not folders:
        return []
    below = tuple(f"{one}/" for one in folders)
    return [one for one in (session.written_around or {}).values() if one.startswith(below)]


def _is_of_project(facts: CallFacts) -> bool:
    bash = isinstance(facts.call.action, Shell) and facts.call.action.dialect == "bash"
    return bash and not OF_PROJECT.isdisjoint(script_deeds(facts))


def _look_at_all(facts: CallFacts, seen: Stamps) -> None:
    """At every path that the call names."""
    place = facts.workspace
    match facts.call.action:
        case Shell(_, "bash"):
            _look_through(facts.script, seen, place)
        case Shell(command):
            if _DYNAMIC_ELSEWHERE.search(command):
                raise _NotToBeTold
            _look_along(command, place.cwd, seen)
        case Write(()):
            raise _NotToBeTold
        case Read(paths) | Write(paths):
            # Searching a folder is a yes to whatever is found there.
            below = isinstance(facts.call.action, Write)
            for path in paths:
                seen.text(path, place.cwd, below=below)
        case Fetch() | Delegate():
            pass
        case Other():
            for text in input_texts(facts.call.input):
                seen.text(text, place.cwd)


def _look_along(command: str, cwd: str, seen: Stamps) -> None:
    """A script that nobody reads here: each of its words may be an argument."""
    for text in (command, *command.split()):
        seen.text(text, cwd)


def _look_through(script: Script, seen: Stamps, workspace: Workspace) -> None:
    commands = script.commands
    if not script.complete:
        raise _NotToBeTold
    named = [(one, list(_names(one))) for one in commands]
    local = [(one, names) for one, names in named if not one.remote]
    for command, names in local:
        for name, below in names:
            seen.text(name, _place(command), below=below)
    # `env -C sub`, `make -C sub -f x.mk`: a program may start from any folder it is told.
    folders = list(seen.folders)
    places = {*folders, *(_place(command) for command, _ in local)}
    _look_at_repositories(places, [command for command, _ in local], seen)
    for folder in folders:
        for name, below in (one for _, names in local for one in names):
            if not name.startswith(("/", "-")):
                seen.text(name, folder, below=below)
    for command, _ in local:
        if may_execute(command):
            files = _children({_place(command), *folders}, workspace)
            for path in sorted(run_files(command, commands, files, workspace)):
                # As an argument it was looked at before; what a program picks up is a file.
                seen.text(path, "/", below=False)


def _look_at_repositories(
    folders: Iterable[str], commands: Sequence[Command], seen: Stamps
) -> None:
    """At what says which branch is checked out, which commits the branches and tags are, where
    they are pushed to, and what git runs by itself."""
    if not any(command.name in _OF_REPOSITORY for command in commands):
        return
    for folder in folders:
        top = repository_above(folder, seen.workspace)
        if top is None:
            continue
        try:
            own, shared = git_folders(top, seen.workspace)
            known = seen.workspace.files.kind(f"{shared}/config") is not Kind.MISSING
            settings = parse(config_text(top, seen.workspace)) if known else ()
        except (NotKnown, BadConfig) as error:
            raise _NotToBeTold from error
        for name in _OF_WORKTREE:
            seen.text(f"{own}/{name}", "/", below=False)
        for name in _SHARED:
            seen.text(f"{shared}/{name}", "/")
        for one in settings:
            if one.key == "core.hookspath":
                seen.text(one.value, top)


def _look_at_projects(script: Script, seen: Stamps) -> None:
    """At all that lies in the workspace, and in other folders that a command runs in. Of git's own
    folder the commits count, and not what `git status` writes."""
    root = seen.workspace.root
    places = {_place(command) for command in script.commands if not command.remote}
    for top in sorted({root if exactly_within(one, root) else one for one in places}):
        names = seen.workspace.files.names(top, MOST_IN_FOLDER)
        if len(names) >= MOST_IN_FOLDER:
            raise _NotToBeTold
        for name in sorted(names):
            if name != ".git":
                seen.within_project(f"{top.rstrip('/')}/{name}")


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
