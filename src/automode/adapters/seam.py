"""The seam between agents and the gate: what an agent's hook says, and what it is answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from automode.core.decision import Decision
from automode.core.transcript import Outcome


@dataclass(frozen=True, slots=True)
class Speaker:
    """Which session of the agent speaks, and where it works."""

    session: str
    cwd: str
    parent: str | None = None
    attended: bool = True
    model: str | None = None  # the agent's own model, `provider/id`, where it says so


@dataclass(frozen=True, slots=True)
class CallProposed:
    """`id` is the agent's own id of the call; empty when it has none."""

    speaker: Speaker
    tool: str
    input: Mapping[str, object]
    id: str = ""


@dataclass(frozen=True, slots=True)
class CallFinished:
    speaker: Speaker
    id: str
    tool: str
    input: Mapping[str, object]
    outcome: Outcome
    result: str = ""  # what the probe screens; never kept


@dataclass(frozen=True, slots=True)
class PromptTyped:
    """A text in the user's place. `machine`: the agent itself says that no person typed it."""

    speaker: Speaker
    text: str
    machine: bool = False


@dataclass(frozen=True, slots=True)
class SessionStarted:
    speaker: Speaker


@dataclass(frozen=True, slots=True)
class SessionEnded:
    speaker: Speaker


@dataclass(frozen=True, slots=True)
class Ignored:
    """An event that automode has nothing to say to."""

    name: str


HostEvent: TypeAlias = (
    CallProposed | CallFinished | PromptTyped | SessionStarted | SessionEnded | Ignored
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the hook prints and how it exits. The bytes are the agent's own dialect."""

    stdout: str = ""
    stderr: str = ""
    exit: int = 0


class Moment(StrEnum):
    """When a hook fires; the installer writes it into the hook's command line, so that the hook
    can close without reading the payload."""

    PROPOSED = "proposed"  # before a tool runs: must close on any failure
    FINISHED = "finished"
    PROMPT = "prompt"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an agent does with an answer, measured on the real program."""

    asks: bool  # whether `ask` reaches a person when one is there
    stops: bool  # whether `halt` can end the run
    deadline_ms: int  # below the agent's own limit for a hook
    markers: tuple[str, ...] = ()  # variables it sets in what it starts: who has one descends of it


class Adapter(Protocol):
    """Contract: pure. `parse` raises BadCall for what it cannot read; whoever calls it closes.
    What the agent cannot express becomes the nearest stricter answer."""

    @property
    def name(self) -> str: ...
    @property
    def abilities(self) -> Abilities: ...
    def parse(self, payload: Mapping[str, object]) -> HostEvent: ...
    def render(self, event: HostEvent, decision: Decision | None) -> Answer:
        """None: automode has no opinion, and the agent's own flow goes on."""
        ...

    def closed(self, moment: Moment, reason: str) -> Answer:
        """The answer when nothing could be decided."""
        ...
