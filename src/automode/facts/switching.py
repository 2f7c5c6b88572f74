"""What in an agent's settings switches its hooks off, leads around them, or rewrites calls.

What each agent really obeys was measured with the real programs where that could be had; settings
that change nothing are left alone.
"""

import re
from collections.abc import Callable, Collection, Iterator
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
_UNSET: tuple[object, ...] = (None, "")
_SHELL_PREFIX = "CLAUDE_CODE_SHELL_PREFIX"
# Loaders heed some of theirs even when empty; functions and options of a shell come by the others.
_LOADING = re.compile(
    r"(?:LD|DYLD|_RLD|LDR)_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|__PYVENV_LAUNCHER__"
)
_SHELL_OPTIONS = re.compile(r"SHELLOPTS|BASHOPTS|BASH_XTRACEFD|(?:__)?BASH_FUNC[_<].*")
_COMMANDING = frozenset("BASH_ENV CLAUDE_ENV_FILE CLAUDE_CODE_SHELL SHELL ZDOTDIR PATH".split())
_SOURCED = frozenset({"BASH_ENV", "ENV"})
_OF_THE_AGENT = re.compile(r"(?:QWEN|GEMINI)_")
_HARMLESS_THERE = frozenset(
    "GEMINI_API_KEY GEMINI_MODEL GEMINI_TELEMETRY_ENABLED QWEN_API_KEY QWEN_MODEL QWEN_CODE_LANG"
    " QWEN_CODE_MAX_OUTPUT_TOKENS GEMINI_SYSTEM_MD QWEN_SYSTEM_MD".split()
)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_LOOPBACK = ("127.0.0.1", "*")
_SOME_URL = "http://127.0.0.1:0/hook/claude-code/proposed?settings=0"  # that only stars reach
_OWN_URL = re.compile(r"http://127\.0\.0\.1:\d+/hook/claude-code/[^\s'\"\\]{0,200}")
_OWN_HOOK = re.compile(rf"automode/hook/client\.py|{_OWN_URL.pattern}")
_PI_EXTENSION = "extensions/automode.ts"
_PI_GLOB = re.compile(r"[*?\[\]{}()!+@|\\].*[*?\[\]{}()!+@|\\]|[*?\[\]{}()!+@|\\]", re.DOTALL)


def disabled(settings: object) -> Iterator[Finding]:
    if _any(settings, "disableAllHooks"):
        yield Finding(
            "`disableAllHooks` switches every hook off", "remove `disableAllHooks` from it"
        )


def own_urls(settings: object) -> frozenset[str]:
    """Where hooks of ours in a settings file look for the daemon."""
    return frozenset(_OWN_URL.findall(repr(settings)))


def claude_project(settings: object, urls: Collection[str] = frozenset()) -> Iterator[Finding]:
    """`urls`: where installed hooks look for the daemon, as far as that is known."""
    yield from disabled(settings)
    for name, value in pairs(values(settings, "enabledPlugins")):
        if name.casefold().partition("@")[0] == "automode" and value in _FALSY:
            yield Finding(
                f"it switches the plugin `{short(name)}` off", "remove it from `enabledPlugins`"
            )
    for allowed in values(settings, "allowedHttpHookUrls"):
        patterns = [one.casefold() for one in items([allowed]) if isinstance(one, str)]
        if not all(any(_fits(url, one) for one in patterns) for url in urls or (_SOME_URL,)):
            fix = "remove `allowedHttpHookUrls`, or add `http://127.0.0.1:*` to it"
            yield Finding("`allowedHttpHookUrls` keeps hooks from reaching automode's daemon", fix)
    yield from _claude_environment([*pairs(values(settings, "env"))])


def _fits(url: str, pattern: str) -> bool:
    """As the agent does it: a star stands for anything, and an origin for all that is below."""
    first, *others = pattern.split("*")
    if not others:
        return pattern in (url, url.partition("/hook/")[0])
    if not url.startswith(first):
        return False
    *inner, last = others
    at = len(first)
    for part in inner:
        found = url.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return url.endswith(last) and at + len(last) <= len(url)


def _claude_environment(variables: list[tuple[str, object]]) -> Iterator[Finding]:
    """The agent hands them on to command hooks, and its requests to hooks go by them."""
    spared = [value for name, value in variables if name.upper() == "NO_PROXY"]
    direct = bool(spared) and all(_spares_loopback(value) for value in spared)
    for name, value in variables:
        fix = f"remove `{short(name)}` from `env`"
        what = _blinding(name, value, direct=direct)
        if what and name.upper() in _PROXIES:
            fix = f"{fix}, or add `127.0.0.1` to `NO_PROXY` there"
        if what:
            yield Finding(f"`{short(name)}` {what}", fix, blinds=True)


