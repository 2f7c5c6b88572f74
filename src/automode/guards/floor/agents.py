"""Other agents started without their checks, and terminals that run what counts as the person's."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from automode.agents.agent import Disarming
from automode.agents.catalog import INSTALLED
from automode.core.paths import absolute
from automode.core.word_lists import word_sets
from automode.guards.guard import CommandContext, excerpt, option_values, words
from automode.shell.script import HOLE, Assignment

_WORDS = word_sets("automode.guards.floor")

RUNNERS = words("npx bunx pnpm npm yarn bun")
PACKAGES: Mapping[str, str] = {
    package: one.command for one in INSTALLED.values() for package in one.packages
}
"""Names under which a package runner starts them."""

_VERBS: Mapping[str, frozenset[str]] = {
    one.command: frozenset(one.disarming.settling)
    for one in INSTALLED.values()
    if one.disarming.settling
}


def agent_of(context: CommandContext) -> tuple[str, list[str]]:
    """The agent that a command starts, by name or by package, and the words for it."""
    texts = context.texts
    if context.name not in RUNNERS:
        return context.name, texts
    for index, text in enumerate(texts):
        agent = PACKAGES.get(text) or PACKAGES.get(text.rpartition("@")[0])
        if agent is not None:
            return agent, texts[index + 1 :]
    return context.name, texts


def changed_by_agent(context: CommandContext) -> str | None:
    """`claude plugin disable automode`, `codex features disable hooks`, `pi remove …automode`; and
    `claude plugin install`."""
    if context.name not in _VERBS and context.name not in RUNNERS:
        return None
    agent, texts = agent_of(context)
    given = [text.casefold() for text in texts]
    verbs = _VERBS.get(agent)
    if verbs is None or verbs.isdisjoint(given[:1]) or "--help" in given:
        return None
    if agent == "claude" and given[0] != "config" and not _WORDS["loading"].isdisjoint(given[1:3]):
        return f"`{excerpt(' '.join([agent, *texts]))}` loads code into that agent"
    removes = agent == "pi" or not _WORDS["removing"].isdisjoint(given)
    sets = given[0] == "config" and "set" in given
    ours = any("automode" in text for text in given[1:])
    if (removes or sets) and (ours or not _WORDS["everything"].isdisjoint(given)):
        return f"`{excerpt(' '.join([agent, *texts]))}` takes the gate out of that agent"
    return None


_FLAGS: Mapping[str, frozenset[str]] = {
    **{
        one.command: frozenset(one.disarming.options)
        for one in INSTALLED.values()
        if one.disarming.options
    },
    "agent": words("--no-safety --yolo --dangerously-skip-permissions"),
    "q": words("--trust-all-tools"),
    "kiro-cli": words("--trust-all-tools"),
    "amp": words("--dangerously-allow-all"),
    "droid": words("--skip-permissions-unsafe"),
}
AGENT_PROGRAMS = frozenset(_FLAGS) | RUNNERS | {"automode"}
_MODES: Mapping[str, frozenset[str]] = {
    "--permission-mode": words("bypassPermissions"),
    "--approval-mode": words("yolo"),
    "--sandbox": words("danger-full-access"),
    "-s": words("danger-full-access"),
    "--disable": words("hooks codex_hooks"),
}
_DISARMING = {one.command: one.disarming for one in INSTALLED.values()}
_HOOKS_OFF = re.compile(
    r"features\.(?:codex_)?hooks\s*=\s*false|features\s*=\s*\{[^}]*hooks\s*=\s*false"
)
_DISABLED = re.compile(r'disableAllHooks(?!"?\s*:\s*false)')
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_SETTINGS_BYTES = 1 << 18


def sees_agent(context: CommandContext) -> str | None:
    agent, texts = agent_of(context)
    if agent == "automode" and texts[:1] == ["run"]:
        agent, texts = _launched_agent(texts[1:])
    if agent not in _FLAGS or not _WORDS["looking"].isdisjoint(texts[:1]):
        return None
    speaking = next((text for text in texts if text in _disarming_of(agent).speaking), None)
    if speaking:
        return f"`{agent} {speaking}` speaks to a session in the person's place"
    flag = next((text for text in texts if text.partition("=")[0] in _FLAGS[agent]), None)
    if flag:
        return f"`{excerpt(flag)}` switches its checks off"
    return _mode(texts) or _settings(context, agent, texts) or _moved_settings(context, agent)


def _disarming_of(agent: str) -> Disarming:
    return _DISARMING.get(agent) or Disarming()


def _launched_agent(texts: list[str]) -> tuple[str, list[str]]:
    """What `automode run` starts."""
    for index, text in enumerate(texts):
        agent = "claude" if text == "claude-code" else text
        if agent in _FLAGS:
            return agent, texts[index + 1 :]
    return "", []


def _mode(texts: list[str]) -> str | None:
    for name, value in option_values(texts):
        if value in _MODES.get(name, ()):
            return f"`{excerpt(name)}` switches its checks off"
    for text in texts:
        if _disables(text) or _HOOKS_OFF.search(text):
            return f"`{excerpt(text)}` switches its hooks off"
    return None


def _disables(settings: str) -> bool:
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), settings)
    return _DISABLED.search(plain) is not None


def _settings(context: CommandContext, agent: str, texts: list[str]) -> str | None:
    """Settings given on the command line outrank all others but an administrator's."""
    for name, value in option_values(texts) if agent == "claude" else ():
        if name == "--setting-sources" and "user" not in value.split(","):
            return f"`{name}` leaves the user's hooks out"
        path = context.path(value) if name == "--settings" else None
        if path is None or HOLE in path:
            continue
        text = context.workspace.files.text(path, _SETTINGS_BYTES) or ""
        if _disables(text):
            return f"`{excerpt(value)}` switches its hooks off"
    return None


