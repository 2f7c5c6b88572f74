"""Every agent that automode knows. A new one is a folder beside this file and a line in it."""

from collections.abc import Mapping
from importlib import import_module

from automode.agents.agent import Agent, load
from automode.agents.events import Adapter
from automode.agents.shared.adapter import HookAdapter

FOLDERS = (
    "antigravity",
    "claude_code",
    "cline",
    "codex",
    "copilot_cli",
    "cursor",
    "gemini_cli",
    "opencode",
    "pi",
    "plain",
    "qwen_code",
)
UNATTENDED = "+unattended"
"""Behind a host's name: whoever started the hook knows that nobody can answer an `ask`."""
_RUN_BY_OTHERS = "claude-code"


def _adapter_in(folder: str) -> type[HookAdapter]:
    """What the folder's own `payloads.ADAPTER` is."""
    found: object = import_module(f"automode.agents.{folder}.payloads").ADAPTER
    if not (isinstance(found, type) and issubclass(found, HookAdapter)):
        raise TypeError(f"automode.agents.{folder}.payloads.ADAPTER is no HookAdapter")
    return found


AGENTS: Mapping[str, Agent] = {one.name: one for one in map(load, FOLDERS)}
INSTALLED: Mapping[str, Agent] = {name: one for name, one in AGENTS.items() if one.command}
"""Those that a person can install."""
_CLASSES = tuple(map(_adapter_in, FOLDERS))
ADAPTERS: Mapping[str, Adapter] = {
    f"{one.agent.name}{'' if attended else UNATTENDED}": one(attended=attended)
    for one in _CLASSES
    for attended in (True, False)
}
"""Each twice, under the names that hooks carry in their command line: with somebody there, and with
nobody. A session belongs to `adapter.name`, attended or not."""


def adapter_for(adapter: Adapter, host: str, payload: Mapping[str, object]) -> Adapter:
    """The adapter of the agent that called the hook; `host` is what the hook calls itself. Copilot
    and Cursor also run the hooks of Claude Code's settings. Read as what it is, a call has the
    session and the id that it has in the agent's own hook: it is decided once, whoever asks first.
    Only the payload tells: it is the agent's own, and a project may set any variable."""
    if adapter.name == _RUN_BY_OTHERS:
        attended = not host.endswith(UNATTENDED)
        for one in _CLASSES:
            if guest := one.guest_for(payload, attended=attended):
                return guest
    return adapter
