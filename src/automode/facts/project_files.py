"""Files of a project that an agent obeys and that nobody knows to be harmless.

Each is bound to what it says. Looking is bounded and never raises: what cannot be read or
understood counts as one. `harmless.toml` lists what is harmless; all else is an objection.
"""

import hashlib
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple, TypeAlias

from automode.core.workspace import Search
from automode.facts.agent_settings import (
    MISSING,
    MOST_NAMES,
    Switch,
    TooMuch,
    env_settings,
    file_bytes,
    file_stamp,
    files_below,
    front_matter,
    json_settings,
    names_in,
    short,
    toml_settings,
    too_much,
    tree_digest,
    tree_stamp,
)
from automode.facts.git import tracked
from automode.shell.variables import PRESENTATION

MOST_FOLDERS = 64  # between a folder and the root of its repository
_LONGEST_POINTER = 4_096  # bytes of a worktree's `.git`
_WORKTREES = "/.git/worktrees/"


def project_folders(root: str) -> tuple[str, ...]:
    """Agents differ in where they look between the folder they start in and its repository's root;
    one of them also looks into the main checkout of a worktree."""
    found: list[str] = []
    folder = os.path.normpath(os.path.join("/", root))
    while len(found) < MOST_FOLDERS:
        found.append(folder)
        git = os.path.join(folder, ".git")
        if os.path.lexists(git):
            pointer = os.path.isfile(git)
            main = _main_checkout(git) if pointer else ()
            if main or not pointer:  # in a submodule some agents climb on
                return (*found, *main)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return tuple(found)  # no repository: some agents look in every folder above


def _main_checkout(git: str) -> tuple[str, ...]:
    try:
        data = file_bytes(git)[:_LONGEST_POINTER]
    except (OSError, ValueError):
        return ()
    pointer = data.decode("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
    main, marked, _ = os.path.join(os.path.dirname(git), pointer).partition(_WORKTREES)
    return (os.path.normpath(main),) if marked and "\0" not in main else ()


Keys: TypeAlias = tuple[str, ...]

_FILLED_IN = re.compile(r"\$\{?\w+(?:\[\w*\])?\}?|\{\{\w+\}\}|\{(?:env|file):[^}]*\}")
"""What agents put arguments, variables and files in the place of, before they look for marks."""


class Objection(NamedTuple):
    """A key that nobody knows to be harmless, one level after the other, and what it says."""

    keys: Keys
    value: object

    @property
    def name(self) -> str:
        return ".".join(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """Files of one kind: see `harmless.toml`."""

    agents: tuple[str, ...]
    files: tuple[Keys, ...]
    harmless: tuple[Keys, ...] = ()
    asked: tuple[Keys, ...] = ()
    variables: tuple[Keys, ...] = ()
    names: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    untracked: tuple[Keys, ...] = ()
    inside: tuple[Keys, ...] = ()
    code: bool = False
    marker: str = ""

    def objections(self, settings: object, text: str = "") -> Iterator[Objection]:
        """`settings`: see `settings_text`. `text`: the whole file."""
        told = "\n".join((text, *strings_in(settings)))
        filled = _FILLED_IN.sub("", told)
        for mark in self.marks:
            if mark in told or mark in filled:
                yield Objection((mark,), text)
        if isinstance(settings, tuple):
            yield from self._objections(settings, ())
        else:
            yield Objection((), "no object")

    def _objections(self, settings: tuple[object, ...], above: Keys) -> Iterator[Objection]:
        for pair in settings:
            key, value = pair if isinstance(pair, tuple) and len(pair) == 2 else ("", pair)
            keys = (*above, str(key))
            if self._passes(keys, value):
                continue
            if self._leads_on(keys) and isinstance(value, tuple):
                yield from self._objections(value, keys)
            else:
                yield Objection(keys, value)

    def _passes(self, keys: Keys, value: object) -> bool:
        above = keys[:-1]
        if above in self.variables:
            return self._presents(keys[-1], value)
        says_nothing = value in ((), []) and bool(above) and self._leads_on(above)
        return says_nothing or any(_fits(keys, one) for one in self.harmless)

    def _leads_on(self, keys: Keys) -> bool:
        """Whether the lists know something deeper."""
        known = (*self.harmless, *self.asked)
        if keys in self.inside:
            return True
        inner = any(len(one) > len(keys) and _fits(keys, one[: len(keys)]) for one in known)
        return inner or any(one[: len(keys)] == keys for one in self.variables)

    def _presents(self, name: str, value: object) -> bool:
        """Whether a variable of the environment changes nothing but presentation, the choice of a
        model, or data of the project's own programs."""
        values = PRESENTATION.get(name)
        if values is not None:
            return values.fullmatch(str(value)) is not None
        return any(fnmatchcase(name, one) for one in self.names)

    def only_asks(self, objection: Objection) -> bool:
        """Whether it cannot answer in a person's place."""
        return any(_fits(objection.keys, one) for one in self.asked)


@lru_cache(maxsize=1)
def rows() -> tuple[Row, ...]:
    given = tomllib.loads(files("automode.facts").joinpath("harmless.toml").read_text("utf-8"))
    return tuple(_row(one) for one in given["row"])


@lru_cache(maxsize=32)
def rows_of(agent: str) -> tuple[tuple[Row, ...], frozenset[str]]:
    """With the names in a project that their files begin with."""
    found = tuple(one for one in rows() if agent in one.agents)
    return found, frozenset(parts[0] for row in found for parts in row.files)


def agents() -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in rows() for name in one.agents))


