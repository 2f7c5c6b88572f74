"""The events of agents: what an agent's hook says, and what it is answered."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, TypeAlias

from automode.core.decision import Decision
from automode.core.transcript import Outcome

Variables: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SessionRef:
    """Which session of the agent an event is about, and its folder."""

    session: str
    cwd: str
    parent: str | None = None
    attended: bool = True
    model: str | None = None  # the agent's own model, `provider/id`, where it says so
    record: str = ""  # the file in which the agent itself keeps this session, where it says so
    variables: Variables = ()  # of its environment, those that hold settings of automode
    run: str = ""  # of `automode run`, where that started the agent

    def with_variables(self, given: Variables, run: str) -> "SessionRef":
        """`run` is the name of the variable that says which run it is."""
        named = next((value for name, value in given if name == run), "")
        settings = tuple(one for one in given if one[0] != run)
        return replace(self, variables=settings, run=named)


@dataclass(frozen=True, slots=True)
class CallProposed:
    """`id` is the agent's own id of the call; empty when it has none. `changeable`: whoever asks
    will run the call with the input that the answer names."""

    ref: SessionRef
    tool: str
    input: Mapping[str, object]
    id: str = ""
    changeable: bool = False


@dataclass(frozen=True, slots=True)
class PermissionSought:
    """The agent is about to ask its own user about a call that was proposed before."""

    ref: SessionRef
    tool: str
    input: Mapping[str, object]
    id: str = ""


@dataclass(frozen=True, slots=True)
class CallFinished:
    """`answers` are a person's to the agent's own ask-the-user tool, each with its question.
    `child` is the session of the sub-agent whose work this result is. `added` are names in the
    input that the agent itself filled in while the call ran. `doubted`: nobody has seen that it
    comes from the session's own agent, so no person's yes follows from it."""

    ref: SessionRef
    id: str
    tool: str
    input: Mapping[str, object]
    outcome: Outcome
    result: str = ""  # what the probe screens; never kept
    answers: tuple[tuple[str, str], ...] = ()
    child: str = ""
    added: tuple[str, ...] = ()
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class PromptTyped:
    """A text in the user's place. `machine`: it does not count as a person's. `doubted`: the agent
    handed it over as a person's, and automode did not believe that. Where the text brings results
    of sub-agents that ran in the background, `returned` has the session of each, and the id of the
    call that started it."""

    ref: SessionRef
    text: str
    machine: bool = False
    doubted: bool = False
    returned: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BranchTaken:
    """The person went to another place in the conversation: `words` are the texts in the user's
    place on the way there, `left` those on all other ways."""

    ref: SessionRef
    words: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonSaid:
    """A word to automode itself, typed in the agent's prompt: it is no text for the agent. `code`
    confirms what loosens, `text` is all that was typed. `believed`: whoever handed it over has
    checked that it comes from the session's own agent; no adapter can."""

    ref: SessionRef
    verb: str
    argument: str = ""
    code: str = ""
    text: str = ""
    believed: bool = False


@dataclass(frozen=True, slots=True)
class Instructions:
    """A file of the project's that the agent was given as instructions."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """`instructions` None: the agent does not say which it was given. `doubted`: nobody has seen
    that it comes from the session's own agent, so it can only make things stricter."""

    ref: SessionRef
    instructions: tuple[Instructions, ...] | None = None
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class TurnContinues:
    """The agent is about to tell its model what came of calls. Where no answer to a call can end a
    run, this is where a halted one ends."""

    ref: SessionRef


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The agent waits for its user. `words` is what it wrote last: a bare "yes" answers that.
    `calls` are the ids of all calls it knows to have made in this turn, where it tells."""

    ref: SessionRef
    words: str = ""
    calls: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class SessionEnded:
    ref: SessionRef


@dataclass(frozen=True, slots=True)
class Ignored:
    """An event that automode has nothing to say to."""

    name: str


HostEvent: TypeAlias = (
    CallProposed
    | PermissionSought
    | CallFinished
    | PromptTyped
    | BranchTaken
    | PersonSaid
    | SessionStarted
    | TurnContinues
    | TurnEnded
    | SessionEnded
    | Ignored
)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What automode tells besides a decision, or in answer to an event without one; mostly
    nothing."""

    warning: str = ""  # for the agent, in front of a result
    notice: str = ""  # for the person
    refusal: str = ""  # why the session must not go on; where the agent cannot stop, a notice
    reply: str = ""  # to a person's word to automode; the agent must not read it
    record: str = ""  # the id under which a decision is kept, and a person can approve the call


NO_FEEDBACK = Feedback()


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
class HookProcess:
    """How a hook's process differs from other processes that the agent starts: variables that it
    always has, and variables that it never has."""

    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an agent does with an answer, measured on the real program."""

    asks: bool  # whether `ask` reaches a person when one is there
    stops: bool  # whether `halt` can end the run
    deadline_ms: int = 55_000  # below the agent's own limit for a hook
    hook_seconds: int = 60  # the longest that its hook may be installed to wait, as far as is known
    markers: tuple[
        str, ...
    ] = ()  # variables it sets in what it starts: a process that has one was started by it
    allows: bool = True  # whether `allow` spares the person the agent's own question
    rewrites: bool = False  # whether a warning can be put in front of a result
    confines: str = ""
    """Whether the answer to a call can change its command, and what of its shell is left for the
    next call: `nothing`, `folder`, `shell` (also variables); empty: it cannot be changed."""
    itself: bool = False  # whether the agent's own process sends events, not a hook that it starts
    hooks: HookProcess | None = None  # None: whatever it starts may be a hook
    tested: str = ""  # the version of the real program that all this was measured on


class Adapter(Protocol):
    """Contract: pure. `parse` raises BadCall for what it cannot read; the caller then denies. What
    the agent cannot express becomes the nearest stricter answer."""

    @property
    def name(self) -> str: ...
    @property
    def abilities(self) -> Abilities: ...
    def parse(self, payload: Mapping[str, object]) -> HostEvent: ...
    def render(
        self, event: HostEvent, decision: Decision | None, feedback: Feedback = NO_FEEDBACK
    ) -> Answer:
        """Without a decision automode has no opinion, and the agent's own flow goes on."""
        ...

    def closing_answer(self, moment: Moment, reason: str) -> Answer:
        """The answer when nothing could be decided."""
        ...
