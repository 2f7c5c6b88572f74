"""How an agent has to be started so that nothing in a project can take the gate away."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from automode.config.disk import content as file_content
from automode.core.errors import BadSettings
from automode.install import claude_hooks, pi_extension
from automode.install.claude_transport import settings_in
from automode.install.found import Registration, in_claude, in_pi
from automode.install.plan import CannotInstall, Scope, Transport
from automode.install.site import Program, Site
from automode.install.spans import MARK
from automode.install.sparing import NAMES, extended, usual_hosts

CLAUDE_WITHOUT_HOOKS = ("--bare", "--safe-mode")
CLAUDE_VARIABLES = ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE")
"""They mean the same as these two options."""
PI_WITHOUT_EXTENSIONS = ("--no-extensions", "-ne")
CLAUDE_ALONE = ("-p", "--print", "--bg")
PI_ALONE = ("-p", "--print", "--mode", "--export", "--list-models")
_OF_TWO_LETTERS = ("-np",)
"""Pi's for no templates of prompts: no two options in one word."""
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


@dataclass(frozen=True, slots=True)
class Launch:
    """`words` follow the program's name. `file`: what has to lie where before it starts."""

    words: tuple[str, ...]
    file: tuple[str, bytes] | None = None
    variables: tuple[tuple[str, str], ...] = ()


def claude_launch(
    arguments: Sequence[str], site: Site, program: Program, *, closes: bool
) -> Launch:
    """`closes`: this Claude Code knows `onFailure`. Settings from the command line outrank those of
    a project, so the switch that a project may bring is put back here. Raises CannotInstall."""
    refuse(arguments, CLAUDE_WITHOUT_HOOKS, "hooks")
    for name in CLAUDE_VARIABLES:
        if site.environment.get(name, "") not in ("", "0", "false"):
            raise CannotInstall(f"{name} is set: Claude Code would run no hooks", f"unset {name}")
    given, rest = _taken(arguments, _SETTINGS)
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
    managed, rest = _taken(rest, _MANAGED)
    words = (_SETTINGS, json.dumps(settings), *rest)
    if closes or managed:
        words = (_MANAGED, json.dumps(_without_mods(managed)), *words)
    return Launch(words)


def named_plugins(arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Folders and archives of plug-ins that a person has Claude Code load besides."""
    found = environment.get(_PLUGIN_VARIABLE, "").split(os.pathsep)
    for option in (*_PLUGINS, _PLUGIN_ADDRESS):
        found += _taken(arguments, option)[0]
    return [one for one in found if one]


def _without_mods(given: Sequence[str]) -> dict[str, object]:
    """Their managed settings, and no plug-in that could answer before the gate."""
    managed = _given_settings(given, _MANAGED)
    listed = managed.get(_BLOCKED, [])
    if not isinstance(listed, list):
        raise CannotInstall(f"`{_BLOCKED}` in your {_MANAGED} is no list", "mend it")
    managed[_BLOCKED] = [_SKILLS, *listed]
    return managed


def pi_launch(
    arguments: Sequence[str],
    site: Site,
    program: Program,
    template: str = pi_extension.TEMPLATE,
) -> Launch:
    """Raises CannotInstall."""
    refuse(arguments, PI_WITHOUT_EXTENSIONS, "extensions")
    if any(_whole(one) for one in in_pi(site, program)):
        return Launch(tuple(arguments))
    path = os.path.join(program.state, "install", "run", "automode.ts")
    extension = pi_extension.extension(program, template)
    return Launch(("-e", path, *arguments), (path, extension))


def nobody_there(alone: Sequence[str], arguments: Sequence[str], *, terminal: bool) -> bool:
    """`alone`: words of this agent's with which it asks nobody anything."""
    return not terminal or any(_means(word, alone) for word in _options(arguments))


def _means(word: str, alone: Sequence[str]) -> bool:
    """Short options may be written together, and with their value: `-cp TEXT`, `-pTEXT`."""
    name = word.partition("=")[0]
    together = name[:1] == "-" != name[1:2] and name not in _OF_TWO_LETTERS
    letters = name[1:].partition(" ")[0] if together else ""
    return name in alone or any(one[1:] in letters for one in alone if len(one) == 2)


def refuse(arguments: Sequence[str], refused: Sequence[str], what: str) -> None:
    for word in _options(arguments):
        if word.partition("=")[0] in refused:
            raise CannotInstall(
                f"with `{word}` the agent runs no {what}, and so it would not be guarded",
                "leave it out, or start the agent itself",
            )


def _options(arguments: Sequence[str]) -> list[str]:
    """What stands behind `--` is a prompt."""
    words = list(arguments)
    return words[: words.index("--")] if "--" in words else words


def _taken(arguments: Sequence[str], option: str) -> tuple[list[str], list[str]]:
    """The values of `option`, and the words without it."""
    options = _options(arguments)
    rest = list(arguments[len(options) :])
    values: list[str] = []
    kept: list[str] = []
    words = iter(options)
    for word in words:
        name, equals, value = word.partition("=")
        if name == option:
            values.append(value if equals else next(words, ""))
        else:
            kept.append(word)
    return values, [*kept, *rest]


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
    sources, _ = _taken(arguments, _SOURCES)
    loaded = set(sources[-1].split(",")) if sources else {"user"}
    if "--restricted" in _options(arguments):
        loaded = set()
    return tuple(
        one
        for one in in_claude(site, program)
        if _whole(one) and (one.scope is Scope.MANAGED or one.scope.value in loaded)
    )


def _spared(theirs: object, site: Site) -> dict[str, object]:
    """Their variables, and no proxy before the daemon, whatever the project sets."""
    if theirs is None:
        theirs = {}
    if not isinstance(theirs, dict):
        raise CannotInstall("`env` in your --settings is no object", "mend it")
    usual = settings_in(site.claude_settings(Scope.USER)).get("env")
    known: dict[str, object] = {**(usual if isinstance(usual, dict) else {}), **theirs}
    spared: dict[str, object] = dict(theirs)
    for name in NAMES:
        value = known.get(name, usual_hosts(site.environment))
        if not isinstance(value, str):
            raise CannotInstall(f"`env.{name}` in your --settings is no text", "mend it")
        spared[name] = extended(value)
    return spared


def _whole(one: Registration) -> bool:
    return not one.wrong and one.scope is not Scope.PROJECT


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