def _row(given: dict[str, object]) -> Row:
    def words(name: str) -> tuple[str, ...]:
        found = given.get(name, "")
        return tuple(found.split() if isinstance(found, str) else map(str, _as_list(found)))

    def keys(name: str) -> tuple[Keys, ...]:
        return tuple(() if one == "." else tuple(one.split(".")) for one in words(name))

    return Row(
        words("agents"),
        tuple(tuple(one.split("/")) for one in words("files")),
        keys("harmless"),
        keys("asked"),
        keys("variables"),
        words("names"),
        words("marks"),
        keys("untracked"),
        keys("inside"),
        given.get("code") is True,
        str(given.get("marker", "")),
    )


def _as_list(found: object) -> list[object]:
    return found if isinstance(found, list) else []


def strings_in(settings: object) -> Iterator[str]:
    """Every text in what a setting says."""
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, tuple | list):
        for one in settings:
            yield from strings_in(one)


def _fits(keys: Keys, pattern: Keys) -> bool:
    """Whether the keys are those, or stand below them."""
    return len(keys) >= len(pattern) and all(
        key == one or ("*" in one and fnmatchcase(key, one))
        for key, one in zip(keys, pattern, strict=False)
    )


MOST_SHOWN = 3
MOST_NAMED = 256
_MOST_TRACKED = 1_000_000
LOOK = "read it and run `automode trust --project`, or remove it"
_NO_CODE = frozenset({".gitkeep", ".gitignore", ".DS_Store"})
_WORDS = re.compile(r"[^\s;&|<>()\"'`=,]+")
_UNKNOWN = re.compile(r"\$\([^)]*\)|\$\{[^}]*\}|\$\w+|~\+|[\"'\\]")


def foreign(root: str, *, home: str, agent: str = "") -> tuple[Switch, ...]:
    """What a person has to look at before an agent, or any, works in `root`."""
    names = (agent,) if agent else agents()
    found = (
        switch
        for name in names
        for row, folder in _places(name, root, home)
        for switch in _look(name, row, folder)
    )
    return tuple(dict.fromkeys(found))


def foreign_stamp(root: str, *, home: str, agent: str) -> str:
    """Changes with what `foreign` may find; cheap enough for each call."""
    return "\n".join(
        stamp for row, folder in _places(agent, root, home) for stamp in _stamps(row, folder)
    )


def _places(agent: str, root: str, home: str) -> Iterator[tuple[Row, str]]:
    """Not in the home folder: what lies there is the account's own."""
    known, tops = rows_of(agent)
    for folder in project_folders(root) if known else ():
        there = {top for top in tops if os.path.lexists(f"{folder}/{top}")}
        if not there or os.path.realpath(folder) == os.path.realpath(home):
            continue
        for row in known:
            if any(parts[0] in there for parts in row.files):
                yield row, folder


def _stamps(row: Row, folder: str) -> Iterator[str]:
    try:
        for path in _paths(row, folder):
            stamp = file_stamp(path)
            if stamp == MISSING:
                continue
            if row.code:
                yield f"{path} {tree_stamp(path)}"
                continue
            yield f"{path} {stamp}"
            for objection in _objections(row, path, stamp):
                yield from (file_stamp(one) for one in _named_files(objection.value, folder))
    except TooMuch:
        yield f"{folder} too much"


def _look(agent: str, row: Row, folder: str) -> Iterator[Switch]:
    try:
        for path in _paths(row, folder):
            found = _code(agent, path) if row.code else _settings(agent, row, path, folder)
            if found is not None:
                yield found
    except TooMuch:
        yield too_much(agent, os.path.join(folder, *row.files[0][:2]))


def _code(agent: str, path: str) -> Switch | None:
    if not set(names_in(path)) - _NO_CODE:
        return None
    digest = tree_digest(path)
    what = "what lies there runs inside the agent or before its calls, beside automode"
    large = "it is too large to be trusted, or holds links: remove it"
    return Switch(agent, path, what, LOOK if digest else large, blinds=True, digest=digest)


