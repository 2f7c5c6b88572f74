"""Patterns of agents in ours: shell commands, paths, addresses, servers' tools, and the dialect
`Tool(argument)` that several agents share.

An allow rule becomes one only where ours covers no more than theirs, a deny or ask rule only where
ours stops no less.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

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
from automode.config.jsonc import Array, Node, Object

LONGEST = 4000  # characters; ours reads patterns of up to 4,096
_READ_OTHERWISE = re.compile(r"[?\\|&;<>`$\n{}\0]")
_CLASS = re.compile(r"\[[^\]]*\]")
_RULE = re.compile(r"\s*([^()\s]+)(?:\((.*)\))?\s*", re.DOTALL)
_SERVER = re.compile(r"mcp__[^_\s](?:[^_\s]|_(?!_))*")
_SERVER_WORD = re.compile(r"[\w.*-]+", re.ASCII)
_PARAMETER = re.compile(r"(\w+):(.+)", re.DOTALL)

STARTED_IN = (
    "it counts from the folder in which the agent starts, ours from the project's root; inside of "
    "the workspace automode allows reads and edits anyway"
)
EVERY_FILE = "inside of the workspace automode allows it anyway; for other files name the folder"
ANY_DEPTH = "in any folder of the project, not only where the agent starts"
_DIALECT = "`?`, quotes, variables and operators mean something else in ours"
_ANYWHERE = "also where the value is a part of a longer one"
_ANY_WORK = "general-purpose"  # what an agent is that nobody named
_TOO_LONG = "it is longer than a pattern of ours may be"


def shell(key: str, glob: str, *, bare: bool = True, note: str = "") -> Entries:
    """A pattern for one command, in which `*` is anything and nothing else is special. A blank or a
    colon before a star at the end means the command alone as well, unless not `bare`."""
    text = " ".join(glob.split())
    if len(text) > LONGEST:
        return left_out(_TOO_LONG)
    if not text.strip("* :"):
        return Entries(("bash",), Fit.SAME, "every command")
    if key == ALLOW:
        quoted = "*" in text and ('"' in text or "'" in text)
        if quoted or _READ_OTHERWISE.search(text):
            return left_out(f"ours would cover other commands: {_DIALECT}")
        ours = f"{text[:-2]} *" if text.endswith(":*") else text
        if ours.endswith(" *") and (not bare or ours.count("*") > 1):
            ours = f"{ours[:-1]}?*"  # ours means the command alone as well, theirs does not
        return Entries((f"bash({ours})",), Fit.SAME, note)
    ours = re.sub(r"\\.?", "?", text)
    wider = Fit.STRICTER if "?" in ours else Fit.SAME
    why = note or ("any one character in place of each `?`" if wider is Fit.STRICTER else "")
    return Entries((f"bash({ours})",), wider, why)


def words(key: str, prefix: Sequence[str]) -> Entries:
    """A command that begins with these words, to the letter."""
    odd = [word for word in prefix if not word or re.search(r"[\s*'\"]", word)]
    if odd and key == ALLOW:
        return left_out(f"ours would cover other commands: {_DIALECT}")
    text = " ".join(re.sub(r"[\s'\"]", "?", word) or "*" for word in prefix)
    entries = shell(key, f"{text} *")
    if odd and entries.ours:
        return Entries(entries.ours, Fit.STRICTER, "any one character in place of each `?`")
    return entries


def beginning_with(key: str, text: str) -> Entries:
    """A command that begins with this text, whole word or not."""
    if "*" in text and key == ALLOW:
        return left_out(f"ours would cover other commands: {_DIALECT}")
    if key == ALLOW:
        whole = shell(key, f"{text.rstrip()} *")
        return Entries(whole.ours, Fit.LESS, "up to the end of a word") if whole.ours else whole
    return shell(key, f"{text}*")


def path(key: str, tools: Sequence[str], glob: str, roots: Sequence[str] = ()) -> Entries:
    """A pattern for paths as in `.gitignore`: `//` is the root, `~/` the home, `/` one of `roots`
    or the project, anything else counts from where the agent starts."""
    if len(glob) > LONGEST or "\0" in glob or "\n" in glob:
        return left_out(_TOO_LONG if len(glob) > LONGEST else "it is no path")
    if ".." in glob.split("/"):
        return left_out("what `..` leads to depends on the folder in which the agent starts")
    every = glob.strip("*/") == "" and not glob.startswith(("//", "~"))
    if every and key != ALLOW:
        return Entries(tuple(tools), Fit.SAME, "every file")
    return _translate_allow(tools, glob) if key == ALLOW else _translate_stop(tools, glob, roots)


def _translate_allow(tools: Sequence[str], glob: str) -> Entries:
    if not glob.startswith(("//", "~/")):
        return left_out(STARTED_IN)
    if re.search(r"[\[\\!]", glob):
        return left_out("ours has no `[…]`, `!` and `\\`, and would cover other files")
    parts = [one if one == "**" else re.sub(r"\*+", "*", one) for one in glob.split("/")]
    whole = parts[-1] in ("", "**") or "*" in parts[-1]
    note = "" if whole else "the file itself; a folder of that name only with `/**`"
    return Entries(_each(tools, "/".join(parts)), Fit.SAME if whole else Fit.LESS, note)


def _translate_stop(tools: Sequence[str], glob: str, roots: Sequence[str]) -> Entries:
    """Deny and ask: where ours cannot say it exactly, it says more."""
    if glob.startswith("!"):
        return left_out("an exception of another rule: there ours is the stricter", missed=False)
    plain = re.sub(r"\\.?", "?", _CLASS.sub("?", glob))
    wider = plain != glob
    if plain.startswith(("//", "~/")):
        note = "any one character in place of each `?`" if wider else ""
        return Entries(_each(tools, plain), Fit.STRICTER if wider else Fit.SAME, note)
    inner = plain.removeprefix("./").lstrip("/").rstrip("/")
    anywhere = inner if "/" not in inner or inner.startswith("**/") else f"**/{inner}"
    places = (anywhere, *(f"{root}/{inner}" for root in roots if plain.startswith("/")))
    ours = tuple(one for place in places for one in _each(tools, place))
    exact = not wider and not glob.startswith(("./", "/")) and anywhere == inner
    return Entries(ours, Fit.SAME if exact else Fit.STRICTER, "" if exact else ANY_DEPTH)


def _each(tools: Sequence[str], glob: str) -> tuple[str, ...]:
    return tuple(f"{tool}({glob})" for tool in tools)


def across_folders(key: str, tools: Sequence[str], glob: str) -> Entries:
    """A pattern for paths in which `*` and `?` cross folders, and which counts from where the agent
    starts unless it begins with `/` or `~`. One that begins with `*` is about files anywhere."""
    text = glob.replace("$HOME/", "~/").removeprefix("./")
    anchored = text.startswith(("/", "~/"))
    if ".." in text.split("/"):
        return left_out("what `..` leads to depends on the folder in which the agent starts")
    if key == ALLOW and not (anchored and "?" not in text):
        return left_out("`?` crosses folders in theirs alone" if anchored else STARTED_IN)
    if not text.strip("*"):
        return Entries(tuple(tools), Fit.SAME, "every file")
    wide = re.sub(r"[*?]+", "**", text)
    if wide.startswith("*"):
        return Entries(_each(tools, f"//{wide}"), Fit.SAME, "anywhere on this machine")
    if key == ALLOW:  # `**/` in ours stands for no folder as well
        return Entries(_each(tools, re.sub(r"(?<=/)\*\*(?=/)", "?**", wide)), Fit.SAME)
    if anchored:
        fit = Fit.STRICTER if "?" in text else Fit.SAME
        return Entries(
            _each(tools, wide), fit, "any text in place of each `?`" if "?" in text else ""
        )
    return Entries(_each(tools, f"**/{wide}"), Fit.STRICTER, ANY_DEPTH)


def domain(key: str, host: str) -> Entries:
    """All addresses of a host. Ours counts its sub-domains as well where it says `domain:`."""
    name = host.strip().casefold()
    if name == "*":
        return Entries(("web_fetch",), Fit.SAME, "every address")
    if not re.fullmatch(r"(?:\*\.)?[\w.-]+", name):
        return left_out("it is no name of a host")
    if key != ALLOW:
        return Entries((f"web_fetch(domain:{name})",), Fit.STRICTER, "with all its sub-domains")
    if "*" in name:
        return left_out("ours would cover the host itself as well: name each sub-domain")
    note = "over https and on its usual port"
    return Entries((f"web_fetch(https://{name}/*)",), Fit.LESS, note)


def server_tool(key: str, name: str, argument: str | None = None) -> Entries:
    """A tool of an MCP server, or with the bare name of a server all of them."""
    text = name.casefold()
    if not _SERVER_WORD.fullmatch(text):
        return left_out("ours has no such name for a server's tool")
    if key == ALLOW and "*" in text.split("__")[1]:
        return left_out("ours cannot tell that server's tools from others")
    if _SERVER.fullmatch(text):
        text += "__*"
    if argument is None:
        return Entries((text,), Fit.SAME)
    if key == ALLOW:
        return left_out("ours cannot say this about the input of a tool")
    return Entries((text,), Fit.STRICTER, "the tool whatever its input is")


def tool_of(key: str, server: str, name: str) -> Entries:
    """A server's tool by both names; `*` is every tool of it."""
    if not server or not name or "__" in server:
        return left_out("ours cannot tell that server's tools from others")
    return server_tool(key, f"mcp__{server}__{name}")


