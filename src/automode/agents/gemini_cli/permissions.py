"""Gemini CLI's rules: lists of tools in its settings, and the files of its policy engine."""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from automode.agents.importing.agent_rules import (
    ALLOW,
    ASK,
    DENY,
    AgentRule,
    Entries,
    Fit,
    Permissions,
    Source,
    folder_files,
    left_out,
    object_in,
)
from automode.agents.importing.patterns import beginning_with, listed_tools, tool, tool_of
from automode.agents.installing.site import Site
from automode.core.errors import BadSettings

_NAMES = {
    "bash": "run_shell_command ShellTool",
    "read": "read_file ReadFileTool",
    "write": "write_file WriteFileTool",
    "edit": "replace EditTool SmartEditTool",
    "grep": "grep_search search_file_content GrepTool RipGrepTool",
    "find": "glob GlobTool",
    "ls": "list_directory LSTool",
    "web_fetch": "web_fetch WebFetchTool",
    "web_search": "google_web_search WebSearchTool",
    "save_memory": "save_memory MemoryTool",
}
TOOLS = {name: ours for ours, names in _NAMES.items() for name in names.split()}
"""Its own tools by their names and those of their classes, to the letter, and ours for each."""
_SHELL = "run_shell_command"
_DECISIONS = {"deny": DENY, "ask_user": ASK, "allow": ALLOW}
_EVERY_TOOL = "every tool"
_NOT_WHOLE = ("bash", "read", "write", "edit", "grep", "find", "ls", "*")
"""Tools that nobody wants to lose for the sake of a rule about a part of their calls."""
_ANYWHERE = ("denyMessage", "decision", "priority", "toolName", "mcpName", "commandPrefix")
"""What a rule may say without holding in fewer cases than ours would."""


def _settings(file: str, data: bytes) -> list[AgentRule]:
    return list(listed_tools(file, object_in(data), TOOLS))


def _policy(file: str, data: bytes) -> list[AgentRule]:
    try:
        told = tomllib.loads(data.decode())
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"it is no TOML: {error}") from error
    rules = told.pop("rule", [])
    if not isinstance(rules, list) or not all(isinstance(one, dict) for one in rules):
        raise BadSettings("expected tables called `[[rule]]`")
    others = [AgentRule(DENY, name, file, 0, left_out("only `[[rule]]` is read")) for name in told]
    return [*(one for at, rule in enumerate(rules, 1) for one in _rule(file, at, rule)), *others]


def _rule(file: str, at: int, rule: Mapping[str, object]) -> Iterator[AgentRule]:
    key = _DECISIONS.get(str(rule.get("decision")))
    names, prefixes = _several(rule, "toolName"), _several(rule, "commandPrefix")
    shown = prefixes or names or [str(rule.get("mcpName", _EVERY_TOOL))]
    for one in shown:
        text = f"rule {at}: {rule.get('decision')} {one}"
        if key is None:
            yield AgentRule(DENY, text, file, 0, left_out("its `decision` is none that is known"))
        else:
            yield AgentRule(key, text, file, 0, _translate(key, rule, one, names, prefixes))


def _several(rule: Mapping[str, object], key: str) -> list[str]:
    value = rule.get(key, [])
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in found):
        raise BadSettings(f"expected a text or a list of texts for `{key}`")
    return [str(one) for one in found]


def _translate(
    key: str, rule: Mapping[str, object], one: str, names: Sequence[str], prefixes: Sequence[str]
) -> Entries:
    narrow = [name for name in rule if name not in _ANYWHERE]
    if key == ALLOW and narrow:
        return left_out(f"it holds only with `{narrow[0]}`, and ours would hold always")
    if "commandRegex" in rule or ("argsPattern" in rule and TOOLS.get(one, "*") in _NOT_WHOLE):
        return left_out("ours has no regular expressions: write it as a pattern, by hand")
    found = _translate_scope(key, rule, one, names, prefixes)
    if narrow and found.ours:
        return Entries(found.ours, Fit.STRICTER, f"always, and not only with `{narrow[0]}`")
    return found


def _translate_scope(
    key: str, rule: Mapping[str, object], one: str, names: Sequence[str], prefixes: Sequence[str]
) -> Entries:
    """What a rule says of tools and commands, whatever else narrows it."""
    if "mcpName" in rule:
        server = rule["mcpName"]
        if prefixes or not isinstance(server, str):
            return left_out("`mcpName` does not name one server, or is given with a command")
        if key == ALLOW and names and "*" in one.removeprefix("*"):
            return left_out("which tools of the server it means cannot be told")
        return tool_of(key, server, one if names else "*")
    if prefixes:
        other = [name for name in names if name != _SHELL]
        return (
            beginning_with(key, one)
            if names and not other
            else left_out(f"it is not for `{_SHELL}`")
        )
    if not names or one == "*":
        return (
            Entries(("*",), Fit.SAME) if key != ALLOW else left_out("it is for every tool there is")
        )
    if one.startswith("mcp_"):
        return left_out("where the server's name ends cannot be told: use `mcpName`")
    return tool(key, TOOLS, one)


def _sources(folder: str) -> list[Source]:
    policies = folder_files(os.path.join(folder, "policies"), ".toml")
    settings = os.path.join(folder, "settings.json")
    return [Source(settings, _settings), *(Source(file, _policy) for file in policies)]


def _home(site: Site) -> str:
    return os.path.join(site.folder("GEMINI_CLI_HOME"), ".gemini")


RULES = Permissions(
    lambda site: _sources(_home(site)),
    lambda site: _sources(os.path.join(site.project, ".gemini")),
)
