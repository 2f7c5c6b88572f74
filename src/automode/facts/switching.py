"""What in an agent's settings switches its hooks off.

What each agent really obeys was measured with the real programs where that could be had; settings
that change nothing are left alone.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from automode.facts.agent_settings import items, pairs, short, values


class Finding(NamedTuple):
    """What a setting does, and what to do about it."""

    what: str
    fix: str


Look: TypeAlias = Callable[[object], Iterator[Finding]]

_FALSY: tuple[object, ...] = (None, False, 0, "", "false", "0", "no", "off")
_OWN_HOOK = re.compile(
    r"automode/hook/client\.py|http://127\.0\.0\.1:\d+/hook/claude-code/[^\s'\"\\]{0,200}"
)
_PI_EXTENSION = "extensions/automode.ts"
_PI_GLOB = re.compile(r"[*?\[\]{}()!+@|\\].*[*?\[\]{}()!+@|\\]|[*?\[\]{}()!+@|\\]", re.DOTALL)


def _hooks_off(settings: object, *names: str) -> Iterator[Finding]:
    if any(value in (False, "false") for value in values(settings, *names)):
        key = ".".join(names)
        yield Finding(f"`{key}: false` switches every hook off", f"remove `{key}`")


def disabled(settings: object) -> Iterator[Finding]:
    if _any(settings, "disableAllHooks"):
        yield Finding(
            "`disableAllHooks` switches every hook off", "remove `disableAllHooks` from it"
        )


def claude_system(settings: object) -> Iterator[Finding]:
    yield from disabled(settings)
    if _any(settings, "allowManagedHooksOnly") and _OWN_HOOK.search(repr(settings)) is None:
        fix = "ask the administrator for `automode install claude-code --managed`"
        yield Finding("`allowManagedHooksOnly` leaves out hooks that a user installed", fix)


def codex(settings: object) -> Iterator[Finding]:
    """Also inside of profiles, and by the name the feature had at first."""
    for layer in (settings, *(profile for _, profile in pairs(values(settings, "profiles")))):
        yield from _hooks_off(layer, "features", "hooks")
        yield from _hooks_off(layer, "features", "codex_hooks")
    for key, state in pairs(values(settings, "hooks", "state")):
        for _ in _hooks_off(state, "enabled"):
            fix = "remove its `hooks.state` entry"
            yield Finding(f"it switches the hook `{short(key)}` off", fix)


def gemini(settings: object) -> Iterator[Finding]:
    """Qwen Code too. `hooks.…` and `tools.enableHooks` are what older versions read."""
    yield from disabled(settings)
    yield from _hooks_off(settings, "tools", "enableHooks")
    for section in ("hooksConfig", "hooks"):
        yield from _hooks_off(settings, section, "enabled")
        named = [f"`{short(str(one))}`" for one in items(values(settings, section, "disabled"))]
        if named:
            what = f"`{section}.disabled` switches {', '.join(named[:3])} off"
            yield Finding(what, f"remove `{section}.disabled`")


def pi_account(settings: object) -> Iterator[Finding]:
    for one in items(values(settings, "extensions")):
        if isinstance(one, str) and one[:1] in ("-", "!") and _leaves_out(one[1:]):
            yield Finding(f"`{short(one)}` leaves automode's extension out", "remove it")


def _leaves_out(pattern: str) -> bool:
    """Whether it can mean the extension's path below the agent's folder, its name alone, or its
    whole path. From the first sign of a pattern to the last, anything may stand: what Pi makes of
    them exactly is not modelled, so some that mean others are reported too."""
    plain = pattern.casefold().removeprefix("./")
    if "automode" in plain:
        return True
    found = _PI_GLOB.search(plain)
    if found is None:
        return False
    before, after = plain[: found.start()], plain[found.end() :]
    if before.startswith("/"):
        return _PI_EXTENSION.endswith(after) or after.endswith(f"/{_PI_EXTENSION}")
    return any(
        name.startswith(before) and name.endswith(after) and len(before + after) <= len(name)
        for name in (_PI_EXTENSION, _PI_EXTENSION.rpartition("/")[2])
    )


def _any(settings: object, name: str) -> bool:
    return any(value not in _FALSY for value in values(settings, name))
