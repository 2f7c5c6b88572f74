"""The switches of each agent, as one table: what may silence a gate, and how it is set.

Rows stand in `e2e/switches.toml`. A row is a fact about an agent, so it says nothing about code.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from automode.core.errors import AutomodeError


class Kind(StrEnum):
    """Who brings a switch. What a repository can carry comes first: a person clones and trusts."""

    PROJECT = "project settings"
    PLUG_IN = "project plug-in or extension"
    SKILL = "project skill or agent"
    ENV_FILE = "project .env"
    USER = "user settings"
    VARIABLE = "environment"
    FLAG = "command line"
    TOOL = "other tool"
    CHILD = "sub-agent"
    BACKGROUND = "background"


class Way(StrEnum):
    """How a person starts the agent."""

    PLAIN = "plain"
    GUARDED = "automode run"
    TERMINAL = "ask in a terminal"


_BY_ITSELF = (Kind.TOOL, Kind.CHILD, Kind.BACKGROUND)


class BadTable(AutomodeError):
    """A row that cannot be played."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool of the agent's that runs commands. `@command@` stands for the command in its input,
    which is JSON. `before`: calls that come first, of other tools."""

    tool: str
    input: str

    def given(self, command: str) -> Mapping[str, object]:
        found: object = json.loads(self.input.replace("@command@", command))
        if not isinstance(found, dict):
            raise BadTable(f"the input of `{self.tool}` is no object", "mend the row")
        return {str(name): value for name, value in found.items()}


@dataclass(frozen=True, slots=True)
class Switch:
    """`files`: text by path below `project/` or `home/`; what is there already is added to.
    `words` stand before the agent's own. `call`: what runs the commands, where it is not the usual
    shell tool. `install`: words for `automode install`. `limit`: why a gate that is off stays so,
    and what to do instead; by way. `terminal`: also with a person there, who is asked."""

    agent: str
    name: str
    kind: Kind
    what: str
    files: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    call: Call | None = None
    child: bool = False
    install: tuple[str, ...] = ()
    terminal: bool = False
    limit: Mapping[Way, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.agent}:{self.name}"

    @property
    def ways(self) -> tuple[Way, ...]:
        """What an agent does by itself it does however it was started."""
        usual = (Way.PLAIN,) if self.kind in _BY_ITSELF else (Way.PLAIN, Way.GUARDED)
        return (*usual, Way.TERMINAL) if self.terminal else usual


def read(path: str) -> tuple[Switch, ...]:
    """Raises BadTable."""
    with open(path, "rb") as file:
        table = tomllib.load(file)
    found = tuple(
        _switch(agent, name, row)
        for agent, rows in table.items()
        for name, row in _mapping(agent, rows).items()
    )
    return tuple(sorted(found, key=lambda one: list(Kind).index(one.kind)))


_KNOWN = frozenset(
    (
        "kind",
        "what",
        "files",
        "variables",
        "words",
        "tool",
        "input",
        "child",
        "install",
        "terminal",
        "limit",
    )
)


def _switch(agent: str, name: str, given: object) -> Switch:
    row = _mapping(name, given)
    unknown = sorted(set(row) - _KNOWN)
    if unknown:
        raise BadTable(f"`{agent}:{name}` has unknown keys {unknown}", "mend the row")
    tool = row.get("tool")
    return Switch(
        agent,
        name,
        Kind(str(row["kind"])),
        str(row["what"]),
        _texts(name, row.get("files", {})),
        _texts(name, row.get("variables", {})),
        tuple(_words(row.get("words", []))),
        None if tool is None else Call(str(tool), str(row["input"])),
        row.get("child") is True,
        tuple(_words(row.get("install", []))),
        row.get("terminal") is True,
        {Way(way): why for way, why in _texts(name, row.get("limit", {})).items()},
    )


def _mapping(name: str, given: object) -> Mapping[str, object]:
    if not isinstance(given, dict):
        raise BadTable(f"`{name}` is no table", "mend the row")
    return {str(key): value for key, value in given.items()}


def _texts(name: str, given: object) -> dict[str, str]:
    return {key: str(value) for key, value in _mapping(name, given).items()}


def _words(given: object) -> Iterator[str]:
    return (str(one) for one in given) if isinstance(given, Sequence) else iter(())
