"""OpenCode's `permission`: a word for each tool, or words for patterns; the last that fits counts.

In ours a prohibition always wins. So what a later rule takes back is the stricter in ours.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import product

from automode.agents.agent import load
from automode.agents.importing.agent_rules import (
    ALLOW,
    DENY,
    VERDICTS,
    AgentRule,
    Entries,
    Fit,
    Permissions,
    Source,
    left_out,
    member,
    object_in,
)
from automode.agents.importing.patterns import EVERY_FILE, across_folders, no_tool, shell
from automode.agents.opencode.install import opencode_folder
from automode.config.jsonc import Leaf, Member, Node, Object
from automode.core.errors import BadSettings

_FILES = {"read": ("read",), "grep": ("grep",), "list": ("ls",), "glob": ("find",)}
_FILES |= dict.fromkeys(("edit", "write", "multiedit", "patch", "apply_patch"), ("edit",))
_SEARCHES = ("grep", "glob")
_WHOLE = {"webfetch": "web_fetch", "websearch": "web_search", "task": "agent"}
_WHOLE |= {name: name for name in ("codesearch", "lsp", "question", "skill", "todoread")}
_WHOLE |= {"todowrite": "todowrite"}
_NO_CALLS = ("external_directory", "doom_loop")
_WILD = re.compile(r"[*?\[]")
_DEFAULT = "what counts where no other rule does: there automode decides"


def _rules(file: str, data: bytes) -> list[AgentRule]:
    root = object_in(data)
    others = [*_switched_off(file, member(root, "tools")), *_agent_rules(file, root)]
    found = member(root, "permission")
    if found is None:
        return others
    listed = (
        [_one(file, "*", None, found)] if isinstance(found, Leaf) else _listed_rules(file, found)
    )
    return [*_with_defaults(file, list(listed)), *others]


def _with_defaults(file: str, found: list[AgentRule]) -> Iterator[AgentRule]:
    """A default in front leaves the rest as it is; one behind a rule takes that back. What another
    file says may stand before or behind it."""
    others = [one.path for one in _sources(os.path.dirname(file)) if one.path != file]
    behind = any(map(os.path.lexists, others))
    for at, one in enumerate(found):
        before = behind or any(earlier.key == ALLOW for earlier in found[:at])
        late = one.entries.note == _DEFAULT and before
        yield (
            replace(one, entries=left_out(f"{_DEFAULT}, and it takes earlier rules back"))
            if late
            else one
        )


def _agent_rules(file: str, root: Object) -> Iterator[AgentRule]:
    for box, key in product(("agent", "mode"), ("permission", "tools")):
        for agent in _members(member(root, box)):
            if member(agent.value, key) is not None:
                shown = f"{box}.{agent.key}.{key}"
                yield AgentRule(DENY, shown, file, agent.line, left_out("it is for one agent"))


def _switched_off(file: str, tools: Node | None) -> Iterator[AgentRule]:
    """`tools`: false takes a tool away."""
    for tool in _members(tools):
        if not (isinstance(tool.value, Leaf) and tool.value.value is True):
            shown = f"tools.{tool.key}"
            entries = (
                left_out("every tool is off")
                if tool.key == "*"
                else _translate(DENY, tool.key, None)
            )
            yield AgentRule(DENY, shown, file, tool.line, entries)


def _members(box: Node | None) -> Sequence[Member]:
    """Of a key that stands twice the last one counts, in the place of the first."""
    found = {one.key: one for one in box.children} if isinstance(box, Object) else {}
    return tuple(found.values())


def _listed_rules(file: str, box: Node) -> Iterator[AgentRule]:
    if not isinstance(box, Object):
        raise BadSettings(f"line {box.line}: expected a word or an object for `permission`")
    for tool in _members(box):
        if not isinstance(tool.value, Object):
            yield _one(file, tool.key, None, tool.value)
            continue
        for rule in _members(tool.value):
            yield _one(file, tool.key, rule.key, rule.value)


def _one(file: str, tool: str, glob: str | None, value: Node) -> AgentRule:
    word = value.value if isinstance(value, Leaf) else None
    key = VERDICTS.get(str(word))
    shown = f"{tool}: {word}" if glob is None else f"{tool}: {glob}: {word}"
    if key is None:
        raise BadSettings(f"line {value.line}: expected `allow`, `ask` or `deny` for `{tool}`")
    return AgentRule(key, shown, file, value.line, _translate(key, tool, glob))


def _translate(key: str, tool: str, glob: str | None) -> Entries:
    if tool in _NO_CALLS:
        return left_out("it is about no tool: ours has no such rule", missed=False)
    if tool == "*" or glob == "*":
        return left_out(_DEFAULT, missed=False)
    if _WILD.search(tool) and any(fnmatchcase(own, tool) for own in _own_tools()):
        return left_out("its name means several tools: name each of them")
    if tool == "bash":
        return shell(key, glob or "*") if "?" not in (glob or "") else _with_one_letter(key, glob)
    return (
        _translate_file_rule(key, tool, glob)
        if tool in _FILES
        else _translate_other_rule(key, tool, glob)
    )


def _translate_file_rule(key: str, tool: str, glob: str | None) -> Entries:
    if key == ALLOW:
        return left_out(EVERY_FILE)  # of files elsewhere OpenCode asks all the same
    if tool in _SEARCHES and glob is not None:
        return left_out("it is about what is searched for, and ours about files")
    return across_folders(key, _FILES[tool], glob or "*")


def _translate_other_rule(key: str, tool: str, glob: str | None) -> Entries:
    if tool not in _WHOLE and (key == ALLOW or tool in _own_tools()):
        return no_tool(tool)
    # As automode's plugin names it: what is none of OpenCode's own is a server's.
    name = _WHOLE.get(tool) or load("opencode").mark_foreign(tool)
    if glob is None:
        return Entries((name,), Fit.SAME)
    if key == ALLOW:
        return left_out("ours cannot say this about the input of a tool")
    return Entries((name,), Fit.STRICTER, "the tool whatever its input is")


def _with_one_letter(key: str, glob: str | None) -> Entries:
    """`?` is one character in theirs as in ours."""
    entries = shell(key, (glob or "").replace("?", "x"))
    return Entries((f"bash({glob})",), Fit.SAME) if entries.ours else entries


def _own_tools() -> frozenset[str]:
    return load("opencode").own_tools | {"bash", *_FILES, *_WHOLE, *_NO_CALLS}


def _sources(folder: str) -> list[Source]:
    names = ("config.json", "opencode.json", "opencode.jsonc")
    return [Source(os.path.join(folder, name), _rules) for name in names]


RULES = Permissions(
    lambda site: _sources(opencode_folder(site)),
    lambda site: [*_sources(site.project)[1:], *_sources(os.path.join(site.project, ".opencode"))],
)