FILE_TOOLS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("read", "grep", "find", "ls"), ("read", "edit")),
    **dict.fromkeys(("write", "edit"), ("edit",)),
}
"""What a deny or ask rule for files of each kind of tool holds for: who may not read a file may not
change it either, as Claude Code has it."""
_ALLOWED_FILES = {"read": ("read",), "edit": ("edit", "write")}


def no_tool(name: str) -> Entries:
    """What is not exactly known is not imported: a pattern with that name may match no call."""
    return left_out(f"`{name}` is none of the agent's own tools that ours knows")


def tool_rule(key: str, text: str, names: Mapping[str, str], roots: Sequence[str] = ()) -> Entries:
    """The dialect of Claude Code: `Tool` or `Tool(argument)`. `names` are the agent's own tools, to
    the letter, and ours for each."""
    found = _RULE.fullmatch(text)
    if found is None or len(text) > LONGEST:
        return left_out("it is no rule: `Tool` or `Tool(argument)`")
    name, given = found[1], found[2]
    argument = None if given is None or not given.strip() else given.strip()
    kind = names.get(name)
    if argument == "*" and kind not in FILE_TOOLS:  # there it is a path
        argument = None
    if name.startswith("mcp__"):
        return server_tool(key, name, argument)
    if kind is None:
        return no_tool(name)
    if kind == "bash":
        return shell(key, argument or "*")
    if kind in FILE_TOOLS:
        return _file_rule(key, name, kind, argument, roots)
    if kind == "web_fetch" and argument is not None:
        host = argument.removeprefix("domain:")
        return domain(key, host) if host != argument else _other_rule(key, kind, argument)
    return _other_rule(key, kind, argument)


