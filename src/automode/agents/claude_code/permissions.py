"""The permission rules in Claude Code's settings, and its own sentences for auto mode."""

import os
from functools import partial

from automode.agents.claude_code.settings import claude_folder
from automode.agents.importing.agent_rules import (
    AgentRule,
    Permissions,
    Source,
    listed_rules,
    member,
    object_in,
    prose_in,
)
from automode.agents.importing.patterns import tool_rule
from automode.agents.installing.site import Site

_FOLDER = "~/.claude"  # where a path with one slash in front counts from, by older releases

_OTHERS = """
AskUserQuestion BashOutput EnterPlanMode ExitPlanMode KillBash KillShell LSP ListMcpResourcesTool
ReadMcpResourceTool Skill SlashCommand TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate
TodoRead TodoWrite ToolSearch"""
TOOLS = {name: name.casefold() for name in _OTHERS.split()} | {
    "Bash": "bash",
    "PowerShell": "powershell",
    "Read": "read",
    "NotebookRead": "read",
    "Write": "write",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Grep": "grep",
    "Glob": "find",
    "LS": "ls",
    "WebFetch": "web_fetch",
    "WebSearch": "web_search",
    "Agent": "agent",
    "Task": "agent",
}
"""Its own tools, to the letter, and ours for each. `Monitor` has none that is not `Bash` too."""


_translate = partial(tool_rule, names=TOOLS, roots=(_FOLDER,))


def _own_rules(file: str, data: bytes) -> list[AgentRule]:
    prose = prose_in(file, member(object_in(data), "autoMode"), "autoMode")
    return [*_rules(file, data), *prose]


def _rules(file: str, data: bytes) -> list[AgentRule]:
    return list(listed_rules(file, object_in(data), _translate))


def _project(site: Site) -> list[Source]:
    names = ("settings.json", "settings.local.json")
    return [Source(os.path.join(site.project, ".claude", name), _rules) for name in names]


RULES = Permissions(
    lambda site: [Source(os.path.join(claude_folder(site), "settings.json"), _own_rules)], _project
)
