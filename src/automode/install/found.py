"""Looks where automode is registered with an agent, and what is wrong there. Changes nothing."""

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from automode.core.errors import BadSettings
from automode.daemon.frames import settings_word
from automode.facts.place import home_folder
from automode.install import claude_hooks, pi_extension
from automode.install.apply import present
from automode.install.claude_hooks import MOMENTS, PROPOSED, Http
from automode.install.claude_settings import ours, root_of, variables
from automode.install.extension_file import paths_in
from automode.install.hooks_file import need_strict_json
from automode.install.plan import CannotInstall, Scope, Transport
from automode.install.site import Program, Site
from automode.install.spans import Object, content
from automode.install.sparing import NAMES, spares_loopback


@dataclass(frozen=True, slots=True)
class Registration:
    """One place in which an agent is told to ask automode."""

    agent: str
    scope: Scope
    path: str
    version: str = ""
    """The release that wrote it; empty where it does not say."""
    transport: Transport = Transport.COMMAND
    wrong: tuple[str, ...] = ()
    """Sentences; none where the hooks are whole and lead to this automode."""


def in_claude(site: Site, program: Program, http: Http | None = None) -> tuple[Registration, ...]:
    found = (_in_claude(scope, site, program, http) for scope in Scope)
    return tuple(one for one in found if one is not None)


def in_pi(site: Site, program: Program) -> tuple[Registration, ...]:
    found = (_in_pi(scope, site, program) for scope in (Scope.USER, Scope.PROJECT))
    return tuple(one for one in found if one is not None)


def _in_claude(
    scope: Scope, site: Site, program: Program, http: Http | None
) -> Registration | None:
    path = site.claude_settings(scope)
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


def misled_words(words: list[str], program: Program) -> Iterator[str]:
    """Where the command line of a hook does not lead to this automode."""
    named = dict(pairwise(words))
    python, client = words[0] if words else "", next((w for w in words if _is_client(w)), "")
    for what, path in (("interpreter", python), ("hook", client)):
        if not os.path.exists(path):
            yield f"the {what} `{path}` is gone"
    if client and client != program.client and os.path.exists(client):
        yield f"the hooks are those of another automode: `{client}`"
    yield from _elsewhere(named.get("--state"), named.get("--config"), program)


def _is_client(word: str) -> bool:
    return word.endswith("/automode/hook/client.py")


def _elsewhere(state: object, config: object, program: Program) -> Iterator[str]:
    if _of_this_account(state) != program.state:
        yield f"another state folder: `{state}` instead of `{program.state}`"
    if _of_this_account(config) != program.config:
        yield f"another settings folder: `{config}` instead of `{program.config}`"


def _of_this_account(folder: object) -> object:
    """An administrator's hooks mean a folder of whoever runs the agent."""
    if isinstance(folder, str) and folder.startswith("~/"):
        return os.path.join(home_folder(), folder[2:])
    return folder


def _in_pi(scope: Scope, site: Site, program: Program) -> Registration | None:
    path = site.pi_extension(scope)
    try:
        _, data = present(path)
    except CannotInstall as error:
        return Registration(pi_extension.HOST, scope, path, wrong=(str(error),))
    known = None if data is None else paths_in(data)
    if data is None or known is None:
        return None
    version = known.get("version")
    return Registration(
        pi_extension.HOST,
        scope,
        path,
        version if isinstance(version, str) else "",
        Transport.EXTENSION,
        tuple(misled_extension(data, known, program, pi_extension.extension(program))),
    )


def misled_extension(
    data: bytes, known: Mapping[str, object], program: Program, whole: bytes
) -> Iterator[str]:
    """`whole`: the extension as this automode would write it."""
    if not known:
        yield "the extension does not know where automode is: it blocks every call"
        return
    for what, path in (("interpreter", known.get("python")), ("hook", known.get("client"))):
        if not isinstance(path, str) or not os.path.exists(path):
            yield f"the {what} `{path}` is gone"
    yield from _elsewhere(known.get("state"), known.get("config"), program)
    same_release = known.get("version") == program.version
    if same_release and data != whole:
        yield "its text is not that of this automode"
