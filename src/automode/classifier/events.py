"""What a host tells about a session, as data: the only way words reach a transcript.

Adapters make these from a host's own events. The origin of a text is stated by the adapter; it is
never guessed from the text alone where the host knows better.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from automode.core.transcript import Fact, Outcome


class Origin(StrEnum):
    """Who put a text into the user's place in the conversation."""

    PERSON = "person"
    MACHINE = "machine"  # task notifications, reminders, command output, expansions
    HOOK = "hook"  # context that a hook added
    COMPACTION = "compaction"  # a summary of earlier conversation
    ORCHESTRATOR = "orchestrator"  # another agent, speaking to its sub-agent


@dataclass(frozen=True, slots=True)
class UserPrompt:
    """A text in the user's place. Only a person's counts as the user's words."""

    text: str
    origin: Origin = Origin.PERSON


@dataclass(frozen=True, slots=True)
class AgentParagraph:
    """What the agent said to the user. Forgotten, unless a bare affirmation answers it."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolProposed:
    """`id` is the host's own id of the call, to find it again when it has finished."""

    id: str
    tool: str
    input: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolFinished:
    id: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class HostQuestionAnswered:
    """`own_tool`: the host itself asked. A tool of the same name from elsewhere can put any answer
    into the user's mouth, so its answers are dropped."""

    question: str
    answer: str
    own_tool: bool


@dataclass(frozen=True, slots=True)
class FactNoted:
    fact: Fact


Event: TypeAlias = (
    UserPrompt | AgentParagraph | ToolProposed | ToolFinished | HostQuestionAnswered | FactNoted
)
