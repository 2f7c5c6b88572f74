"""What the desk finds out by itself, beside what agents tell it: each as a function, so that the
desk knows neither disks nor patterns. None of them raises."""

from collections.abc import Callable
from dataclasses import dataclass

from automode.adapters.seam import Instructions


@dataclass(frozen=True, slots=True)
class Suspicion:
    """`asked` says in a few words what a result asks the agent for; empty: it is not suspect, but
    there is something to say all the same."""

    warning: str
    asked: str = ""


def _not_suspect(result: str, tool: str) -> Suspicion | None:
    return None


def _no_switch(root: str, agent: str) -> str:
    return ""


def _untold(agent: str, record: str) -> tuple[str, ...] | None:
    return None


def _no_files(root: str) -> tuple[Instructions, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Senses:
    """`screen` looks at a result of a tool. `switched` tells of what can switch an agent's hooks
    off in a project, and is empty where nothing can. `calls` are the ids of the calls of the last
    turn by the agent's own record, None where that cannot be told. `instructions` are the files
    of a project that agents load by themselves."""

    screen: Callable[[str, str], Suspicion | None] = _not_suspect
    switched: Callable[[str, str], str] = _no_switch
    calls: Callable[[str, str], tuple[str, ...] | None] = _untold
    instructions: Callable[[str], tuple[Instructions, ...]] = _no_files
