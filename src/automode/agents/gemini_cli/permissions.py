"""Gemini CLI's rules: lists of tools in its settings, and the files of its policy engine."""

import os
import tomllib
from collections.abc import Iterator, Mapping

from automode.agents.importing.patterns import server_tool, starting
from automode.agents.importing.theirs import (
    ALLOW,
    ASK,
    DENY,
    Fit,
    Permissions,
    Said,
    Source,
    Theirs,
    folder_files,
    object_in,
    unsaid,
)
from automode.agents.importing.tool_lists import listed_tools, tool
from automode.agents.installing.site import Site
from automode.core.errors import BadSettings
from automode.core.tool_input import canonical

_DECISIONS = {"deny": DENY, "ask_user": ASK, "allow": ALLOW}
_EVERY_TOOL = "every tool"
_EVERY_DAY = ("bash", "read", "write", "edit", "grep", "find", "ls", "*", _EVERY_TOOL)
"""Tools that nobody wants to lose for the sake of a rule about a part of their calls."""
_ANYWHERE = ("denyMessage", "decision", "priority", "toolName", "mcpName", "commandPrefix")
"""What a rule may say without holding in fewer cases than ours would."""


def _settings(file: str, data: bytes) -> list[Theirs]:
    return list(listed_tools(file, object_in(data)))


def _policy(file: str, data: bytes) -> list[Theirs]:
    try:
        rules = tomllib.loads(data.decode()).get("rule", [])
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"it is no TOML: {error}") from error
    if not isinstance(rules, list) or not all(isinstance(one, dict) for one in rules):
        raise BadSettings("expected tables called `[[rule]]`")
    return [one for at, rule in enumerate(rules, 1) for one in _rule(file, at, rule)]


def _rule(file: str, at: int, rule: Mapping[str, object]) -> Iterator[Theirs]:
    key = _DECISIONS.get(str(rule.get("decision")))
    names, prefixes = _several(rule, "toolName"), _several(rule, "commandPrefix")
    shown = prefixes or names or [str(rule.get("mcpName", _EVERY_TOOL))]
    for one in shown:
        text = f"rule {at}: {rule.get('decision')} {one}"
        said = unsaid("its `decision` is none that is known") if key is None else None
        yield Theirs(key or DENY, text, file, 0, said or _said(key or DENY, rule, one, prefixes))


def _several(rule: Mapping[str, object], key: str) -> list[str]:
    value = rule.get(key, [])
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in found):
        raise BadSettings(f"expected a text or a list of texts for `{key}`")
    return [str(one) for one in found]


def _said(key: str, rule: Mapping[str, object], one: str, prefixes: list[str]) -> Said:
    narrow = [name for name in rule if name not in _ANYWHERE]
    if key == ALLOW and narrow:
        return unsaid(f"it holds only with `{narrow[0]}`, and ours would hold always")
    server = rule.get("mcpName")
    if isinstance(server, str):
        found = _server(key, server, "*" if one == server else one)
    elif one in prefixes:
        found = starting(key, one)
    elif "commandRegex" in rule or ("argsPattern" in rule and canonical(one) in _EVERY_DAY):
        return unsaid("ours has no regular expressions: write it as a pattern, by hand")
    elif one.startswith("mcp_"):
        return unsaid("where the server's name ends cannot be told: use `mcpName`")
    else:
        found = tool(key, "*" if one == _EVERY_TOOL else one)
    if narrow and found.ours:
        return Said(found.ours, Fit.STRICTER, f"always, and not only with `{narrow[0]}`")
    return found


def _server(key: str, server: str, name: str) -> Said:
    if "__" in server or (key == ALLOW and "*" in server):
        return unsaid("ours cannot tell that server's tools from others")
    return server_tool(key, f"mcp__{server}__{name}")


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
