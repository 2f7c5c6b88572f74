"""What the desk finds out by itself, beside what agents tell it: each as a function, so that the
desk knows neither disks nor patterns. None of them raises."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from automode.agents.events import Instructions


@dataclass(frozen=True, slots=True)
class Suspicion:
    """`asked` says in a few words what a result asks the agent for; empty: it is not suspect, but
    there is something to say all the same."""

    warning: str
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Switched:
    """What leads calls of an agent around the gate, and the way out; `told` is empty where nothing
    does. `blinds`: something else answers in the gate's place, which no person would notice.
    `asks`: a person is asked about every call, until they have looked."""

    told: str = ""
    blinds: bool = False
    asks: bool = False

    def refuses(self, *, attended: bool) -> bool:
        """Whether a session must not go on."""
        return bool(self.told) and (self.blinds or not attended)


def _not_suspect(result: str, tool: str) -> Suspicion | None:
    return None


def _no_switch(root: str, agent: str) -> Switched:
    return NOTHING_SWITCHED


def _unmoved(root: str, agent: str) -> str:
    return ""


def _untold(agent: str, record: str) -> tuple[str, ...] | None:
    return None


def _not_marked(agent: str, record: str, prompts: Sequence[str]) -> Mapping[str, bool] | None:
    return None


def _no_files(root: str) -> tuple[Instructions, ...]:
    return ()


NOTHING_SWITCHED = Switched()


@dataclass(frozen=True, slots=True)
class Senses:
    """`screen` looks at a result of a tool. `switched` tells of what in a project can switch an
    agent's hooks off, or change calls behind them. `calls` are the ids of the calls of the last
    turn by the agent's own record, None where that cannot be told. `instructions` are the files
    of a project that agents load by themselves. `prompts` says which prompts the agent's record
    knows: True for those that no person typed; None where there is no record to ask. `stamp` is
    another text as soon as what `switched` tells may be another; cheap enough for each call."""

    screen: Callable[[str, str], Suspicion | None] = _not_suspect
    switched: Callable[[str, str], Switched] = _no_switch
    calls: Callable[[str, str], tuple[str, ...] | None] = _untold
    instructions: Callable[[str], tuple[Instructions, ...]] = _no_files
    prompts: Callable[[str, str, Sequence[str]], Mapping[str, bool] | None] = _not_marked
    stamp: Callable[[str, str], str] = _unmoved
