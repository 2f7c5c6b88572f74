"""How Claude Code has to be started so that nothing in a project can take the gate away."""

import json
import os
from collections.abc import Mapping, Sequence

from automode.agents.claude_code.install.registered import in_claude
from automode.agents.claude_code.install.transport import claude_settings
from automode.agents.installing import claude_hooks
from automode.agents.installing.found import Registration
from automode.agents.installing.hooks_file import settings_in
from automode.agents.installing.launching import Launch, is_whole, options, taken
from automode.agents.installing.no_proxy import NAMES, extended, usual_hosts
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.installing.site import Program, Site
from automode.config.jsonc import MARK
from automode.config.places import content as file_content
from automode.core.errors import BadSettings

_SETTINGS, _SOURCES = "--settings", "--setting-sources"
_MANAGED = "--managed-settings"
_BLOCKED = "blockedMarketplaces"
_SKILLS: Mapping[str, object] = {"source": "skills-dir"}
"""No plug-in is loaded from a folder of skills. And where there is any managed setting, the agent's
own guard sends what hooks are asked past every other plug-in inside of it. Measured on 2.1.325."""
_PLUGINS = ("--plugin-dir", "--plugin-dir-no-mcp")
_PLUGIN_ADDRESS = "--plugin-url"
_PLUGIN_VARIABLE = "CLAUDE_CODE_PLUGIN_DIRS"
_OFF = "disableAllHooks"


def claude_launch(
    arguments: Sequence[str], site: Site, program: Program, *, closes: bool
) -> Launch:
    """`closes`: this Claude Code knows `onFailure`. Settings from the command line outrank those of
    a project, so the switch that a project may bring is put back here. Raises CannotInstall."""
    given, rest = taken(arguments, _SETTINGS)
    settings = _given_settings(given)
    if settings.get(_OFF):
        raise CannotInstall(f"your --settings say `{_OFF}`", "leave it out, or start without us")
    settings[_OFF] = False
    installed = _that_count(rest, site, program)
    if not installed:
        # By command: a token in a command line could be read by every account.
        ours = claude_hooks.hooks(program, None, fails_closed=closes)
        settings["hooks"] = _joined(settings.get("hooks"), ours)
    if any(one.transport is Transport.HTTP for one in installed):
        settings["env"] = _spared(settings.get("env"), site)
    managed, rest = taken(rest, _MANAGED)
    words = (_SETTINGS, json.dumps(settings), *rest)
    if closes or managed:
        words = (_MANAGED, json.dumps(_without_mods(managed)), *words)
    return Launch(words)


def named_plugins(arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Folders and archives of plug-ins that a person has Claude Code load besides."""
    found = environment.get(_PLUGIN_VARIABLE, "").split(os.pathsep)
    for option in (*_PLUGINS, _PLUGIN_ADDRESS):
        found += taken(arguments, option)[0]
    return [one for one in found if one]


def _without_mods(given: Sequence[str]) -> dict[str, object]:
    """Their managed settings, and no plug-in that could answer before the gate."""
    managed = _given_settings(given, _MANAGED)
    listed = managed.get(_BLOCKED, [])
    if not isinstance(listed, list):
        raise CannotInstall(f"`{_BLOCKED}` in your {_MANAGED} is no list", "mend it")
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


def _that_count(arguments: Sequence[str], site: Site, program: Program) -> tuple[Registration, ...]:
    """Where hooks are installed: whole, and in settings that are loaded."""
    sources, _ = taken(arguments, _SOURCES)
    loaded = set(sources[-1].split(",")) if sources else {"user"}
    if "--restricted" in options(arguments):
        loaded = set()
    return tuple(
        one
        for one in in_claude(site, program)
        if is_whole(one) and (one.scope is Scope.MANAGED or one.scope.value in loaded)
    )


def _spared(theirs: object, site: Site) -> dict[str, object]:
    """Their variables, and no proxy before the daemon, whatever the project sets."""
    if theirs is None:
        theirs = {}
    if not isinstance(theirs, dict):
        raise CannotInstall("`env` in your --settings is no object", "mend it")
    usual = settings_in(claude_settings(site, Scope.USER)).get("env")
    known: dict[str, object] = {**(usual if isinstance(usual, dict) else {}), **theirs}
    spared: dict[str, object] = dict(theirs)
    for name in NAMES:
        value = known.get(name, usual_hosts(site.environment))
        if not isinstance(value, str):
            raise CannotInstall(f"`env.{name}` in your --settings is no text", "mend it")
        spared[name] = extended(value)
    return spared


def _joined(theirs: object, ours: Mapping[str, object]) -> dict[str, object]:
    if theirs is None:
        theirs = {}
    if not isinstance(theirs, dict):
        raise CannotInstall("`hooks` in your --settings is no object", "mend it")
    joined: dict[str, object] = dict(theirs)
    for event, group in ours.items():
        listed = joined.get(event, [])
        if not isinstance(listed, list):
            raise CannotInstall(f"`hooks.{event}` in your --settings is no list", "mend it")
        joined[event] = [group, *listed]
    return joined
