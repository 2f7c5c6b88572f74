"""Plug-ins of an account's Claude Code that run inside of it and can answer before the gate
("mods"), found in every place where it loads them from. Measured with 2.1.325.

A mod is a plug-in with a hooks file that names `modules`. Looking is bounded and never raises: what
cannot be understood counts as one.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache

from automode.facts.agent_settings import (
    Switch,
    TooMuch,
    file_bytes,
    file_stamp,
    items,
    json_settings,
    names_in,
    pairs,
    too_much,
    tree_digest,
    tree_stamp,
    values,
)

CLAUDE = "claude-code"
MANIFEST = ".claude-plugin/plugin.json"
HOOKS = "hooks/hooks.json"
INSTALLED = "plugins/installed_plugins.json"


def found_mods(accounts: Iterable[str], named: Iterable[str] = ()) -> tuple[Switch, ...]:
    """`accounts`: folders such as `~/.claude`. `named`: folders of plug-ins that somebody names."""
    folders = tuple(accounts)
    try:
        plugins = dict.fromkeys(_plugins(folders, named))
    except TooMuch:
        return tuple(too_much(CLAUDE, one) for one in folders)
    return tuple(_standing(one) for one in plugins if _answers(one))


def _standing(plugin: str) -> Switch:
    digest = tree_digest(plugin)
    what = "a plug-in that runs inside the agent and can answer in automode's place"
    look = "read it and run `automode trust --project`, or remove it"
    large = "it is too large to be trusted: remove it"
    return Switch(CLAUDE, plugin, what, look if digest else large, blinds=True, digest=digest)


def mods_stamp(accounts: Iterable[str]) -> str:
    """Another text as soon as something about mods may have changed; much cheaper than looking."""
    try:
        plugins = dict.fromkeys(_plugins(accounts, ()))
    except TooMuch:
        return "too much"
    return "\n".join(f"{plugin} {_plugin_stamp(plugin)}" for plugin in plugins)


def _plugin_stamp(plugin: str) -> str:
    """Of one that runs no code only the files count that say so: others may be many."""
    files = _known_hook_files(plugin, _stamps(plugin, (MANIFEST,)))
    stamps = _stamps(plugin, files)
    return tree_stamp(plugin) if _known_to_answer(plugin, stamps) else stamps


def _stamps(plugin: str, names: Iterable[str]) -> str:
    return " ".join(file_stamp(os.path.join(plugin, name)) for name in names)


@lru_cache(maxsize=512)
def _known_hook_files(plugin: str, stamps: str) -> tuple[str, ...]:
    try:
        return (MANIFEST, *_hook_files(plugin))
    except (OSError, ValueError, RecursionError):
        return (MANIFEST, HOOKS)


@lru_cache(maxsize=512)
def _known_to_answer(plugin: str, stamps: str) -> bool:
    return _answers(plugin)


def _plugins(accounts: Iterable[str], named: Iterable[str]) -> Iterator[str]:
    for folder in accounts:
        for one in _folders_below(f"{folder}/skills"):
            if os.path.lexists(f"{one}/{MANIFEST}"):
                yield one
        for session in _folders_below(f"{folder}/dev-mods"):
            yield from filter(_like_a_plugin, (session, *_folders_below(session)))
        yield from filter(_like_a_plugin, _installed_plugins(f"{folder}/{INSTALLED}"))
    for one in named:
        yield from filter(_like_a_plugin, (one, *_folders_below(one)))


def _folders_below(place: str) -> list[str]:
    return [f"{place}/{name}" for name in names_in(place)]


def _like_a_plugin(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, one)) for one in (MANIFEST, HOOKS))


def _installed_plugins(path: str) -> list[str]:
    """Where plug-ins lie that a person has installed, as the agent keeps the list."""
    try:
        known = json_settings(file_bytes(path))
    except (OSError, ValueError, RecursionError):
        return []
    entries = (one for _, listed in pairs(values(known, "plugins")) for one in items([listed]))
    paths = (path for one in entries for path in values(one, "installPath"))
    return [one for one in paths if isinstance(one, str) and one.startswith("/")]


def _answers(plugin: str) -> bool:
    """Whether code of it may run in the agent; True where that is unknown."""
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
