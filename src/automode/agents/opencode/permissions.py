"""OpenCode's `permission`: a word for each tool, or words for patterns; the last that fits counts.

In ours a prohibition always wins. So what a later rule takes back is the stricter in ours.
"""

import os
from collections.abc import Iterator
from dataclasses import replace

from automode.agents.agent import load
from automode.agents.importing.patterns import EVERY_FILE, crossing, shell
from automode.agents.importing.theirs import (
    ALLOW,
    VERDICTS,
    Fit,
    Permissions,
    Said,
    Source,
    Theirs,
    member,
    object_in,
    unsaid,
)
from automode.agents.opencode.install import opencode_folder
from automode.config.jsonc import Leaf, Node, Object
from automode.core.errors import BadSettings

_FILES = {"read": ("read",), "edit": ("edit",), "grep": ("grep",), "list": ("ls",)}
_FILES |= {"glob": ("find",)}
_WHOLE = {"webfetch": "web_fetch", "websearch": "web_search", "task": "agent"}
_NO_CALLS = ("external_directory", "doom_loop")
_DEFAULT = "what counts where no other rule does: there automode decides"


def _rules(file: str, data: bytes) -> list[Theirs]:
    found = member(object_in(data), "permission")
    if found is None:
        return list(_of_agents(file, object_in(data)))
    listed = [_one(file, "*", None, found)] if isinstance(found, Leaf) else _listed(file, found)
    return [*_with_defaults(file, list(listed)), *_of_agents(file, object_in(data))]


def _with_defaults(file: str, found: list[Theirs]) -> Iterator[Theirs]:
    """A default in front leaves the rest as it is; one behind a rule takes that back. What another
    file says may stand before or behind it."""
    others = [one.path for one in _sources(os.path.dirname(file)) if one.path != file]
    behind = any(map(os.path.lexists, others))
    for at, one in enumerate(found):
        before = behind or any(earlier.key == ALLOW for earlier in found[:at])
        late = one.said.note == _DEFAULT and before
        yield (
            replace(one, said=unsaid(f"{_DEFAULT}, and it takes earlier rules back"))
            if late
            else one
        )


def _of_agents(file: str, root: Object) -> Iterator[Theirs]:
    agents = member(root, "agent")
    for agent in agents.children if isinstance(agents, Object) else ():
        if member(agent.value, "permission") is not None:
            shown = f"agent.{agent.key}.permission"
            yield Theirs(VERDICTS["deny"], shown, file, agent.line, unsaid("it is for one agent"))


def _listed(file: str, box: Node) -> Iterator[Theirs]:
    if not isinstance(box, Object):
        raise BadSettings(f"line {box.line}: expected a word or an object for `permission`")
    for tool in box.children:
        if not isinstance(tool.value, Object):
            yield _one(file, tool.key, None, tool.value)
            continue
        for rule in tool.value.children:
            yield _one(file, tool.key, rule.key, rule.value)


def _one(file: str, tool: str, glob: str | None, value: Node) -> Theirs:
    word = value.value if isinstance(value, Leaf) else None
    key = VERDICTS.get(str(word))
    shown = f"{tool}: {word}" if glob is None else f"{tool}: {glob}: {word}"
    if key is None:
        raise BadSettings(f"line {value.line}: expected `allow`, `ask` or `deny` for `{tool}`")
    return Theirs(key, shown, file, value.line, _said(key, tool, glob))


def _said(key: str, tool: str, glob: str | None) -> Said:
    if tool in _NO_CALLS:
        return unsaid("it is about no tool: ours has no such rule", missed=False)
    if tool == "*" or glob == "*":
        return unsaid(_DEFAULT, missed=False)
    if tool == "bash":
        return shell(key, glob or "*") if "?" not in (glob or "") else _with_one_letter(key, glob)
    if tool in _FILES and key == ALLOW:
        return unsaid(EVERY_FILE)  # of files elsewhere OpenCode asks all the same
    if tool in _FILES:
        return crossing(key, _FILES[tool], glob or "*")
    name = _WHOLE.get(tool) or _own_name(tool)
    if glob is None:
        return Said((name,), Fit.SAME)
    if key == ALLOW:
        return unsaid("ours cannot say this about the input of a tool")
    return Said((name,), Fit.STRICTER, "the tool whatever its input is")


def _with_one_letter(key: str, glob: str | None) -> Said:
    """`?` is one character in theirs as in ours."""
    said = shell(key, (glob or "").replace("?", "x"))
    return Said((f"bash({glob})",), Fit.SAME) if said.ours else said


def _own_name(tool: str) -> str:
    """As automode's plugin names it: what is none of OpenCode's own is a server's."""
    return load("opencode").mark_foreign(tool)


def _sources(folder: str) -> list[Source]:
    names = ("config.json", "opencode.json", "opencode.jsonc")
    return [Source(os.path.join(folder, name), _rules) for name in names]


RULES = Permissions(
    lambda site: _sources(opencode_folder(site)),
    lambda site: [*_sources(site.project)[1:], *_sources(os.path.join(site.project, ".opencode"))],
)
