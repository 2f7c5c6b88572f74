"""What an agent wants to do, in our words rather than in the agent's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs a script in a shell."""

    command: str
    dialect: str = "bash"  # `bash`, `powershell` or `cmd`


@dataclass(frozen=True, slots=True)
class Read:
    """Looks at files or lists them; changes nothing."""

    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Write:
    """Creates, changes or deletes the files at `paths`; empty when they are not known."""

    paths: tuple[str, ...] = ()
    removes: bool = False  # something goes away: a file or folder is deleted, moved or renamed


@dataclass(frozen=True, slots=True)
class Fetch:
    """Asks the network for `url`."""

    url: str


@dataclass(frozen=True, slots=True)
class Delegate:
    """Hands work to another agent."""

    prompt: str


@dataclass(frozen=True, slots=True)
class Other:
    """Anything else: MCP tools, browser tools, unknown tools."""


Action: TypeAlias = Shell | Read | Write | Fetch | Delegate | Other


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One proposed use of a tool. `input` is the very object that was decided and will run."""

    tool: str  # the agent's own name for the tool: what rules match and people read
    action: Action  # what the call does. Code asks this, never the name
    input: Mapping[str, object] = field(default_factory=dict)
    cancelled: bool = False  # the agent's turn ended before the call was decided
