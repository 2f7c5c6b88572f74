"""Agents' own commands that rewrite their settings: what they change is the same as by hand."""

from collections.abc import Mapping

from automode.agents.catalog import INSTALLED
from automode.guards.guard import Sight, shown, words

RUNNERS = words("npx bunx pnpm npm yarn bun")
PACKAGES: Mapping[str, str] = {
    package: one.command for one in INSTALLED.values() for package in one.packages
}
"""Names under which a package runner starts them."""

_REMOVING = words("disable uninstall remove rm disable-all")
_VERBS: Mapping[str, frozenset[str]] = {
    one.command: frozenset(one.disarming.settling)
    for one in INSTALLED.values()
    if one.disarming.settling
}
_LOADING = words("install i enable update add")
"""What `claude plugin` puts into the agent may answer before the gate does."""
_EVERYTHING = words("hooks hook --all -a disable-all codex_hooks disableallhooks")
"""Names that mean ours too."""


def agent_of(sight: Sight) -> tuple[str, list[str]]:
    """The agent that a command starts, by name or by package, and the words for it."""
    texts = sight.texts
    if sight.name not in RUNNERS:
        return sight.name, texts
    for index, text in enumerate(texts):
        agent = PACKAGES.get(text) or PACKAGES.get(text.rpartition("@")[0])
        if agent is not None:
            return agent, texts[index + 1 :]
    return sight.name, texts


def changed_by_agent(sight: Sight) -> str | None:
    """`claude plugin disable automode`, `codex features disable hooks`, `pi remove …automode`; and
    `claude plugin install`."""
    if sight.name not in _VERBS and sight.name not in RUNNERS:
        return None
    agent, texts = agent_of(sight)
    given = [text.casefold() for text in texts]
    verbs = _VERBS.get(agent)
    if verbs is None or verbs.isdisjoint(given[:1]) or "--help" in given:
        return None
    if agent == "claude" and given[0] != "config" and not _LOADING.isdisjoint(given[1:3]):
        return f"`{shown(' '.join([agent, *texts]))}` loads code into that agent"
    removes = agent == "pi" or not _REMOVING.isdisjoint(given)
    sets = given[0] == "config" and "set" in given
    ours = any("automode" in text for text in given[1:])
    if (removes or sets) and (ours or not _EVERYTHING.isdisjoint(given)):
        return f"`{shown(' '.join([agent, *texts]))}` takes the gate out of that agent"
    return None
