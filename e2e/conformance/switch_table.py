"""The switches of each agent, as one table: what may silence a gate, and how it is set.

Rows stand in `e2e/switches.toml`. A row is a fact about an agent, so it says nothing about code.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Call:
    """A tool of the agent's that runs commands. `@command@` stands for the command in its input,
    which is JSON. `before`: calls that come first, of other tools."""

    tool: str
    input: str

    def given(self, command: str) -> Mapping[str, object]:
        found: dict[str, object] = json.loads(self.input.replace("@command@", command))
        return found


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
    words: Sequence[str] = ()
    call: Call | None = None
    child: bool = False
    install: Sequence[str] = ()
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
    """A key that no row has is an error."""
    with open(path, "rb") as file:
        table = tomllib.load(file)
    found: list[Switch] = []
    for agent, rows in table.items():
        for name, row in rows.items():
            kind, limit = Kind(row.pop("kind")), row.pop("limit", {})
            tool, given = row.pop("tool", ""), row.pop("input", "")
            call = Call(tool, given) if tool else None
            limits = {Way(way): why for way, why in limit.items()}
            found.append(Switch(agent, name, kind, call=call, limit=limits, **row))
    return tuple(sorted(found, key=lambda one: list(Kind).index(one.kind)))
