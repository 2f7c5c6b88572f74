"""The agents' own programs: where they are, which release, and whether that one was measured."""

import re

from automode.agents.catalog import ADAPTERS, INSTALLED
from automode.agents.installing.agent_programs import AgentProgram
from automode.daemon.version import newer
from automode.doctor.finding import Finding, fine, warning

_RELEASE = re.compile(r"\d+(?:\.\d+)+")


def check_program(agent: str, found: AgentProgram | None) -> Finding:
    check = f"{agent}: program"
    if found is None:
        says = f"`{INSTALLED[agent].command}` is not on PATH: it could not be looked at"
        return warning(check, says, f"install {agent}, then: automode install {agent}")
    if not found.version:
        return warning(
            check, f"{found.path} does not say which release it is", f"{found.path} --version"
        )
    return _judged(check, agent, found)


def _judged(check: str, agent: str, found: AgentProgram) -> Finding:
    where, known = f"{found.path}, release {found.says}", INSTALLED[agent]
    if newer(known.oldest, found.says):
        says = f"{where}: older than {known.oldest}, the oldest that automode was tried with"
        return warning(check, says, known.update)
    measured = _RELEASE.search(ADAPTERS[agent].abilities.tested)
    if measured is None:
        return fine(check, where)
    if _generation(found.says) != _generation(measured[0]):
        says = f"{where}: automode was measured with {measured[0]}, not with this generation"
        return warning(check, says, f"automode doctor {agent}")
    return fine(check, f"{where}; measured with {measured[0]}")


def _generation(release: str) -> str:
    return release.partition(".")[0]
