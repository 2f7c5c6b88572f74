"""Plug-ins of Claude Code that run inside of it and can answer before the gate ("mods"), found in
every place where it loads them from. Measured with 2.1.325.

A mod is a plug-in with a hooks file that names `modules`. Looking is bounded and never raises: what
cannot be understood counts as one.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from automode.facts.settings_text import file_bytes, items, json_settings, pairs, values

MANIFEST = ".claude-plugin/plugin.json"
HOOKS = "hooks/hooks.json"
INSTALLED = "plugins/installed_plugins.json"
MOST_FOLDERS = 20_000  # in one place: a mod must not hide behind many others
MOST_FILES = 1024  # of one mod
MOST_BYTES = 16 << 20
_WRITTEN_BY_THE_AGENT = (".d.ts",)  # declarations that it puts into a mod when it loads it

Trusts: TypeAlias = Callable[[str, str], bool]
"""Whether a person has looked at the folder with exactly the content of this digest."""


@dataclass(frozen=True, slots=True)
class Mod:
    """`digest` stands for all its files; empty where they are too many to be looked at."""

    path: str
    digest: str

    @property
    def real(self) -> str:
        return os.path.realpath(self.path)


def nobody_trusts(path: str, digest: str) -> bool:
    return False


def found_mods(
    projects: Iterable[str], accounts: Iterable[str], named: Iterable[str] = ()
) -> tuple[Mod, ...]:
    """`projects`: folders with a `.claude`. `accounts`: folders such as `~/.claude`. `named`:
    folders of plug-ins that somebody names."""
    plugins = dict.fromkeys(_plugins(projects, accounts, named))
    return tuple(Mod(one, _digest(one)) for one in plugins if _answers(one))


def mods_stamp(projects: Iterable[str], accounts: Iterable[str]) -> str:
    """Another text as soon as something about mods may have changed; much cheaper than looking."""
    return "\n".join(
        f"{plugin} {_plugin_stamp(plugin)}"
        for plugin in dict.fromkeys(_plugins(projects, tuple(accounts), ()))
    )


def _plugin_stamp(plugin: str) -> str:
    """Of one that runs no code only the files count that say so: others may be many."""
    files = _known_hook_files(plugin, _stamps(plugin, (MANIFEST,)))
    stamps = _stamps(plugin, files)
    if not _known_to_answer(plugin, stamps):
        return stamps
    with suppress(OSError, _TooMuch):
        return _stamps(plugin, _files(plugin))
    return stamps


def _stamps(plugin: str, names: Iterable[str]) -> str:
    return " ".join(_stamp(os.path.join(plugin, name)) for name in names)


def _stamp(path: str) -> str:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return "-"
    return f"{found.st_mtime_ns}.{found.st_ino}.{found.st_size}"


@lru_cache(maxsize=512)
def _known_hook_files(plugin: str, stamps: str) -> tuple[str, ...]:
    try:
        return (MANIFEST, *_hook_files(plugin))
    except (OSError, ValueError, RecursionError):
        return (MANIFEST, HOOKS)


@lru_cache(maxsize=512)
def _known_to_answer(plugin: str, stamps: str) -> bool:
    return _answers(plugin)


def _plugins(
    projects: Iterable[str], accounts: Iterable[str], named: Iterable[str]
) -> Iterator[str]:
    folders = tuple(accounts)
    skills = (os.path.join(one, "skills") for one in folders)
    for place in (*(os.path.join(one, ".claude/skills") for one in projects), *skills):
        for one in _below(place):
            if os.path.lexists(os.path.join(one, MANIFEST)):
                yield one
    for folder in folders:
        for session in _below(os.path.join(folder, "dev-mods")):
            yield from filter(_like_a_plugin, (session, *_below(session)))
        yield from filter(_like_a_plugin, _installed(os.path.join(folder, INSTALLED)))
    for one in named:
        yield from filter(_like_a_plugin, (one, *_below(one)))


def _below(place: str) -> list[str]:
    try:
        with os.scandir(place) as found:
            names = sorted(one.name for one, _ in zip(found, range(MOST_FOLDERS), strict=False))
    except OSError:
        return []
    return [os.path.join(place, name) for name in names]


def _like_a_plugin(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, one)) for one in (MANIFEST, HOOKS))


def _installed(path: str) -> list[str]:
    """Where plug-ins lie that a person has installed, as the agent keeps the list."""
    try:
        known = json_settings(file_bytes(path))
    except (OSError, ValueError, RecursionError):
        return []
    entries = (one for _, listed in pairs(values(known, "plugins")) for one in items([listed]))
    paths = (path for one in entries for path in values(one, "installPath"))
    return [one for one in paths if isinstance(one, str) and one.startswith("/")][:MOST_FOLDERS]


def _answers(plugin: str) -> bool:
    """Whether code of it may run in the agent: also where nobody can tell."""
    try:
        return any(_names_modules(plugin, one) for one in _hook_files(plugin))
    except (OSError, ValueError, RecursionError):
        return True


def _hook_files(plugin: str) -> list[str]:
    """The usual one, and those that the manifest names."""
    named: list[object] = []
    with suppress(FileNotFoundError, NotADirectoryError):
        manifest = json_settings(file_bytes(os.path.join(plugin, MANIFEST)))
        for given in values(manifest, "hooks"):
            named += given if isinstance(given, list) else [given]
    return [HOOKS, *(one for one in named if isinstance(one, str))]


def _names_modules(plugin: str, name: str) -> bool:
    try:
        hooks = json_settings(file_bytes(os.path.join(plugin, name)))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return any(one not in (None, []) for one in values(hooks, "modules"))


class _TooMuch(Exception):
    """More than anybody looks at."""


def _digest(plugin: str) -> str:
    whole, left = hashlib.sha256(), MOST_BYTES
    try:
        for path in _files(plugin):
            data = file_bytes(path)
            left -= len(data)
            if left < 0:
                return ""
            whole.update(
                f"{os.path.relpath(path, os.path.realpath(plugin))}\0{len(data)}\0".encode()
            )
            whole.update(data)
    except (OSError, ValueError, _TooMuch):
        return ""
    return whole.hexdigest()


def _files(plugin: str) -> Sequence[str]:
    """All that it may load, links to files followed."""
    found: list[str] = []
    for folder, folders, names in os.walk(os.path.realpath(plugin)):
        if any(os.path.islink(os.path.join(folder, one)) for one in folders):
            raise _TooMuch  # what lies behind may be anything
        found += [os.path.join(folder, one) for one in names]
        if len(found) > MOST_FILES:
            raise _TooMuch
    return sorted(one for one in found if not one.endswith(_WRITTEN_BY_THE_AGENT))
