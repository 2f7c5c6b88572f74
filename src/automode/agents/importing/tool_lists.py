"""The lists of tools that Gemini CLI and its relatives have in their settings."""

import re
from collections.abc import Iterator, Mapping

from automode.agents.importing.agent_rules import (
    ALLOW,
    DENY,
    AgentRule,
    Entries,
    Fit,
    left_out,
    member,
    texts,
)
from automode.agents.importing.patterns import (
    EVERY_FILE,
    FILE_TOOLS,
    beginning_with,
    no_tool,
    tool_of,
)
from automode.config.jsonc import Array, Node, Object

_LISTS = {
    ("tools", "allowed"): ALLOW,
    ("allowedTools",): ALLOW,
    ("tools", "exclude"): DENY,
    ("excludeTools",): DENY,
}
_ONLY = (("tools", "core"), ("coreTools",), ("mcp", "allowed"), ("allowMCPServers",))
_NO_SERVERS = (("mcp", "excluded"), ("excludeMCPServers",))
_ONLY_THESE = "it takes all others away: ours decides calls and offers no tools"
_ENTRY = re.compile(r"\s*([\w.*-]+)(?:\((.*)\))?\s*", re.DOTALL)


def listed_tools(file: str, root: Object, names: Mapping[str, str]) -> Iterator[AgentRule]:
    """`names` are the agent's own tools, to the letter, and ours for each."""
    for path, key in _LISTS.items():
        for text, line in texts(member(root, *path), ".".join(path)):
            found = _ENTRY.fullmatch(text)
            entries = tool(key, names, found[1], found[2]) if found else no_tool(text)
            yield AgentRule(key, text, file, line, entries)
    for path in _ONLY:
        node, what = member(root, *path), ".".join(path)
        shown = ", ".join(text for text, _ in texts(node, what))
        if isinstance(node, Array):
            yield AgentRule(DENY, f"{what}: {shown}", file, node.line, left_out(_ONLY_THESE))
    for path in _NO_SERVERS:
        for text, line in texts(member(root, *path), ".".join(path)):
            yield AgentRule(DENY, f"{'.'.join(path)}: {text}", file, line, tool_of(DENY, text, "*"))
    yield from _server_rules(file, member(root, "mcpServers"))


def _server_rules(file: str, servers: Node | None) -> Iterator[AgentRule]:
    keys = (one.key for one in servers.children) if isinstance(servers, Object) else ()
    for name in dict.fromkeys(keys):
        what = f"mcpServers.{name}"
        for text, line in texts(member(servers, name, "excludeTools"), f"{what}.excludeTools"):
            shown = f"{what}.excludeTools: {text}"
            yield AgentRule(DENY, shown, file, line, tool_of(DENY, name, text))
        node = member(servers, name, "includeTools")
        if node is not None:
            shown = f"{what}.includeTools"
            yield AgentRule(DENY, shown, file, node.line, left_out(_ONLY_THESE))


def tool(key: str, names: Mapping[str, str], name: str, begins: str | None = None) -> Entries:
    """A tool by the agent's name for it; of the shell also how a command begins."""
    kind = names.get(name)
    if kind is None:
        return no_tool(name)
    text = (begins or "").strip()
    if kind == "bash" and text not in ("", "*"):
        return beginning_with(key, text.removesuffix(":*").removesuffix("*"))
    if text not in ("", "*"):
        if key == ALLOW:
            return left_out("ours cannot say this about the input of a tool")
        return Entries((kind,), Fit.STRICTER, "the tool whatever its input is")
    if key == ALLOW and kind in FILE_TOOLS:
        return left_out(EVERY_FILE)
    return Entries((kind,), Fit.SAME)
