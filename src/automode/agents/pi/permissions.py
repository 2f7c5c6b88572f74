"""The settings of pi-automode, an extension of Pi with rules much like ours."""

import os
import re

from automode.agents.importing.agent_rules import (
    ALLOW,
    DENY,
    AgentRule,
    Entries,
    Fit,
    Permissions,
    Source,
    left_out,
    listed_rules,
    member,
    object_in,
    prose_in,
    texts,
)
from automode.agents.importing.patterns import across_folders, no_tool, shell
from automode.agents.installing.site import Site

_PATTERN = re.compile(r"@?([A-Za-z0-9_-]+)(?:\((.*)\))?", re.DOTALL)
_FILES = {"read": ("read",), "write": ("write",), "edit": ("edit",), "find": ("find",)}
_FILES |= {"ls": ("ls",)}
_TOOLS = ("bash", "grep", *_FILES)


def _rules(file: str, data: bytes) -> list[AgentRule]:
    root = object_in(data)
    found = [
        *prose_in(file, member(root, "autoMode"), "autoMode"),
        *listed_rules(file, root, _translate),
    ]
    for text, line in texts(member(root, "autoMode", "deniedPaths"), "autoMode.deniedPaths"):
        entries = across_folders(DENY, ("read", "edit"), text)
        found.append(AgentRule(DENY, text, file, line, entries))
    return found


def _translate(key: str, text: str) -> Entries:
    found = _PATTERN.fullmatch(text.strip())
    if found is None:
        return left_out("it is no pattern: `tool` or `tool(glob)`")
    tool, given = found[1].casefold(), found[2]
    if tool not in _TOOLS:
        return no_tool(tool)
    if given is None or given in ("", "*"):
        return Entries((tool,), Fit.SAME)
    if tool == "bash":
        return shell(key, given, bare=False)
    if tool in _FILES:
        return across_folders(key, _FILES[tool], given)
    if key == ALLOW:
        return left_out("ours reads the input of this tool in another way")
    return Entries((tool,), Fit.STRICTER, "the tool whatever its input is")


def _user(site: Site) -> list[Source]:
    folder = site.folder("PI_CODING_AGENT_DIR", ".pi", "agent")
    return [Source(os.path.join(folder, "extensions", "pi-automode", "config.json"), _rules)]


RULES = Permissions(_user, already="automode reads `~/.pi/agent/automode.json` by itself")
"""Of a project its `.pi/automode.json`: automode reads that file by itself."""
