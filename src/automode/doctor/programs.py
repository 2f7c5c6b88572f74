"""The agents' own programs: where they are, which release, and whether that one was measured."""

import re
from dataclasses import dataclass

from automode.agents.catalog import ADAPTERS
from automode.agents.installing.agent_programs import PROGRAMS, AgentProgram
from automode.daemon.version import newer
from automode.doctor.finding import Finding, fine, warning

_RELEASE = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class Known:
    oldest: str  # the first release whose hooks were tried
    update: str


KNOWN = {
    "antigravity": Known("0.0.0", "agy update"),  # not one release was tried
    "claude-code": Known("2.1.197", "claude update"),
    "codex": Known("0.166.0", "codex update"),
    "pi": Known("0.73.1", "pi update"),
    "gemini-cli": Known("0.61.0", "npm install -g @google/gemini-cli"),
    "qwen-code": Known("0.24.4", "qwen update"),
    "opencode": Known("1.18.33", "opencode upgrade"),
    "copilot-cli": Known("1.0.102", "copilot update"),
    "cline": Known("3.0.65", "cline update"),
    "cursor": Known("0.0.0", "cursor-agent update"),  # not one release was tried
}


def check_program(agent: str, found: AgentProgram | None) -> Finding:
    check = f"{agent}: program"
    if found is None:
        says = f"`{PROGRAMS[agent]}` is not on PATH: it could not be looked at"
        return warning(check, says, f"install {agent}, then: automode install {agent}")
    if not found.version:
        return warning(
            check, f"{found.path} does not say which release it is", f"{found.path} --version"
        )
    return _judged(check, agent, found)


def _judged(check: str, agent: str, found: AgentProgram) -> Finding:
    where, known = f"{found.path}, release {found.says}", KNOWN[agent]
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
