"""Claude Code's settings: where they are, how hooks in them reach the daemon, what is wrong there,
and how it is started so that no project can take the gate away."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from automode.agents.installing.hooks import FIRST_WITH_ON_FAILURE, HOST, MOMENTS, PROPOSED
from automode.agents.installing.hooks import hooks as claude_hooks
from automode.agents.installing.installer import Launch, is_whole, options, taken
from automode.agents.installing.json_files import (
    NAMES,
    extended,
    need_strict_json,
    ours,
    settings_in,
    spares_loopback,
    usual_hosts,
    variables,
)
from automode.agents.installing.plan import CannotInstall, Scope, Transport, present
from automode.agents.installing.site import (
    AgentProgram,
    Http,
    Program,
    Registration,
    Site,
    handler_version,
    misled_words,
    transport_of,
)
from automode.config.json_edit import root_of
from automode.config.jsonc import MARK, Object, content
from automode.config.places import content as file_content
from automode.core.errors import BadSettings
from automode.daemon.frames import settings_word


def claude_folder(site: Site) -> str:
    return site.folder("CLAUDE_CONFIG_DIR", ".claude")


def claude_settings(site: Site, scope: Scope) -> str:
    match scope:
        case Scope.USER:
            return os.path.join(claude_folder(site), "settings.json")
        case Scope.PROJECT:
            # The file that is checked in would carry this machine's paths to others.
            return os.path.join(site.project, ".claude", "settings.local.json")
        case Scope.MANAGED:
            return os.path.join(site.system, "claude-code", "managed-settings.json")


@dataclass(frozen=True, slots=True)
class Wish:
    """`transport` None: the best that the found agent can be trusted with."""

    scope: Scope
    transport: Transport | None = None
    found: AgentProgram | None = None

    @property
    def fails_closed(self) -> bool:
        """Whether the agent is known to take a hook that fails for a no."""
        return self.found is not None and self.found.version >= FIRST_WITH_ON_FAILURE


def chosen_transport(wish: Wish, site: Site) -> tuple[Transport, str]:
    """How hooks will reach the daemon, and why; raises CannotInstall for what would not close."""
    if wish.transport is Transport.HTTP:
        _need_closing_http(wish)
        return Transport.HTTP, "as you asked for"
    if wish.transport is not None:
        return wish.transport, "as you asked for"
    if wish.scope is not Scope.USER:
        return Transport.COMMAND, "no token belongs into a file that others read"
    if not wish.fails_closed:
        return Transport.COMMAND, _why_not_http(wish)
    if _limits_http(site):
        return Transport.COMMAND, "`allowedHttpHookUrls` limits hooks over HTTP"
    return Transport.HTTP, "the fastest that this Claude Code can be trusted with"


def _limits_http(site: Site) -> bool:
    files = tuple(claude_settings(site, scope) for scope in (Scope.USER, Scope.MANAGED))
    return any("allowedHttpHookUrls" in settings_in(file) for file in files)


def _need_closing_http(wish: Wish) -> None:
    if wish.scope is Scope.MANAGED:
        raise CannotInstall(
            "hooks over HTTP carry a token, and every account reads the managed settings",
            "leave out --transport",
        )
    if not wish.fails_closed:
        raise CannotInstall(
            f"hooks over HTTP would let calls run while no daemon answers: {_why_not_http(wish)}",
            "use --transport command",
        )


def _why_not_http(wish: Wish) -> str:
    known = ".".join(map(str, FIRST_WITH_ON_FAILURE))
    if wish.found is None:
        return "no `claude` was found on the PATH"
    return f"Claude Code {wish.found.says} is older than {known}"


def in_claude(site: Site, program: Program, http: Http | None = None) -> tuple[Registration, ...]:
    found = (_in_claude(scope, site, program, http) for scope in Scope)
    return tuple(one for one in found if one is not None)


def _in_claude(
    scope: Scope, site: Site, program: Program, http: Http | None
) -> Registration | None:
    path = claude_settings(site, scope)
    try:
        text = _text(path)
        if not text.strip():
            return None
        root = root_of(text)
    except (CannotInstall, BadSettings, UnicodeDecodeError) as error:
        return Registration(HOST, scope, path, wrong=(f"cannot be read: {error}",))
    found = list(ours(root))
    if not found:
        return None
    handlers = dict(found)
    first = handlers.get("PreToolUse", found[0][1])
    wrong = (
        *_in_the_way(text, root),
        *_missing(found),
        *_misled(found, program, http),
        *_proxied(root, found),
    )
    return Registration(
        HOST,
        scope,
        path,
        handler_version(first),
        transport_of(first),
        tuple(dict.fromkeys(wrong)),
    )


def _text(path: str) -> str:
    if not os.path.lexists(path):
        return ""
    try:
        return (present(path)[1] or b"").decode()
    except CannotInstall:
        # What belongs to an administrator can be read all the same.
        with open(path, "rb") as file:
            return file.read().decode()


def _in_the_way(text: str, root: Object) -> Iterator[str]:
    try:
        need_strict_json(text.encode())
    except BadSettings as error:
        yield str(error)
    settings = content(root)
    if isinstance(settings, dict) and settings.get("disableAllHooks"):
        yield "`disableAllHooks` stands beside the hooks: none of them runs"


def _missing(found: list[tuple[str, dict[str, object]]]) -> Iterator[str]:
    counted = Counter(event for event, _ in found)
    for event in MOMENTS:
        if counted[event] == 0:
            yield f"no hook for {event}"
        elif counted[event] > 1:
            yield f"{counted[event]} hooks for {event}: each call is decided as often"


def _misled(
    found: list[tuple[str, dict[str, object]]], program: Program, http: Http | None
) -> Iterator[str]:
    for event, handler in found:
        match handler:
            case {"type": "http", "url": str(url)}:
                yield from _misled_http(event, url, handler, http)
                if not url.endswith(f"?settings={settings_word(program.config)}"):
                    yield f"another settings folder than `{program.config}`"
            case {"command": str(command)}:
                yield from _misled_command(event, command, program)
            case _:
                yield f"the hook for {event} cannot be read"


def _proxied(root: Object, found: list[tuple[str, dict[str, object]]]) -> Iterator[str]:
    if all(transport_of(handler) is not Transport.HTTP for _, handler in found):
        return
    known = variables(root)
    for name in NAMES:
        if not spares_loopback(known.get(name)):
            yield f"a project can lead the hooks to a proxy: `env.{name}` does not name 127.0.0.1"


def _misled_http(
    event: str, url: str, handler: Mapping[str, object], http: Http | None
) -> Iterator[str]:
    if MOMENTS.get(event) == PROPOSED and handler.get("onFailure") != "block":
        yield f"{event} lets the call run when nobody answers: `onFailure` is not `block`"
    if http is None:
        return
    if f":{http.port}/" not in url:
        yield f"{event} asks at another port than {http.port}, where the daemon listens"
    match handler.get("headers"):
        case {"Authorization": str(given)} if given == f"Bearer {http.token}":
            return
        case _:
            yield f"{event} shows a token that the daemon does not know"


def _misled_command(event: str, command: str, program: Program) -> Iterator[str]:
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = []
    if MOMENTS.get(event) == PROPOSED and words[-3:] != ["||", "exit", "2"]:
        yield f"{event} lets the call run when the hook cannot start: no `|| exit 2`"
    yield from misled_words(words, program)


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
        ours = claude_hooks(program, None, fails_closed=closes)
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
