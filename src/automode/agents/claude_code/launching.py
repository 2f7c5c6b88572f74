"""How Claude Code is started so that no project can take the gate away."""

import json
import os
from collections.abc import Mapping, Sequence

from automode.agents.claude_code.settings import (
    ENVIRONMENT,
    NAMES,
    OURS,
    claude_settings,
    spares_loopback,
    usual_hosts,
)
from automode.agents.installing.installer import Launch, options, take_option
from automode.agents.installing.json_files import settings_in
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.installing.site import Registration, Site
from automode.config.jsonc import MARK
from automode.config.places import content as file_content
from automode.core.errors import BadSettings

_SETTINGS, _SOURCES = "--settings", "--setting-sources"
_MANAGED = "--managed-settings"
_BLOCKED = "blockedMarketplaces"
_SKILLS: Mapping[str, object] = {"source": "skills-dir"}
"""No plug-in is loaded from a folder of skills. And where there is any managed setting, the agent's
own guard sends what hooks are asked past every other plug-in inside of it. Measured on 2.1.325."""
_PLUGINS = ("--plugin-dir", "--plugin-dir-no-mcp", "--plugin-url")
_PLUGIN_VARIABLE = "CLAUDE_CODE_PLUGIN_DIRS"
_OFF = "disableAllHooks"


def claude_launch(
    arguments: Sequence[str],
    site: Site,
    hooks: Mapping[str, object],
    places: Sequence[Registration],
    *,
    closes: bool,
) -> Launch:
    """`hooks` come along where none are installed: by command, because a token in a command line
    could be read by every account. `closes`: this Claude Code knows `onFailure`. Settings from the
    command line outrank those of a project, so the switch that a project may bring is put back
    here. Raises CannotInstall."""
    given, rest = take_option(arguments, _SETTINGS)
    settings = _given_settings(given)
    if settings.get(_OFF):
        raise CannotInstall(
            f"your --settings say `{_OFF}`", "leave it out, or start Claude Code itself"
        )
    settings[_OFF] = False
    installed = _that_count(rest, places)
    if not installed:
        settings["hooks"] = _join_hooks(settings, hooks)
    if any(one.transport is Transport.HTTP for one in installed):
        settings[ENVIRONMENT] = _spare_loopback(settings, site)
    managed, rest = take_option(rest, _MANAGED)
    words = (_SETTINGS, json.dumps(settings), *rest)
    if closes or managed:
        words = (_MANAGED, json.dumps(_without_mods(managed)), *words)
    return Launch(words)


def named_plugins(arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Folders and archives of plug-ins that a person has Claude Code load besides."""
    found = environment.get(_PLUGIN_VARIABLE, "").split(os.pathsep)
    for option in _PLUGINS:
        found += take_option(arguments, option)[0]
    return [one for one in found if one]


def _without_mods(given: Sequence[str]) -> dict[str, object]:
    """Their managed settings, and no plug-in that could answer before the gate."""
    managed = _given_settings(given, _MANAGED)
    listed = managed.get(_BLOCKED, [])
    if not isinstance(listed, list):
        raise CannotInstall(f"`{_BLOCKED}` in your {_MANAGED} is no list", "fix it")
    managed[_BLOCKED] = [_SKILLS, *listed]
    return managed


def _given_settings(given: Sequence[str], option: str = _SETTINGS) -> dict[str, object]:
    if not given:
        return {}
    if len(given) > 1:
        raise CannotInstall(f"{option} is given {len(given)} times", "give it once")
    try:
        data = given[0].encode() if given[0].lstrip().startswith("{") else _read(given[0])
        found: object = json.loads(data.decode().removeprefix(MARK))
    except (ValueError, BadSettings) as error:
        raise CannotInstall(
            f"your {option} cannot be read: {error}", "give a file or an object in JSON"
        ) from error
    if not isinstance(found, dict):
        raise CannotInstall(f"your {option} are no object", "give a file or an object in JSON")
    return found


def _read(path: str) -> bytes:
    data = file_content(os.path.abspath(path))
    if data is None:
        raise BadSettings(f"no such file: `{path}`")
    return data


def _that_count(
    arguments: Sequence[str], places: Sequence[Registration]
) -> tuple[Registration, ...]:
    """Where hooks are installed: whole, not by a project, and in settings that are loaded."""
    sources, _ = take_option(arguments, _SOURCES)
    loaded = set(sources[-1].split(",")) if sources else {"user"}
    if "--restricted" in options(arguments):
        loaded = set()
    loaded = (loaded & {Scope.USER.value}) | {Scope.MANAGED.value}
    return tuple(one for one in places if not one.wrong and one.scope.value in loaded)


def _object_in(settings: Mapping[str, object], name: str) -> dict[str, object]:
    found = settings.get(name)
    if found is not None and not isinstance(found, dict):
        raise CannotInstall(f"`{name}` in your --settings is no object", "fix it")
    return dict(found or {})


def _spare_loopback(settings: Mapping[str, object], site: Site) -> dict[str, object]:
    """Their variables, and no proxy before the daemon, whatever the project sets."""
    theirs = _object_in(settings, ENVIRONMENT)
    usual = settings_in(claude_settings(site, Scope.USER)).get(ENVIRONMENT)
    known: dict[str, object] = {**(usual if isinstance(usual, dict) else {}), **theirs}
    for name in NAMES:
        value = known.get(name, usual_hosts(site.environment))
        if not isinstance(value, str):
            raise CannotInstall(f"`env.{name}` in your --settings is no text", "fix it")
        spared = spares_loopback(value)
        theirs[name] = value if spared else f"{value},{OURS}" if value else OURS
    return theirs


def _join_hooks(settings: Mapping[str, object], ours: Mapping[str, object]) -> dict[str, object]:
    hooks = _object_in(settings, "hooks")
    for event, group in ours.items():
        listed = hooks.get(event, [])
        if not isinstance(listed, list):
            raise CannotInstall(f"`hooks.{event}` in your --settings is no list", "fix it")
        hooks[event] = [group, *listed]
    return hooks
