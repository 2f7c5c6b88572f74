"""What code does outside of itself, and to what, in words that all languages share."""

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TypeAlias

from automode.core.paths import normal, within
from automode.core.workspace import Workspace
from automode.judge.hosts import host_of, is_here
from automode.judge.places import where
from automode.judge.words import patterns
from automode.programs.inline_python import UNKNOWN
from automode.programs.python_starts import UNKNOWN_WORD
from automode.shell.script import HOLE, Command, Redirect, Word

Values: TypeAlias = tuple[str, ...] | None
"""The texts that an expression may stand for. None of them: it was given, and nothing in it was
chosen by the code. None: the code chose something of it, and nobody can tell what."""
GIVEN = "\ufdd2"
"""A part of a text that was given. What the project's own code or a library makes is UNKNOWN."""
TESTS_FOLDER = "automode-tests/of/this/file"
MOST_VALUES = 60
LONGEST_SHOWN = 60
_P = patterns("python_acts")
_ABOVE = re.compile(r"(?:^|/)\.\.(?:/|$)")
_HIDDEN = re.compile(r"/\.(?!\.)")
_LOSING = frozenset("rm truncate kill".split())
_KEEPING = frozenset("mkdir >> < cp ln chmod".split())
_SHARED = frozenset("worktree GIT_DIR GIT_WORK_TREE".split())
_TOLD = {
    "rm": "deletes",
    "rmdir": "deletes",
    "mkdir": "makes",
    "mv": "moves",
    "cp": "copies to",
    "ln": "links",
    ">>": "writes",
    "<": "reads",
    "truncate": "empties",
    "chmod": "changes the rights of",
}


@dataclass(frozen=True, slots=True)
class Act:
    """`told` completes "it …". A command that does the same, a text that a shell would read, or a
    module that is loaded; none of them: nobody can tell what it is done to. `sure`: all of it is
    known. `hint`: it is far-reaching, whoever does it. `grave`: it may be far-reaching, as its
    target is not known. `package`: the library that does it, which may be the project itself."""

    told: str
    command: Command | None = None
    text: str = ""
    module: str = ""
    package: str = ""
    sure: bool = True
    hint: bool = False
    grave: bool = False
    guess: bool = False  # it may be no command at all

    @property
    def is_told(self) -> bool:
        """Whether all that it does is known."""
        return self.sure and (self.command is not None or bool(self.text))


class Places:
    """Acts on paths, and which of them only concern a test."""

    def __init__(self, place: Workspace) -> None:
        self.place = place
        self.around_temporary = f"{place.temporary[0]}/automode-tests"
        self.temporary = f"{place.temporary[0]}/{TESTS_FOLDER}"

    def act(self, told: str, words: Sequence[str], redirect: str = "") -> Act:
        known = not any(one.startswith((UNKNOWN, GIVEN)) or self._leaves(one) for one in words)
        leaves = any(map(self._leaves, words))
        grave = not known and (words[0] in _LOSING or leaves)
        texts = [with_holes(one) for one in words]
        here = self.place.cwd
        if redirect:
            target = Redirect(redirect, Word(texts[0]))
            return Act(told, Command((), redirects=(target,), cwd=here), sure=known, grave=leaves)
        return Act(told, Command(tuple(map(Word, texts)), cwd=here), sure=known, grave=grave)

    def is_fine(self, path: str, *, keeps: bool) -> bool:
        """Whether a path lies in a folder for tests, or in one that was given. `keeps`: nothing is
        lost there, and the project's own code may have told the folder."""
        if _ABOVE.search(path):
            return False
        if keeps and path.startswith(UNKNOWN):
            return not _HIDDEN.search(path)
        return path.startswith(GIVEN) or within(path, self.temporary)

    def folder(self, given: str, texts: Iterable[str]) -> str:
        """What leads to where a program is started, as a shell would say it. In a folder for tests
        git has a repository of its own, unless the code has it share one."""
        shares = within(given, self.temporary) and not _SHARED.isdisjoint(texts)
        return "" if not given or shares else f"cd {quoted(given)} && "

    def _leaves(self, path: str) -> bool:
        """Whether it leads out of a folder for tests, to where nobody can tell."""
        return within(path, self.around_temporary) and not within(normal(path), self.temporary)

    def is_near(self, path: str) -> bool:
        """Whether it lies in the workspace, or in a folder for tests."""
        if self.is_fine(path, keeps=False):
            return True
        return where(with_holes(path), Command(()), self.place) in ("here", "generated")

    def moves(self, action: str, values: Sequence[Values]) -> Iterator[Act]:
        """Files, by a program that does the same, and how many of the paths it takes."""
        *words, _ = action.removesuffix(" back").split()
        told = _TOLD.get(words[0], "changes")
        if not values or any(one is None for one in values):
            yield Act(f"{told} what nobody can tell", grave=words[0] in _LOSING)
            return
        for texts in islice(product(*[one or () for one in values]), MOST_VALUES):
            every = list(reversed(texts)) if action.endswith("back") else list(texts)
            yield from self._moved(words, every, f"{told} `{shown(every[-1])}`")

    def _moved(self, words: list[str], every: list[str], told: str) -> Iterator[Act]:
        keeps = words[0] in _KEEPING
        if words[0] == "cp" and every[0].startswith((UNKNOWN, GIVEN, self.temporary)):
            words, every = [">>"], every[1:]
        if all(self.is_fine(one, keeps=keeps) for one in every):
            return
        if words[0] == "ln" and not self.is_near(every[0]):
            yield Act(f"links to `{shown(every[0])}`", grave=True)
        if words[0] in (">>", "<"):
            yield self.act(told, every, words[0])
        else:
            yield self.act(told, [*words, *every])


def is_chosen(text: str) -> bool:
    """Whether the code that is read chose some of a text."""
    return bool(text.strip(UNKNOWN + GIVEN))


def join_paths(parts: Sequence[str]) -> str:
    return posixpath.join(*parts)


def joined(parts: Sequence[Values], join: Callable[[Sequence[str]], str]) -> Values:
    """Each way to put the parts together."""
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None
    every = list(islice(product(*known), MOST_VALUES + 1))
    return None if len(every) > MOST_VALUES else tuple(dict.fromkeys(map(join, every)))


def either(several: Iterable[Values]) -> Values:
    found: dict[str, None] = {}
    for one in several:
        if one is None:
            return None
        found.update(dict.fromkeys(one))
    return tuple(found) if len(found) <= 10 * MOST_VALUES else None


def above(path: str) -> str:
    return posixpath.dirname(path) or (path if path[-1:] in (GIVEN, UNKNOWN) else "..")


def shown(text: str) -> str:
    plain = re.sub(r"\s+", " ", with_holes(text).replace(HOLE, "…").replace("`", "'"))
    return plain if len(plain) <= LONGEST_SHOWN else f"{plain[:LONGEST_SHOWN]}…"


def quoted(word: str) -> str:
    """As a shell reads it."""
    parts = with_holes(word).split(HOLE)
    return UNKNOWN_WORD.join(shlex.quote(one) if one or len(parts) == 1 else "" for one in parts)


def with_holes(text: str) -> str:
    return text.replace(UNKNOWN, HOLE).replace(GIVEN, HOLE)


def stays(text: str) -> bool:
    """Whether an address is one of this machine, one that stands for any in a test, or given."""
    if text.startswith((UNKNOWN, GIVEN, "/")) or text in ("", "::") or text.isdigit():
        return True
    host = host_of(with_holes(text))
    return is_here(host) or _P.nowhere.fullmatch(host) is not None or not host
