"""The one shape of every guard, and what a guard gets to see."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from automode.core.paths import LONGEST, locate, may_match
from automode.core.workspace import Files, Workspace
from automode.guards.own_files import OwnFiles
from automode.programs.call_facts import CommandFacts
from automode.programs.row import Kind
from automode.shell.script import HOLE, Command, Script, Word

_MOST_NAMES = 10_000  # in one folder
_MOST_FOLDERS = 256  # looked into for one pattern
_WILD = re.compile(r"[*?\[\0]|[@!+]\(")


def is_pattern(path: str) -> bool:
    """Whether the path is a pattern, or holds a part that is not known."""
    return _WILD.search(path) is not None


def word_path(text: str, command: Command, workspace: Workspace) -> str:
    """A word of a command as an absolute path, from where the agent is if need be."""
    text = workspace.home + text[1:] if text.startswith("~/") else text
    return locate(text, command.cwd or workspace.cwd, workspace.files)


def known_folder(path: str) -> str:
    """The folder of a wild path before the first part that is not known to the letter."""
    found = _WILD.search(path)
    return path if found is None else path[: path.rfind("/", 0, found.start())] or "/"


def follow_links(path: str, files: Files) -> str:
    """The absolute path with links followed, as far as it is written out."""
    if len(path) > LONGEST:
        return path
    folder = known_folder(path)
    resolved = files.resolve(folder)
    return path if resolved is None else resolved + path[len(folder.rstrip("/")) :]


def links_behind(pattern: str, files: Files) -> tuple[str, ...] | None:
    """What the pattern becomes behind each link that one of its folders or names may match; None
    when there is too much to look at."""
    found: list[str] = []
    places = [follow_links(pattern, files)]
    for looked, place in enumerate(places):  # grows while it is walked
        folder = known_folder(place)
        if looked > _MOST_FOLDERS:
            return None
        if HOLE in place or len(place) > LONGEST or folder == place:
            continue
        part, _, rest = place[len(folder.rstrip("/")) + 1 :].partition("/")
        links = files.links(folder, _MOST_NAMES)
        if links is None:
            return None
        found += (
            posixpath.join(files.resolve(f"{folder}/{name}") or folder, rest).rstrip("/")
            for name in _matching(links, part)
        )
        if rest:
            names = _matching(files.names(folder, _MOST_NAMES), part)
            for inner in [f"{folder.rstrip('/')}/{name}/{rest}" for name in names]:
                real = follow_links(inner, files)
                if is_pattern(rest):
                    places.append(real)
                if real != inner:
                    found.append(real)
    return tuple(dict.fromkeys(found))


def expand_pattern(pattern: str, files: Files) -> tuple[str, ...] | None:
    """The paths that a shell puts in the place of an absolute pattern, hidden ones only where a dot
    is written; None when they cannot be told, or are too many."""
    places = [""]
    for part in pattern.split("/")[1:]:
        if HOLE in part or "**" in part or len(places) > _MOST_FOLDERS:
            return None
        if not is_pattern(part):
            places = [f"{place}/{part}" for place in places]
            continue
        found: list[str] = []
        for place in places:
            names = files.names(place or "/", _MOST_NAMES)
            if len(names) >= _MOST_NAMES:
                return None
            seen = tuple(name for name in names if name[0] != "." or part[0] == ".")
            found += (f"{place}/{name}" for name in _matching(seen, part))
        places = found
    return tuple(places)


def _matching(names: tuple[str, ...], part: str) -> list[str]:
    """Those of the names that one part of a pattern may stand for."""
    return [name for name in names if may_match(part, name)]


@dataclass(frozen=True, slots=True)
class Target:
    """A path that a command would create, change or remove. `path` is absolute and normal; it may
    hold HOLE where a part is not known."""

    path: str
    resolved: str  # with links followed
    whole: bool = False  # the path goes away as a whole: deleted, or moved elsewhere


@dataclass(frozen=True, slots=True)
class CommandContext:
    """One command with its surroundings, or a file tool's write: then `command` has no words."""

    facts: CommandFacts
    script: Script
    own: OwnFiles
    targets: tuple[Target, ...] = ()
    command: Command = field(init=False, repr=False, compare=False)
    workspace: Workspace = field(init=False, repr=False, compare=False)
    name: str = field(init=False, repr=False, compare=False)
    args: tuple[Word, ...] = field(init=False, repr=False, compare=False)
    texts: list[str] = field(init=False, repr=False, compare=False)
    """Of the arguments. Every guard asks for them, so they are found once; none changes them."""

    def __post_init__(self) -> None:
        command = self.facts.command
        args = command.words[1:]
        object.__setattr__(self, "command", command)
        object.__setattr__(self, "workspace", self.facts.workspace)
        object.__setattr__(self, "name", command.name)
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "texts", [word.text for word in args])

    def path(self, text: str) -> str | None:
        """`text` as an absolute path; None when the folder it starts from is not known."""
        return _path_of(text, self.facts)

    def real_path(self, path: str) -> str:
        """`path` with links followed, as far as that can be known."""
        return _real_path(path, self.facts)


