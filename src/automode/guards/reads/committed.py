"""Whether git shows a credential that is committed: `git show HEAD`, `git diff`, `git grep`.

By the names of the files that are tracked now, and by what files of settings hold now. What only
older commits hold is not looked at.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

from automode.core.paths import absolute, parents
from automode.core.word_lists import word_lists
from automode.core.workspace import Kind, Search, Workspace
from automode.guards.reads.credentials import (
    NAME_ENDS,
    NAME_STARTS,
    SETTING_NAMES,
    in_credential_folder,
    is_credential,
    is_credential_word,
    may_hold_token,
    may_name_credential,
)
from automode.programs.checks.git import place, shows_contents
from automode.programs.git_config import Repository, Unproved, repository_of
from automode.programs.row import Given
from automode.programs.table import programs
from automode.programs.use import Invocation
from automode.shell.script import HOLE, Command, Word

MOST_NAMES = 200_000  # in one index
_WILD = re.compile(r"[*?\[\\]")
_UNSURE = re.compile(r"[\[\\]")
_EXCLUDES = re.compile(r":(?:[!^]|\(exclude\))(?P<path>[^:(].*)", re.DOTALL)
_PATTERN_OPTIONS = ("-e", "-f")
_TYPES = frozenset("blob tree commit tag".split())
_LISTS = word_lists("automode.guards.reads", "programs")
_OTHERWISE = ("--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs")
_BLOB = re.compile(r"[^{}:]+:(?P<path>[^{}]*)")  # in braces stands a time or a search


def committed_objection(command: Command, workspace: Workspace) -> str | None:
    given = _parse_git(command, workspace)
    if given is None or not shows_contents(given):
        return None
    name = _first(given, workspace)
    return None if name is None else f"git shows what it tracks, {name} too"


def committed_name(command: Command, workspace: Workspace) -> str | None:
    """The first credential among the tracked files that the words of a git command choose."""
    given = _parse_git(command, workspace)
    return None if given is None else _first(given, workspace)


def _parse_git(command: Command, workspace: Workspace) -> Given | None:
    if command.program != "git" or command.remote or not command.words:
        return None
    return programs()["git"].given(Invocation("git", command.args, command, workspace))


def _first(given: Given, workspace: Workspace) -> str | None:
    at = place(given)
    try:
        repository = repository_of(workspace, at) if at is not None else None
    except Unproved:
        return None  # nothing is proved there
    if at is None or repository is None:
        return None
    names = _credentials(repository, workspace)
    if names is None:
        return "which cannot be looked at, a credential perhaps"
    folder = workspace.files.resolve(at.folder) or at.folder
    chosen = _chosen(given, _Chosen(folder, repository.top), workspace) if names else None
    return next((f"`{name}`" for name in names if not chosen or chosen.include(name)), None)


def _credentials(repository: Repository, workspace: Workspace) -> tuple[str, ...] | None:
    starts = (*NAME_STARTS, *SETTING_NAMES)
    search = Search(repository.git_dir, MOST_NAMES, starts, NAME_ENDS)
    found = workspace.files.tracked(search)
    if found is None:
        return None
    home = workspace.home
    paths = ((name, f"{repository.top}/{name}") for name in found)
    return tuple(
        name
        for name, path in paths
        if is_credential(path, home)
        or is_credential_word(path)
        or in_credential_folder(path)
        or may_hold_token(path, workspace.files)
    )


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The files that a command is about. Without `wanted` all of them."""

    folder: str
    top: str
    wanted: tuple[Word, ...] = ()
    blobs: tuple[Word, ...] = ()  # `HEAD:src/app.py`

    def include(self, name: str) -> bool:
        path = f"{self.top}/{name}"
        left_out = [found["path"] for word in self.wanted if (found := _EXCLUDES.match(word.text))]
        wanted = [word for word in self.wanted if not _EXCLUDES.match(word.text)]
        if any(self._leaves_out(one, path) for one in left_out):
            return False
        named = (found["path"] for word in self.blobs if (found := _BLOB.fullmatch(word.text)))
        if any(self._fits(one, path) or self._below_top(one, path) for one in named):
            return True
        if not wanted:
            return not self.blobs
        return any(HOLE in w.text or w.text[:1] == ":" or self._fits(w.text, path) for w in wanted)

    def _below_top(self, text: str, path: str) -> bool:
        return HOLE in text or _matches(absolute(text, self.top).casefold(), path.casefold())

    def _fits(self, text: str, path: str) -> bool:
        """Whether it may; letters of either size are alike on some disks."""
        pattern = absolute(text, self.folder)
        return bool(_UNSURE.search(text)) or _matches(pattern.casefold(), path.casefold())

    def _leaves_out(self, text: str, path: str) -> bool:
        sure = HOLE not in text and not _UNSURE.search(text)
        return sure and _matches(absolute(text, self.folder), path)


