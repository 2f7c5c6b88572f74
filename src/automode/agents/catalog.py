"""Every agent that automode knows. A new one is a folder beside this file and a line in it."""

from collections.abc import Iterable, Mapping
from importlib import import_module

from automode.agents.agent import Agent
from automode.agents.events import Adapter

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


def agent_in(folder: str) -> Agent:
    """What the folder's own `AGENT` says."""
    found: object = import_module(f"automode.agents.{folder}").AGENT
    if not isinstance(found, Agent):
        raise TypeError(f"automode.agents.{folder}.AGENT is no Agent")
    return found


def adapters_of(agents: Iterable[Agent]) -> dict[str, Adapter]:
    """Each adapter twice, under the names that hooks carry in their command line: with somebody
    there, and with nobody. A session belongs to `adapter.name`, attended or not."""
    return {
        f"{one.name}{'' if attended else UNATTENDED}": one.adapter(attended=attended)
        for one in agents
        for attended in (True, False)
    }


AGENTS: Mapping[str, Agent] = {one.name: one for one in map(agent_in, FOLDERS)}
INSTALLED: Mapping[str, Agent] = {name: one for name, one in AGENTS.items() if one.command}
"""Those that a person can install."""
ADAPTERS: Mapping[str, Adapter] = adapters_of(AGENTS.values())

_RUN_BY_OTHERS = "claude-code"


def speaking(adapter: Adapter, host: str, payload: Mapping[str, object]) -> Adapter:
    """The adapter of the agent that called the hook; `host` is what the hook calls itself. Copilot
    and Cursor also run the hooks of Claude Code's settings. Read as what it is, a call has the
    session and the id that it has in the agent's own hook: it is decided once, whoever asks first.
    Only the payload tells: it is the agent's own, and a project may set any variable."""
    if adapter.name == _RUN_BY_OTHERS:
        attended = not host.endswith(UNATTENDED)
        for agent in AGENTS.values():
            if agent.guest and (guest := agent.guest(payload, attended)):
                return guest
    return adapter
