"""Settings that switch an agent's hooks off, or lead around them, found where the agent reads them.

A repository can bring such a file along. Looking is bounded and never raises: a file that cannot be
understood is reported, because nobody can say what it switches.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from automode.facts.claude_mods import Mod, Trusts, found_mods, mods_stamp, nobody_trusts
from automode.facts.settings_text import (
    env_settings,
    file_bytes,
    json_settings,
    short,
    toml_settings,
)
from automode.facts.switching import (
    Look,
    claude_project,
    claude_rewriting,
    claude_system,
    codex,
    codex_rewriting,
    disabled,
    files_rewriting,
    gemini,
    handed_on,
    hooks_rewriting,
    opencode_rewriting,
    own_urls,
    pi_account,
    pi_rewriting,
)

CLAUDE = "claude-code"
MOST_FOLDERS = 64  # between a folder and the root of its repository
MOST_FINDINGS = 64
_LONGEST_POINTER = 4_096  # bytes of a worktree's `.git`
_WORKTREES = "/.git/worktrees/"


@dataclass(frozen=True, slots=True)
class Switch:
    """One setting that takes the gate out of an agent's way, and what to do about it. `blinds`:
    see `switching.Finding`; then not even a person who is there would notice."""

    agent: str
    path: str
    what: str
    fix: str
    blinds: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    agent: str
    name: str
    look: Look
    below: str = ""  # a folder of the home folder
    moved_by: str = ""  # the variable that names another folder, or the system's file, in its place


_PROJECT = (
    _Place("claude-code", ".claude/settings.json", claude_project),
    _Place("claude-code", ".claude/settings.local.json", claude_project),
    _Place("codex", ".codex/config.toml", codex),
    _Place("qwen-code", ".qwen/settings.json", gemini),
    _Place("qwen-code", ".env", handed_on),
    _Place("qwen-code", ".qwen/.env", handed_on),
    _Place("gemini-cli", ".gemini/settings.json", gemini),
    _Place("gemini-cli", ".env", handed_on),
    _Place("gemini-cli", ".gemini/.env", handed_on),
    _Place("copilot-cli", ".github/copilot/settings.json", disabled),
    _Place("copilot-cli", ".github/copilot/settings.local.json", disabled),
    # It obeys Claude Code's files in a project as well.
    _Place("copilot-cli", ".claude/settings.json", disabled),
    _Place("copilot-cli", ".claude/settings.local.json", disabled),
)
_ACCOUNT = (
    _Place("claude-code", "settings.json", disabled, ".claude", "CLAUDE_CONFIG_DIR"),
    _Place("codex", "config.toml", codex, ".codex", "CODEX_HOME"),
    _Place("qwen-code", "settings.json", gemini, ".qwen", "QWEN_HOME"),
    _Place("gemini-cli", ".gemini/settings.json", gemini, moved_by="GEMINI_CLI_HOME"),
    _Place("copilot-cli", "settings.json", disabled, ".copilot", "COPILOT_HOME"),
    _Place("copilot-cli", "config.json", disabled, ".copilot", "COPILOT_HOME"),
    _Place("pi", "settings.json", pi_account, ".pi/agent", "PI_CODING_AGENT_DIR"),
)
_SYSTEM = (
    _Place("claude-code", "claude-code/managed-settings.json", claude_system),
    _Place("gemini-cli", "gemini-cli/settings.json", gemini),
    _Place(
        "qwen-code", "qwen-code/settings.json", gemini, moved_by="QWEN_CODE_SYSTEM_SETTINGS_PATH"
    ),
)
_REWRITING = (
    _Place("cline", ".cline/hooks", files_rewriting),
    _Place("cline", ".clinerules/hooks", files_rewriting),
    _Place("codex", ".codex/config.toml", codex_rewriting),
    _Place("copilot-cli", ".github/hooks", files_rewriting),
    _Place("copilot-cli", ".github/copilot/settings.json", hooks_rewriting),
    _Place("copilot-cli", ".github/copilot/settings.local.json", hooks_rewriting),
    _Place("copilot-cli", ".claude/settings.json", hooks_rewriting),
    _Place("copilot-cli", ".claude/settings.local.json", hooks_rewriting),
    _Place("gemini-cli", ".gemini/settings.json", hooks_rewriting),
    _Place("claude-code", ".claude/settings.json", claude_rewriting),
    _Place("claude-code", ".claude/settings.local.json", claude_rewriting),
    _Place("pi", ".pi/settings.json", pi_rewriting),
    _Place("opencode", "opencode.json", opencode_rewriting),
    _Place("opencode", "opencode.jsonc", opencode_rewriting),
    _Place("opencode", ".opencode/opencode.json", opencode_rewriting),
)


def switches(
    root: str,
    *,
    home: str,
    agent: str = "",
    environment: Mapping[str, str] | None = None,
    system: str = "/etc",
    trusts: Trusts = nobody_trusts,
) -> tuple[Switch, ...]:
    """What switches hooks off for an agent that starts in `root`, or, without a name, for any.

    Looks into `root`, the folders above it up to the root of its repository, the main checkout of
    a worktree, the account's own settings (where `environment` says they are), the system's. Mods
    that a person `trusts` switch nothing off."""
    moved = environment or {}
    account = tuple(
        (place, moved.get(place.moved_by) or os.path.join(home, place.below)) for place in _ACCOUNT
    )
    managed = tuple(_moved(place, moved.get(place.moved_by, ""), system) for place in _SYSTEM)
    everywhere = (*_in_project(_PROJECT, root), *account, *managed)
    urls = _own_urls(everywhere)
    found = _found(((_aimed(place, urls), folder) for place, folder in everywhere), agent)
    if agent not in ("", CLAUDE):
        return found
    mods = mods_around(root, home=home, environment=moved)
    untrusted = (one for one in mods if not trusts(one.real, one.digest))
    return (*map(standing, untrusted), *found)[:MOST_FINDINGS]


def mods_around(
    root: str, *, home: str, environment: Mapping[str, str], named: Iterable[str] = ()
) -> tuple[Mod, ...]:
    """Plug-ins inside of Claude Code that can answer before the gate, where it starts in `root`.
    `named`: folders that its command line names besides."""
    return found_mods(_folders(root), _accounts(home, environment), named)


def stamp_around(root: str, *, home: str, environment: Mapping[str, str] | None = None) -> str:
    """Changes with what `mods_around` may find."""
    return mods_stamp(_folders(root), _accounts(home, environment or {}))


def standing(mod: Mod) -> Switch:
    what = "a plug-in that runs inside the agent and can answer in automode's place"
    look = "read it and run `automode trust --mods`, or remove it"
    large = "it is too large to be trusted: remove it"
    return Switch(CLAUDE, mod.path, what, look if mod.digest else large, blinds=True)


def _accounts(home: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    moved = environment.get("CLAUDE_CONFIG_DIR", "")
    usual = os.path.join(home, ".claude")
    return tuple(dict.fromkeys(one for one in (moved, usual) if one))


def _moved(place: _Place, file: str, system: str) -> tuple[_Place, str]:
    if not file:
        return place, system
    folder, name = os.path.split(os.path.abspath(file))
    return replace(place, name=name), folder


def rewriters(root: str, *, agent: str = "") -> tuple[Switch, ...]:
    """What in a project may change a call after it was decided. No switch, and often meant well;
    worth a person's look."""
    return _found(_in_project(_REWRITING, root), agent)


