"""What the doctor looks at in one agent alone: `checks.CHECKS` in the agent's folder, if any."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from automode.agents.catalog import INSTALLED
from automode.doctor.case import Case
from automode.doctor.finding import Finding


def _no_plugin(case: Case) -> bool:
    return False


def _nothing(*_: object, **__: object) -> list[Finding]:
    return []


@dataclass(frozen=True, slots=True)
class AgentChecks:
    """`by_plugin`: a plugin of the agent's own brings automode's hooks; `plugin` looks at it, and
    `modes` at settings under which nobody is asked."""

    by_plugin: Callable[[Case], bool] = _no_plugin
    plugin: Callable[..., list[Finding]] = _nothing
    modes: Callable[[Case], list[Finding]] = _nothing


def checks_of(agent: str) -> AgentChecks:
    module = f"automode.agents.{INSTALLED[agent].folder}.checks"
    if find_spec(module) is None:
        return AgentChecks()
    found: object = import_module(module).CHECKS
    return found if isinstance(found, AgentChecks) else AgentChecks()
