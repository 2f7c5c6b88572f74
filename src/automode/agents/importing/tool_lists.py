"""The lists of tools that Gemini CLI and its relatives have in their settings."""

import re
from collections.abc import Iterator

from automode.agents.importing.patterns import EVERY_FILE, FILE_TOOLS, starting
from automode.agents.importing.theirs import (
    ALLOW,
    DENY,
    Fit,
    Said,
    Theirs,
    member,
    texts,
    unsaid,
)
from automode.config.jsonc import Object
from automode.core.tool_input import canonical

_LISTS = {
    ("tools", "allowed"): ALLOW,
    ("allowedTools",): ALLOW,
    ("tools", "exclude"): DENY,
    ("excludeTools",): DENY,
}
_CORE = (("tools", "core"), ("coreTools",))
_ENTRY = re.compile(r"\s*([\w.*-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_OWN = {
    "run_shell_command": "bash",
    "shelltool": "bash",
    "bash": "bash",
    "read_file": "read",
    "write_file": "write",
    "replace": "edit",
    "edit": "edit",
    "glob": "find",
    "list_directory": "ls",
    "grep_search": "grep",
    "search_file_content": "grep",
    "web_fetch": "web_fetch",
    "google_web_search": "web_search",
    "web_search": "web_search",
}
"""Tools for which ours has a name that means no other tool of the agent's."""


def listed_tools(file: str, root: Object) -> Iterator[Theirs]:
    for path, key in _LISTS.items():
        for text, line in texts(member(root, *path), ".".join(path)):
            found = _ENTRY.fullmatch(text)
            said = tool(key, found[1], found[2]) if found else unsaid("it is no name of a tool")
            yield Theirs(key, text, file, line, said)
    for path in _CORE:
        for text, line in texts(member(root, *path), ".".join(path)):
            why = "it says which tools are there at all: ours decides calls and offers no tools"
            yield Theirs(ALLOW, text, file, line, unsaid(why))


def tool(key: str, name: str, begins: str | None = None) -> Said:
    """A tool by the agent's name for it; of the shell also how a command begins."""
    kind = _OWN.get(name.casefold())
    text = (begins or "").strip()
    if kind == "bash" and text not in ("", "*"):
        return starting(key, text.removesuffix(":*").removesuffix("*"))
    if text not in ("", "*"):
        if key == ALLOW:
            return unsaid("ours cannot say this about the input of a tool")
        return Said((kind or canonical(name),), Fit.STRICTER, "the tool whatever its input is")
    if key == ALLOW and kind in FILE_TOOLS:
        return unsaid(EVERY_FILE)
    if kind is not None:
        return Said((kind,), Fit.SAME)
    if key == ALLOW and canonical(name) != name.casefold():
        return unsaid(f"ours would cover more than `{name}`")
    return Said((canonical(name),), Fit.SAME)
