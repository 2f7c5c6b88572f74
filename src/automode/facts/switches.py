"""Settings that switch an agent's hooks off, or lead around them, found where the agent reads them:
in a project, in the account, in the system.

A repository can bring such a file along. Looking is bounded and never raises: a file that cannot be
understood is reported, because nobody can say what it switches.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from automode.agents.catalog import AGENTS
from automode.facts.agent_settings import (
    Switch,
    Trusts,
    file_bytes,
    json_settings,
    nobody_trusts,
    short,
    toml_settings,
    without_trusted,
)
from automode.facts.claude_mods import CLAUDE, found_mods, mods_stamp
from automode.facts.project_files import foreign, foreign_stamp, project_folders
from automode.facts.switching import Look, claude_system, codex, disabled, gemini, pi_account

MOST_FINDINGS = 64
_LOOKS: dict[str, Look] = {
    one.__name__: one for one in (claude_system, codex, disabled, gemini, pi_account)
}


@dataclass(frozen=True, slots=True)
class _Place:
    """A file that its agent's `agent.toml` names."""

    agent: str
    name: str
    look: Look
    below: str = ""  # a folder of the home folder
    moved_by: str = ""  # the variable that names another folder, or the system's file, in its place


@cache
def _places(where: str) -> tuple[_Place, ...]:
    return tuple(
        _Place(
            agent.name,
            row["file"],
            _LOOKS[row["look"]],
            row.get("below", ""),
            row.get("moved_by", ""),
        )
        for agent in AGENTS.values()
        for row in agent.switches
        if row["in"] == where
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
    """What leads around the gate for an agent that starts in `root`, or, without a name, for any.

    Looks into `root`, the folders above it up to the root of its repository, the main checkout of
    a worktree, the account's own settings (where `environment` says they are), the system's. What a
    person `trusts` is left out; what plainly switches hooks off can not be trusted."""
    moved = environment or {}
    account = tuple(
        (place, moved.get(place.moved_by) or os.path.join(home, place.below))
        for place in _places("account")
    )
    managed = tuple(
        _moved_place(place, moved.get(place.moved_by, ""), system) for place in _places("system")
    )
    project = tuple((place, one) for place in _places("project") for one in project_folders(root))
    unknown = without_trusted(to_look_at(root, home=home, agent=agent, environment=moved), trusts)
    unread = {(one.agent, one.path) for one in unknown if not one.digest}
    off = _find_switches((*project, *account, *managed), agent)
    others = (one for one in off if (one.agent, one.path) not in unread)
    return (*unknown, *others)[:MOST_FINDINGS]


def to_look_at(
    root: str,
    *,
    home: str,
    agent: str = "",
    environment: Mapping[str, str] | None = None,
    named: Iterable[str] = (),
) -> tuple[Switch, ...]:
    """What nobody knows to be harmless, in the project and inside of Claude Code. `named`: folders
    of plug-ins that somebody names besides."""
    claude = agent in ("", CLAUDE)
    mods = found_mods(_accounts(home, environment or {}), named) if claude else ()
    return (*mods, *foreign(root, home=home, agent=agent))


def stamp_around(
    root: str, *, home: str, agent: str, environment: Mapping[str, str] | None = None
) -> str:
    """Changes with what `to_look_at` may find."""
    mods = mods_stamp(_accounts(home, environment or {})) if agent == CLAUDE else ""
    return f"{mods}\n{foreign_stamp(root, home=home, agent=agent)}"


def _accounts(home: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    moved, usual = environment.get("CLAUDE_CONFIG_DIR", ""), f"{home.rstrip('/')}/.claude"
    return (moved, usual) if moved and moved != usual else (usual,)


def _moved_place(place: _Place, file: str, system: str) -> tuple[_Place, str]:
    if not file:
        folder = AGENTS[place.agent].system_folder(system, macos=sys.platform == "darwin")
        return replace(place, name=os.path.basename(place.name)), folder
    folder, name = os.path.split(os.path.abspath(file))
    return replace(place, name=name), folder


def _find_switches(places: Iterable[tuple[_Place, str]], agent: str) -> tuple[Switch, ...]:
    found = (
        switch
        for place, folder in places
        if agent in ("", place.agent)
        for switch in _look_at(place, os.path.join(folder, place.name))
    )
    return tuple(dict.fromkeys(found))[:MOST_FINDINGS]


def _settings(path: str, data: bytes) -> object:
    return toml_settings(data) if path.endswith(".toml") else json_settings(data)


def _look_at(place: _Place, path: str) -> Iterator[Switch]:
    try:
        data = file_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        what = f"it cannot be read ({short(why)}), so it may switch hooks off"
        yield Switch(place.agent, path, what, "make it readable, or remove it")
        return
    try:
        findings = [*place.look(_settings(path, data))]
    except (ValueError, RecursionError) as error:
        what = f"it cannot be understood ({short(str(error))}), so it may switch hooks off"
        yield Switch(place.agent, path, what, "repair it, or remove it")
        return
    for what, fix in findings:
        yield Switch(place.agent, path, what, fix)