def _path_of(text: str, facts: CommandFacts) -> str | None:
    files, cwd = facts.workspace.files, facts.command.cwd
    if text.startswith(HOLE):
        return None
    if text.startswith("/") or (len(text) > 1 and text[1] == ":"):
        return locate(text, "/", files)
    return None if cwd is None else locate(text, cwd, files)


def _real_path(path: str, facts: CommandFacts) -> str:
    return path if HOLE in path else facts.workspace.files.resolve(path) or path


See: TypeAlias = Callable[[CommandContext], str | None]
"""Answers with the offending detail, in a few words, or with None."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A deterministic hard deny. What it stops and what it lets pass is in `examples.toml`."""

    id: str
    reason: str  # one sentence without its full stop: the detail follows it
    advice: str  # what the agent may do instead
    sees: See
    programs: frozenset[str] = frozenset()  # asked about commands of these programs
    writes: bool = False  # asked about everything that writes a file
    everywhere: bool = False  # asked about every command
    remote: bool = False  # asked about commands that run on another machine too
    remedy: str = ""  # what a person can do about it


def excerpt(text: str) -> str:
    """A piece of a command for a sentence: short, on one line, with `…` for what is not known."""
    line = " ".join(text.replace(HOLE, "…").split())
    return line if len(line) <= 80 else f"{line[:79]}…"


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def option_values(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each word as an option with its value: what follows `=`, or the next word."""
    for text, after in pairwise((*texts, "")):
        name, equals, value = text.partition("=")
        yield name, value if equals else after


_CHANGING = (Kind.WRITES, Kind.DELETES, Kind.MOVES)


def targets(facts: CommandFacts) -> tuple[Target, ...]:
    """Everything the command writes, by redirect or by what its program does."""
    found = [(one.target.text, False) for one in facts.command.redirects if one.writes]
    for touch in facts.guarded_touches:
        if touch.kind in _CHANGING:
            found.append((touch.word.text, touch.whole and touch.kind is not Kind.WRITES))
    return tuple(
        target for text, whole in found for target in word_targets(facts, text, whole=whole)
    )


def word_targets(facts: CommandFacts, text: str, *, whole: bool) -> Iterator[Target]:
    """The typed path as a target; none when the folder it starts from is not known."""
    if text.startswith("~/"):
        text = facts.workspace.home + text[1:]
    path = _path_of(text, facts)
    if path is None:
        return
    folder, _, name = path.rpartition("/")
    if whole and folder and not text.endswith("/"):
        # A link goes away by itself; what it leads to stays.
        yield Target(path, f"{_real_path(folder, facts)}/{name}", whole)
    else:
        yield Target(path, _real_path(path, facts), whole)
