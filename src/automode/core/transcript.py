"""What a classifier may know of a session: never what tools bring back, and prose of the agent only
where a person chose that (`transcript.assistantText: "visible"`).

An agent that cannot be quoted cannot argue its way past the classifier.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from automode.core.call import ToolCall
from automode.core.errors import BadCall
from automode.core.tools import tool_call


class Outcome(StrEnum):
    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    REJECTED = "rejected by user"


@dataclass(frozen=True, slots=True)
class UserMessage:
    text: str
    referent: str = ""  # what a bare "yes" answered: the last paragraph before it, marked as such


@dataclass(frozen=True)
class PriorCall:
    tool: str
    input: Mapping[str, object]
    outcome: Outcome | None = None
    approved: bool = False  # a person was asked about it and said yes

    @cached_property
    def call(self) -> ToolCall | None:
        """As automode sees it; None for an input that does not fit the tool. Kept, because each
        later call of a session asks what the earlier ones did."""
        try:
            return tool_call(self.tool, self.input)
        except BadCall:
            return None

    @property
    def may_have_run(self) -> bool:
        return self.outcome not in (Outcome.DENIED, Outcome.REJECTED)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something automode itself established, such as a git status or a probe warning."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class AgentText:
    """What the agent said at the end of a turn."""

    text: str


Entry: TypeAlias = UserMessage | PriorCall | Fact | AgentText


@dataclass(frozen=True, slots=True)
class Transcript:
    entries: tuple[Entry, ...] = ()