def _matches(pattern: str, path: str) -> bool:
    """As git does it: `*` takes slashes too, and a folder stands for all in it."""
    folders = (path, *parents(path))
    if not _WILD.search(pattern):
        return pattern in folders
    return any(fnmatchcase(one, pattern) for one in folders)


def _chosen(given: Given, chosen: _Chosen, workspace: Workspace) -> _Chosen | None:
    """What the words choose; None for everything."""
    verb, behind = given.before.operands[0].text, _behind_dashes(given)
    if given.before.has(*_OTHERWISE):
        return None
    if behind is not None and verb not in _LISTS["git-takes-no-paths"]:
        wanted = [*behind, *_lines(given)]
        return _Chosen(chosen.folder, chosen.top, tuple(wanted)) if wanted else None
    words = given.operands
    if verb == "grep" and not given.options.has(*_PATTERN_OPTIONS):
        words = words[1:]
    wanted, blobs, revisions = list(_lines(given)), [], 0
    for word in words:
        if verb == "ls-files" or _is_path(word, verb, chosen.folder, workspace):
            wanted.append(word)
        elif word.value is not None and _BLOB.fullmatch(word.text):
            blobs.append(word)
        elif not (verb == "cat-file" and word.value in _TYPES):
            revisions += 1
    if not wanted and (revisions or not blobs):
        return None
    return _Chosen(chosen.folder, chosen.top, tuple(wanted), tuple(blobs))


def _is_path(word: Word, verb: str, folder: str, workspace: Workspace) -> bool:
    """Whether a word in front of `--` is surely no revision: those have no wildcards, and git
    refuses a word that may be both."""
    if HOLE in word.text or word.splits or verb in _LISTS["git-takes-no-paths"]:
        return False
    wild = _WILD.search(word.text) is not None or _EXCLUDES.match(word.text) is not None
    return wild or workspace.files.kind(absolute(word.text, folder)) is not Kind.MISSING


def _lines(given: Given) -> Iterator[Word]:
    """`git log -L 1,20:src/app.py` is about that file."""
    for option in given.options.options:
        if option.name == "-L" and given.row.effects.get("-L") == "contents" and option.value:
            yield Word(option.value.text.rpartition(":")[2], option.value.origin)


def _behind_dashes(given: Given) -> tuple[Word, ...] | None:
    values = [option.value for option in given.options.options]
    for index, word in enumerate(given.args):
        if word.value == "--" and not any(word is value for value in values):
            return given.args[index + 1 :]
    return None


_MAGIC = re.compile(r":(?:\((?P<long>[^)]*)\)|(?P<short>[/!^]+):?)?")
_PATTERN_GIVEN = re.compile(r"-[a-zA-Z]*[ef].*", re.DOTALL)


def pattern_objection(command: Command) -> str | None:
    """Why a pattern for the program itself may stand for a credential."""
    if command.program == "git":
        patterns = list(_pathspecs(command))
    elif command.program in _LISTS["archivers"]:
        patterns = [word.text for word in command.args if word.text[:1] not in ("-", "")]
    else:
        return None
    found = next(filter(may_name_credential, patterns), None)
    return None if found is None else f"`{found[:80]}` may stand for a credential"


def _pathspecs(command: Command) -> Iterator[str]:
    """The words of git that may name files, without the marks in front of them."""
    words = [word.text for word in _words(command.args)]
    if words[:1] == ["grep"] and not any(_PATTERN_GIVEN.match(w.text) for w in command.args):
        words = words[2:]
    for text in words:
        magic = _MAGIC.match(text)
        if magic is None:
            yield text
        elif "exclude" not in (magic["long"] or "") and not set("!^") & set(magic["short"] or ""):
            yield text[magic.end() :]


def _words(args: tuple[Word, ...]) -> Iterator[Word]:
    for before, word in pairwise((Word(""), *args)):
        if word.text[:1] not in ("-", "") and before.text not in _LISTS["git-text-follows"]:
            yield word
