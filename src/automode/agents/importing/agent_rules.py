"""A rule of an agent, the entries that it becomes, and the files of such rules, within limits."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec

from automode.agents.catalog import INSTALLED
from automode.agents.installing.site import Site
from automode.config.jsonc import Array, Leaf, Node, Object, read
from automode.config.places import content
from automode.core.errors import BadSettings

MOST_FILES = 100
"""Rule files of one folder that are read."""
DENY, ASK, ALLOW = "permissions.deny", "permissions.ask", "permissions.allow"
VERDICTS = {"deny": DENY, "ask": ASK, "allow": ALLOW}
PROSE = {key: f"autoMode.{key}" for key in ("environment", "allow", "soft_deny", "hard_deny")}
"""The lists of sentences for the classifier."""
BUILT_IN = "$defaults"


class Fit(StrEnum):
    """How our rule compares with theirs. An allow rule may only be LESS, deny and ask only
    STRICTER."""

    SAME = "the same"
    LESS = "less"
    STRICTER = "stricter"
    NONE = "not imported"


@dataclass(frozen=True, slots=True)
class Entries:
    """What a rule becomes: `ours` are entries for one list. `note` says what differs, or why there
    is no entry."""

    ours: tuple[str, ...] = ()
    fit: Fit = Fit.NONE
    note: str = ""
    missed: bool = False
    """The agent stops calls by it, and ours would not: no allow rule may be imported beside it."""


def left_out(why: str, *, missed: bool = True) -> Entries:
    return Entries((), Fit.NONE, why, missed)


@dataclass(frozen=True, slots=True)
class AgentRule:
    """A rule as it stands in a file of an agent's. `key` is the list of ours that it belongs to."""

    key: str
    text: str
    file: str
    line: int
    entries: Entries

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


Reader = Callable[[str, bytes], Sequence[AgentRule]]
"""The rules in a file, given its path and content. BadSettings where it cannot be understood."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, and who reads it."""

    path: str
    read: Reader


@dataclass(frozen=True, slots=True)
class Permissions:
    """Where an agent keeps its rules: `RULES` of `permissions.py` in its folder."""

    user: Callable[[Site], Sequence[Source]]
    project: Callable[[Site], Sequence[Source]] = lambda _site: ()
    already: str = ""  # what needs no import


def importable() -> Mapping[str, str]:
    """The agents whose rules can be imported: name and module."""
    modules = {name: f"automode.agents.{one.folder}.permissions" for name, one in INSTALLED.items()}
    return {name: module for name, module in modules.items() if find_spec(module)}


def permissions_of(agent: str) -> Permissions:
    module = importable().get(agent)
    if module is None:
        raise BadSettings(
            f"no rules can be imported from `{agent}`", f"one of: {', '.join(importable())}"
        )
    found: object = import_module(module).RULES
    if not isinstance(found, Permissions):
        raise TypeError(f"{module}.RULES is no Permissions")
    return found


def rules_in(sources: Sequence[Source]) -> tuple[list[AgentRule], list[str]]:
    """Every rule, and the files that were there. BadSettings names the file that cannot be used:
    half of a person's deny rules are worse than none."""
    found: list[AgentRule] = []
    files: list[str] = []
    for source in sources:
        try:
            data = content(source.path)
            if data is None:
                continue
            files.append(source.path)
            found += source.read(source.path, data)
        except (BadSettings, UnicodeDecodeError, RecursionError) as error:
            line = getattr(error, "line", 0)
            where = f"{source.path}:{line}" if line else source.path
            why = error if isinstance(error, BadSettings) else "it cannot be understood"
            message = f"nothing was imported: `{where}`: {why}"
            raise BadSettings(message, "fix the file, or move it away") from error
    return found, files


def hold_back(found: Sequence[AgentRule]) -> list[AgentRule]:
    """What theirs allows is what their prohibitions leave of it. So where one of those is missing
    in ours no allow rule is imported."""
    stops = [one for one in found if one.key in (DENY, ASK) and one.entries.missed]
    if not stops:
        return list(found)
    why = f"`{stops[0].text}` ({stops[0].place}) stops calls and cannot be said in ours"
    back = left_out(f"no allow rule is, because {why}")
    return [
        replace(one, entries=back) if one.key == ALLOW and one.entries.ours else one
        for one in found
    ]


def folder_files(folder: str, ending: str) -> list[str]:
    """The files of a folder of rules, by name. BadSettings where it cannot be listed."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(ending))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise BadSettings(
            f"nothing was imported: `{folder}` cannot be listed: {error.strerror}",
            "make it readable, or move it away",
        ) from error
    if len(names) > MOST_FILES:
        raise BadSettings(
            f"nothing was imported: `{folder}` holds more than {MOST_FILES} files of rules",
            "move some of them away",
        )
    return [os.path.join(folder, name) for name in names]


def object_in(data: bytes) -> Object:
    """The object in a JSON file, comments allowed; an empty file is an empty one."""
    if not data.strip():
        return Object(())
    root = read(data).root
    if not isinstance(root, Object):
        raise BadSettings("expected an object")
    return root


def member(box: Node | None, *path: str) -> Node | None:
    """What stands at `path`; of a key that stands twice the last one counts."""
    for name in path:
        found = box.members(name) if isinstance(box, Object) else ()
        box = found[-1].value if found else None
    return box


def texts(node: Node | None, what: str) -> Iterator[tuple[str, int]]:
    """Each text of a list with its line. BadSettings where it is no list of texts."""
    if node is None or (isinstance(node, Leaf) and node.value is None):
        return
    if not isinstance(node, Array):
        raise BadSettings(f"line {node.line}: expected a list for `{what}`")
    for one in node.children:
        if not isinstance(one, Leaf) or not isinstance(one.value, str):
            raise BadSettings(f"line {one.line}: expected texts in `{what}`")
        yield one.value, one.line


def listed_rules(
    file: str, root: Node, translate: Callable[[str, str], Entries]
) -> Iterator[AgentRule]:
    """The lists `deny`, `ask` and `allow` of `permissions`."""
    for verdict, key in VERDICTS.items():
        for text, line in texts(member(root, "permissions", verdict), f"permissions.{verdict}"):
            yield AgentRule(key, text, file, line, translate(key, text))


def prose_in(file: str, box: Node | None, what: str) -> Iterator[AgentRule]:
    """Sentences for a classifier, which ours takes word for word."""
    for name, key in PROSE.items():
        for text, line in texts(member(box, name), f"{what}.{name}"):
            if text.strip() and text != BUILT_IN:
                entries = Entries((text,), Fit.SAME, "word for word, for the classifier")
                yield AgentRule(key, text, file, line, entries)