def _file_rule(
    key: str, name: str, kind: str, argument: str | None, roots: Sequence[str]
) -> Entries:
    if key == ALLOW:
        tools = _ALLOWED_FILES.get(kind) if name.casefold() == kind else None
        if argument is None:
            return left_out(EVERY_FILE)
        if tools is None:
            return left_out(f"paths count for `Read` and `Edit` alone, and not for `{name}`")
        return path(key, tools, argument, roots)
    if argument is None:
        return Entries(FILE_TOOLS[kind][:1] if kind == "read" else (kind,), Fit.SAME)
    return path(key, FILE_TOOLS[kind], argument, roots)


def _other_rule(key: str, kind: str, argument: str | None) -> Entries:
    if key == ALLOW:
        if argument is not None:
            return left_out("ours cannot say this about the input of a tool")
        return Entries((kind,), Fit.SAME)
    parameter = _PARAMETER.fullmatch(argument or "")
    if kind == "agent" and argument not in (None, _ANY_WORK) and parameter is None:
        return Entries((f'agent(*"subagent_type":"{argument}"*)',), Fit.SAME)
    if parameter and kind != "web_fetch" and not re.search(r"[\"\\]", parameter[2]):
        return Entries((f'{kind}(*"{parameter[1]}":*{parameter[2]}*)',), Fit.STRICTER, _ANYWHERE)
    if argument is not None and kind in ("powershell", "cmd"):
        return Entries((f"{kind}({argument})",), Fit.SAME)
    fit = Fit.SAME if argument is None else Fit.STRICTER
    note = "" if argument is None else "the tool whatever its input is"
    return Entries((kind,), fit, note)


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
    """The lists of tools in the settings of Gemini CLI and its relatives. `names` are the agent's
    own tools, to the letter, and ours for each."""
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