def _blinding(name: str, value: object, *, direct: bool) -> str:
    """What a variable does to hooks; empty for nothing. `direct`: no proxy stands before the
    daemon."""
    if value is None:
        return ""
    if _LOADING.fullmatch(name):
        return "loads other code into command hooks, or prints into their answers"
    if _SHELL_OPTIONS.fullmatch(name):
        return "changes what the shell makes of command hooks"
    if value == "":
        return ""
    if name == _SHELL_PREFIX:
        return "puts another program in the place of command hooks"
    if name.upper() in _PROXIES and not direct:
        return "lets a proxy answer in the place of automode's daemon"
    return ""


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


def handed_on(variables: object) -> Iterator[Finding]:
    """A project's `.env`, which Gemini CLI and Qwen Code hand on to the shell of a hook, and obey
    themselves: with `QWEN_CODE_SAFE_MODE` Qwen Code runs no hook at all."""
    for name, value in pairs([variables]):
        if value and _OF_THE_AGENT.match(name) and name not in _HARMLESS_THERE:
            yield Finding(
                f"`{short(name)}` changes how the agent starts, and may switch hooks off",
                f"remove `{short(name)}` from it",
            )
        if _LOADING.fullmatch(name) or _SHELL_OPTIONS.fullmatch(name) or name in _SOURCED:
            what = f"`{short(name)}` runs other code in the place of command hooks"
            if value:
                yield Finding(what, f"remove `{short(name)}` from it", blinds=True)


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
    before, between, after = _parted(plain)
    if not between:
        return False
    if before.startswith("/"):
        return _PI_EXTENSION.endswith(after) or after.endswith(f"/{_PI_EXTENSION}")
    return any(
        name.startswith(before) and name.endswith(after) and len(before + after) <= len(name)
        for name in (_PI_EXTENSION, _PI_EXTENSION.rpartition("/")[2])
    )


def _parted(pattern: str) -> tuple[str, str, str]:
    found = _PI_GLOB.search(pattern)
    if found is None:
        return pattern, "", ""
    return pattern[: found.start()], found[0], pattern[found.end() :]


def claude_rewriting(settings: object) -> Iterator[Finding]:
    groups = items(values(settings, "hooks", "PreToolUse"))
    hooks = (hook for group in groups for hook in items(values(group, "hooks")))
    if any(_OWN_HOOK.search(repr(hook)) is None for hook in hooks):
        yield Finding(
            "a hook of the project can rewrite a call after it was decided", "read that hook"
        )
    for name, value in pairs(values(settings, "env")):
        if name in _COMMANDING and value not in _UNSET:
            yield Finding(
                f"`{name}` changes what a command runs after it was decided",
                f"read `{name}` in `env`",
            )


def codex_rewriting(settings: object) -> Iterator[Finding]:
    """Measured: variables of a project's settings reach every command."""
    for name, _ in pairs(values(settings, "shell_environment_policy", "set")):
        if name in _COMMANDING or name in _SOURCED or _LOADING.fullmatch(name):
            yield Finding(
                f"`{short(name)}` changes what a command runs after it was decided",
                f"read `{short(name)}` in `shell_environment_policy.set`",
            )


def hooks_rewriting(settings: object) -> Iterator[Finding]:
    """Hooks of a project before a call, in the settings of agents that obey what they change."""
    for event in ("BeforeTool", "PreToolUse", "preToolUse", "permissionRequest"):
        groups = items(values(settings, "hooks", event))
        if any(_OWN_HOOK.search(repr(group)) is None for group in groups):
            yield Finding(
                f"a hook of the project at {event} can rewrite a call after it was decided",
                "read that hook",
            )


def files_rewriting(names: object) -> Iterator[Finding]:
    """Files of a project that the agent itself runs before a call, and whose answer counts."""
    named = [one for one in items([names]) if isinstance(one, str)]
    if named:
        shown = ", ".join(f"`{short(one)}`" for one in named[:3])
        yield Finding(
            f"{shown} can rewrite a call after it was decided", "read what it does, or remove it"
        )


def pi_rewriting(settings: object) -> Iterator[Finding]:
    for name in ("shellCommandPrefix", "shellPath"):
        if _any(settings, name):
            yield Finding(
                f"`{name}` changes every command after it was decided", f"read `{name}` in it"
            )


def opencode_rewriting(settings: object) -> Iterator[Finding]:
    """A plugin runs inside the agent, where no gate can hold it."""
    named = [one for one in items(values(settings, "plugin")) if one]
    if named:
        shown = ", ".join(f"`{short(str(one))}`" for one in named[:3])
        yield Finding(f"it loads {shown} into the agent, beside the gate", "read what it loads")


def _any(settings: object, name: str) -> bool:
    return any(value not in _FALSY for value in values(settings, name))