def _settings(agent: str, row: Row, path: str, folder: str) -> Switch | None:
    found = _objections(row, path, file_stamp(path))
    if row.untracked and found and _unknown_to_git(path, folder):
        found = tuple(one for one in found if one.keys not in row.untracked)
    if not found:
        return None
    blinds = not all(row.only_asks(one) for one in found)
    if not found[-1].keys:
        what = f"it cannot be understood ({found[-1].value}), and may lead around automode"
        return Switch(agent, path, what, "repair it, or remove it", blinds=True)
    names = ", ".join(f"`{short(one.name)}`" for one in found[:MOST_SHOWN])
    more = f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
    what = f"{names}{more}: not known to be harmless, and may lead around automode"
    digest = _digest(found, folder)
    return Switch(agent, path, what, LOOK, blinds=blinds, asks=not blinds, digest=digest)


@lru_cache(maxsize=4096)
def _objections(row: Row, path: str, stamp: str) -> tuple[Objection, ...]:
    """What cannot be read is one, too, unless no agent can read it either."""
    if stamp == MISSING or os.path.isdir(path):
        return ()
    try:
        data = file_bytes(path)
        return tuple(row.objections(_parse(path, data), data.decode("utf-8", "replace")))
    except (OSError, ValueError, RecursionError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        if isinstance(error, PermissionError) and row.variables == ((),):
            return ()  # another account's, as containers leave them
        return (Objection((), short(why)),)


def _parse(path: str, data: bytes) -> object:
    match os.path.splitext(path)[1].lower():
        case ".md":
            return front_matter(data)
        case ".toml":
            return toml_settings(data)
        case ".json" | ".jsonc":
            return json_settings(data)
        case _:
            return env_settings(data)


def _digest(found: Sequence[Objection], folder: str) -> str:
    """Of what is not harmless alone, and of the files of the project that it names: an agent
    may write the rest by itself."""
    whole = hashlib.sha256(repr([tuple(one) for one in found]).encode("utf-8", "surrogatepass"))
    for path in dict.fromkeys(name for one in found for name in _named_files(one.value, folder)):
        try:
            data = file_bytes(path)
        except OSError:
            data = b""
        whole.update(f"{path}\0{len(data)}\0".encode("utf-8", "surrogatepass"))
        whole.update(data)
    return whole.hexdigest()


def _named_files(value: object, folder: str) -> Iterator[str]:
    """Files of the project in what a setting says, such as the script of a hook, and all that lie
    in a folder that it names."""
    words = (word for text in strings_in(value) for word in _WORDS.findall(_UNKNOWN.sub("", text)))
    for word, _ in zip(words, range(MOST_NAMED), strict=False):
        plain = os.path.dirname(word) if "*" in word or "?" in word else word
        for start in (plain, plain.lstrip("/")):
            path = os.path.normpath(os.path.join(folder, start))
            if not path.startswith(f"{folder}/"):
                continue
            if os.path.isfile(path):
                yield path
            elif os.path.isdir(path):
                yield from files_below(path)


def _unknown_to_git(path: str, folder: str) -> bool:
    """Whether git is sure not to have brought the file: neither itself, nor a link or another
    repository on the way to it."""
    name = os.path.relpath(path, folder)
    if os.path.realpath(path) != os.path.join(os.path.realpath(folder), name) or os.path.lexists(
        os.path.join(os.path.dirname(path), ".git")
    ):
        return False
    try:
        with open(os.path.join(folder, ".git", "index"), "rb") as file:
            index = file.read()
    except (OSError, ValueError):
        return False
    starts = (os.path.basename(path).lower(),)
    known = tracked(index, Search(folder, _MOST_TRACKED, starts=starts))
    return known is not None and name not in known


def _paths(row: Row, folder: str) -> Iterator[str]:
    """Raises TooMuch."""
    for parts in row.files:
        for path in _expand(folder, parts):
            if not row.marker or os.path.lexists(os.path.join(path, row.marker)):
                yield path


def _expand(base: str, parts: Keys) -> Iterator[str]:
    plain = 0
    while plain < len(parts) and "*" not in parts[plain]:
        plain += 1
    base, rest = os.path.join(base, *parts[:plain]), parts[plain:]
    if not rest:
        yield base
    elif rest[0] == "**":
        for folder in _folders_below(base):
            yield from _expand(folder, rest[1:])
    else:
        for name in names_in(base):
            if fnmatchcase(name.casefold(), rest[0].casefold()):
                yield from _expand(os.path.join(base, name), rest[1:])


def _folders_below(base: str) -> Iterable[str]:
    found = [base]
    for folder in found:  # grows while it is walked
        try:
            with os.scandir(folder) as inner:
                found += [one.path for one in inner if one.is_dir()]
        except OSError:
            continue
        if len(found) > MOST_NAMES:
            raise TooMuch
    return found