def _moved_settings(context: CommandContext, agent: str) -> str | None:
    home = context.workspace.home
    disarming = _disarming_of(agent)
    usual = {"HOME": "", **disarming.moving}
    for one in _variables(context):
        value = one.value.text
        if one.name in disarming.silencing and value not in ("", "0", "false"):
            return f"`{one.name}` switches its hooks off"
        if one.name not in usual or not value:
            continue
        below = usual[one.name]
        same = absolute(value, "/") == absolute(below, home) if value.startswith("/") else False
        if not (same and (below or one.name == "HOME")):
            return f"with `{one.name}` its hooks are not found or not heard"
    return None


def _variables(context: CommandContext) -> Iterator[Assignment]:
    yield from context.command.environment
    yield from context.command.assignments


_TMUX_LOOKS = tuple(
    """ls list lsk lsp lsw lsc lsb has show info capture kill select attach detach wait start resize
    rename swap next prev last move display-message displayp killp killw killses lscm""".split()
)


def sees_tmux(context: CommandContext) -> str | None:
    """automode, sent to the usual server. One of another name is the agent's own."""
    texts = context.texts
    if context.name != "tmux" or not any("automode" in text for text in texts):
        return None
    at = 0
    while at < len(texts) and texts[at].startswith("-"):
        option, value = texts[at][:2], texts[at][2:]
        if option in _WORDS["tmux-values"] and not value:
            at += 1
            value = texts[at] if at < len(texts) else ""
        own = HOLE not in value and value.rsplit("/", 1)[-1] not in ("", "default")
        if option == "-V" or (option in ("-L", "-S") and own):
            return None
        at += 1
    # The first word is a command, and each one behind a `;`; without any, a session is begun.
    commands = texts[at : at + 1] or ["new-session"]
    commands += [text for before, text in pairwise(texts[at:]) if before.endswith(";")]
    # `#(…)` in a format is run by the server, whatever the format is for.
    sent = any("#(" in text for text in texts) or any(
        command != "display" and not command.startswith(_TMUX_LOOKS) for command in commands
    )
    return "`tmux` hands it to a terminal that already runs" if sent else None
