"""What the doctor looks at, what it found there, and the command that fixes it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from typing import TypeAlias

from automode.agents.catalog import INSTALLED
from automode.agents.installing.site import Registration, Site
from automode.agents.scripted.firing import Fired
from automode.config.load import Loaded
from automode.daemon.placement import Placement
from automode.llm.keys import Keyring, no_keyring

AGENTS = tuple(INSTALLED)
Fires: TypeAlias = Callable[[str, str], Fired]
"""Starts an agent, given its name and the path of its program. AutomodeError where it cannot."""


Canary: TypeAlias = Callable[[], Mapping[str, object]]
"""Has a harmless call judged by what is chosen. AutomodeError where it cannot."""


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"  # it works, or it could not be checked
    PROBLEM = "problem"  # calls may run undecided, or nothing works


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` names what was looked at; `fix` is what to type, empty where all is well."""

    check: str
    level: Level
    says: str
    fix: str = ""


def fine(check: str, says: str) -> Finding:
    return Finding(check, Level.OK, says)


def warning(check: str, says: str, fix: str = "") -> Finding:
    return Finding(check, Level.WARNING, says, fix)


def problem(check: str, says: str, fix: str) -> Finding:
    return Finding(check, Level.PROBLEM, says, fix)


def sound(findings: Iterable[Finding]) -> bool:
    return all(one.level is not Level.PROBLEM for one in findings)


@dataclass(frozen=True, slots=True)
class Case:
    """`site` is the machine as agents see it, `placement` the daemon that hooks should reach."""

    placement: Placement
    loaded: Loaded
    site: Site
    agents: tuple[str, ...] = AGENTS
    parsers: Mapping[str, bool] = field(default_factory=dict)  # each bash parser: can it be used
    starts: bool = True  # may start agents on a model of its own
    online: bool = False  # may ask the classifier's model
    canary: Canary | None = None
    cwd: str = ""  # where agents would be started; empty: the root of the project
    registrations: Callable[[str], Sequence[Registration]] = lambda _agent: ()
    fires: Fires | None = None
    program: str = ""  # the `automode` that was typed
    keys: Keyring = no_keyring  # those that the person stored
    account_home: str = ""

    @property
    def start(self) -> str:
        """Agents read the settings of the folder that they start in as well."""
        return self.cwd or self.site.project


@dataclass(frozen=True, slots=True)
class AgentChecks:
    """What one agent alone has: `CHECKS` of `checks.py` in its folder. `by_plugin`: a plugin of the
    agent's own brings automode's hooks; `plugin` is the agent's word for one. `modes` looks at
    settings under which nobody is asked."""

    by_plugin: Callable[[Case], bool] = lambda _case: False
    plugin: str = "plugin"
    modes: Callable[[Case], list[Finding]] = lambda _case: []


def checks_of(agent: str) -> AgentChecks:
    module = f"automode.agents.{INSTALLED[agent].folder}.checks"
    found: object = import_module(module).CHECKS if find_spec(module) else None
    return found if isinstance(found, AgentChecks) else AgentChecks()
