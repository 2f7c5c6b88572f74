"""What in an agent's settings switches its hooks off, leads around them, or rewrites calls.

What each agent really obeys was measured with the real programs where that could be had; settings
that change nothing are left alone.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from automode.facts.settings_text import items, pairs, short, values


class Finding(NamedTuple):
    """What a setting does, and what to do about it. `blinds`: hooks still seem to work, but
    something else answers in their place, so calls run that nobody decided about."""

    what: str
    fix: str
    blinds: bool = False


Look: TypeAlias = Callable[[object], Iterator[Finding]]

_FALSY: tuple[object, ...] = (None, False, 0, "", "false", "0", "no", "off")
_SHELL_PREFIX = "CLAUDE_CODE_SHELL_PREFIX"
_PRELOADS = ("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_LOOPBACK = ("127.0.0.1", "*")
_LOOPBACK_URLS = ("http://127.0.0.1", "http://*", "*")
_OWN_HOOK = re.compile(r"automode/hook/client\.py|http://127\.0\.0\.1:\d+/hook/claude-code/")


def disabled(settings: object) -> Iterator[Finding]:
    if _any(settings, "disableAllHooks"):
        yield Finding(
            "`disableAllHooks` switches every hook off", "remove `disableAllHooks` from it"
        )


def claude_project(settings: object) -> Iterator[Finding]:
    yield from disabled(settings)
    for name, value in pairs(values(settings, "enabledPlugins")):
        if name.casefold().partition("@")[0] == "automode" and value in _FALSY:
            yield Finding(
                f"it switches the plugin `{short(name)}` off", "remove it from `enabledPlugins`"
            )
    for urls in values(settings, "allowedHttpHookUrls"):
        if not any(
            isinstance(url, str) and url.startswith(_LOOPBACK_URLS) for url in items([urls])
        ):
            fix = "remove `allowedHttpHookUrls`, or add `http://127.0.0.1:*` to it"
            yield Finding("`allowedHttpHookUrls` keeps hooks from reaching automode's daemon", fix)
    yield from _claude_environment([*pairs(values(settings, "env"))])


def _claude_environment(variables: list[tuple[str, object]]) -> Iterator[Finding]:
    """The agent hands them on to command hooks, and its requests to hooks go by them."""
    spared = [value for name, value in variables if name.upper() == "NO_PROXY"]
    direct = bool(spared) and all(_spares_loopback(value) for value in spared)
    for name, value in variables:
        fix = f"remove `{short(name)}` from `env`"
        if value in _FALSY:
            continue
        if name == _SHELL_PREFIX:
            yield Finding(
                f"`{name}` puts another program in the place of command hooks", fix, blinds=True
            )
        elif name in _PRELOADS:
            yield Finding(f"`{name}` loads other code into command hooks", fix, blinds=True)
        elif name.upper() in _PROXIES and not direct:
            fix = f"{fix}, or add `127.0.0.1` to `NO_PROXY` there"
            yield Finding(
                f"`{name}` lets a proxy answer in the place of automode's daemon", fix, blinds=True
            )


def _spares_loopback(value: object) -> bool:
    return isinstance(value, str) and any(host in _LOOPBACK for host in re.split(r"[,\s]+", value))


def claude_system(settings: object) -> Iterator[Finding]:
    yield from disabled(settings)
    if _any(settings, "allowManagedHooksOnly") and _OWN_HOOK.search(repr(settings)) is None:
        fix = "ask the administrator for `automode install claude-code --managed`"
        yield Finding("`allowManagedHooksOnly` leaves out hooks that a user installed", fix)


def codex(settings: object) -> Iterator[Finding]:
    """Also inside of profiles, and by the name the feature had at first."""
    profiles = [profile for _, profile in pairs(values(settings, "profiles"))]
    for layer in (settings, *profiles):
        for name in ("hooks", "codex_hooks"):
            if any(value is False for value in values(layer, "features", name)):
                yield Finding(
                    f"`features.{name} = false` switches every hook off", f"remove `{name}`"
                )
    for key, state in pairs(values(settings, "hooks", "state")):
        if any(value is False for value in values(state, "enabled")):
            yield Finding(
                f"it switches the hook `{short(key)}` off", "remove its `hooks.state` entry"
            )


def gemini(settings: object) -> Iterator[Finding]:
    """Qwen Code too. `hooks.…` and `tools.enableHooks` are what older versions read."""
    yield from disabled(settings)
    for names in (("hooksConfig", "enabled"), ("hooks", "enabled"), ("tools", "enableHooks")):
        if any(value in (False, "false") for value in values(settings, *names)):
            key = ".".join(names)
            yield Finding(f"`{key}: false` switches every hook off", f"remove `{key}`")
    for section in ("hooksConfig", "hooks"):
        named = [*items(values(settings, section, "disabled"))]
        if named:
            shown = ", ".join(f"`{short(str(one))}`" for one in named[:3])
            yield Finding(
                f"`{section}.disabled` switches {shown} off", f"remove `{section}.disabled`"
            )


def pi_account(settings: object) -> Iterator[Finding]:
    for one in items(values(settings, "extensions")):
        if isinstance(one, str) and one[:1] in ("-", "!") and "automode" in one.casefold():
            yield Finding(f"`{short(one)}` leaves automode's extension out", "remove it")


def claude_rewriting(settings: object) -> Iterator[Finding]:
    groups = items(values(settings, "hooks", "PreToolUse"))
    hooks = (hook for group in groups for hook in items(values(group, "hooks")))
    if any(_OWN_HOOK.search(repr(hook)) is None for hook in hooks):
        yield Finding(
            "a hook of the project can rewrite a call after it was decided", "read that hook"
        )


def pi_rewriting(settings: object) -> Iterator[Finding]:
    for name in ("shellCommandPrefix", "shellPath"):
        if _any(settings, name):
            yield Finding(
                f"`{name}` changes every command after it was decided", f"read `{name}` in it"
            )


def _any(settings: object, name: str) -> bool:
    return any(value not in _FALSY for value in values(settings, name))
