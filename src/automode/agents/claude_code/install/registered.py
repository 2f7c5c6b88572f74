"""Finds automode's hooks in the settings of Claude Code, and says what is wrong with them."""

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping

from automode.agents.claude_code.install.transport import claude_settings
from automode.agents.installing import claude_hooks
from automode.agents.installing.apply import present
from automode.agents.installing.claude_hooks import MOMENTS, PROPOSED, Http
from automode.agents.installing.claude_settings import ours, variables
from automode.agents.installing.found import Registration, misled_words
from automode.agents.installing.hooks_file import need_strict_json
from automode.agents.installing.no_proxy import NAMES, spares_loopback
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.installing.site import Program, Site
from automode.config.json_edit import root_of
from automode.config.jsonc import Object, content
from automode.core.errors import BadSettings
from automode.daemon.frames import settings_word


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
        return Registration(claude_hooks.HOST, scope, path, wrong=(f"cannot be read: {error}",))
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
        claude_hooks.HOST,
        scope,
        path,
        claude_hooks.version_of(first),
        claude_hooks.transport_of(first),
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
    if all(claude_hooks.transport_of(handler) is not Transport.HTTP for _, handler in found):
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