def _in_project(places: Iterable[_Place], root: str) -> tuple[tuple[_Place, str], ...]:
    folders = _folders(root)
    return tuple((place, folder) for place in places for folder in folders)


def _own_urls(places: Iterable[tuple[_Place, str]]) -> frozenset[str]:
    """Whatever cannot be read is reported elsewhere."""
    found: set[str] = set()
    for place, folder in places:
        if place.agent == "claude-code":
            with suppress(OSError, ValueError, RecursionError):
                found |= own_urls(json_settings(file_bytes(os.path.join(folder, place.name))))
    return frozenset(found)


def _aimed(place: _Place, urls: frozenset[str]) -> _Place:
    """Only who knows where our hooks look for the daemon can say what keeps them from it."""
    if place.look is not claude_project:
        return place
    return replace(place, look=partial(claude_project, urls=urls))


def _found(places: Iterable[tuple[_Place, str]], agent: str) -> tuple[Switch, ...]:
    found = (
        switch
        for place, folder in places
        if agent in ("", place.agent)
        for switch in _looked(place, os.path.join(folder, place.name))
    )
    return tuple(dict.fromkeys(found))[:MOST_FINDINGS]


def _folders(root: str) -> tuple[str, ...]:
    """Agents differ in where they look between the folder they start in and its repository's root;
    one of them also looks into the main checkout of a worktree."""
    found: list[str] = []
    folder = os.path.normpath(os.path.join("/", root))
    while len(found) < MOST_FOLDERS:
        found.append(folder)
        git = os.path.join(folder, ".git")
        if os.path.lexists(git):
            return (*found, *_main_checkout(git))
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return tuple(found[:1])  # no repository: nothing above counts


def _main_checkout(git: str) -> tuple[str, ...]:
    try:
        data = file_bytes(git)[:_LONGEST_POINTER]
    except (OSError, ValueError):
        return ()  # a folder: this is the main checkout
    pointer = data.decode("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
    main, marked, _ = os.path.join(os.path.dirname(git), pointer).partition(_WORKTREES)
    return (os.path.normpath(main),) if marked and "\0" not in main else ()


def _for_this_account(path: str) -> bool:
    """A folder of that name, or another account's file, gives an agent no variables either."""
    return os.path.isfile(path) and os.access(path, os.R_OK)


def _settings(path: str, data: bytes) -> object:
    if path.endswith(".env"):
        return env_settings(data)
    return toml_settings(data) if path.endswith(".toml") else json_settings(data)


def _names(folder: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def _looked(place: _Place, path: str) -> Iterator[Switch]:
    try:
        if place.look is files_rewriting:
            yield from (Switch(place.agent, path, *one) for one in place.look(_names(path)))
            return
        data = file_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        if place.look is handed_on and not _for_this_account(path):
            return
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        what = f"it cannot be read ({short(why)}), so it may switch hooks off"
        yield Switch(place.agent, path, what, "make it readable, or remove it")
        return
    try:
        settings = _settings(path, data)
        findings = [*place.look(settings)]
    except (ValueError, RecursionError) as error:
        what = f"it cannot be understood ({short(str(error))}), so it may switch hooks off"
        yield Switch(place.agent, path, what, "repair it, or remove it")
        return
    for found in findings:
        yield Switch(place.agent, path, *found)
