"""The permission rules in Qwen Code's settings: Claude Code's dialect, and Gemini CLI's lists."""

import os
from functools import partial

from automode.agents.importing.agent_rules import (
    AgentRule,
    Permissions,
    Source,
    listed_rules,
    object_in,
)
from automode.agents.importing.patterns import listed_tools, tool_rule

_ALIASES = {
    "bash": "run_shell_command Shell ShellTool Bash",
    "read": "read_file ReadFile ReadFileTool Read",
    "write": "write_file WriteFile WriteFileTool Write",
    "edit": "edit Edit EditTool replace",
    "grep": "grep_search Grep GrepTool search_file_content SearchFiles",
    "find": "glob Glob GlobTool FindFiles",
    "ls": "list_directory ListFiles ListFilesTool ReadFolder",
    "web_fetch": "web_fetch WebFetch WebFetchTool",
    "web_search": "web_search WebSearch WebSearchTool",
    "agent": "agent Agent AgentTool task Task TaskTool",
    "skill": "skill Skill SkillTool",
    "save_memory": "save_memory SaveMemory SaveMemoryTool",
}
TOOLS = {name: ours for ours, names in _ALIASES.items() for name in names.split()}
"""Its own tools, to the letter, and ours for each."""


def _rules(file: str, data: bytes) -> list[AgentRule]:
    root = object_in(data)
    return [
        *listed_rules(file, root, partial(tool_rule, names=TOOLS)),
        *listed_tools(file, root, TOOLS),
    ]


def _sources(folder: str) -> list[Source]:
    return [Source(os.path.join(folder, "settings.json"), _rules)]


RULES = Permissions(
    lambda site: _sources(site.folder("QWEN_HOME", ".qwen")),
    lambda site: _sources(os.path.join(site.project, ".qwen")),
)
