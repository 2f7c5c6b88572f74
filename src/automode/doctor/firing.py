"""Whether an agent really asks automode: it is started on a scripted model that makes a call."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, problem, warning

USER = "user"
LEFT = "your records now hold that session and its denied call"
"""Nobody should wonder later who wanted to approve something."""


class Fired(Protocol):
    """What came of starting the real agent. `ok`: its call came to automode before it ran."""

    @property
    def ok(self) -> bool: ...
    @property
    def detail(self) -> str: ...


Fires: TypeAlias = Callable[[str, str], Fired]
"""Given the agent and the path of its program. Raises AutomodeError where it cannot be started."""


def check_firing(
    agent: str, case: Case, program: str, fires: Fires | None, *, scopes: Sequence[str]
) -> list[Finding]:
    """`scopes`: where automode is registered. Only what is in the account's own settings can be
    taken along to where the agent is started."""
    check, again = f"{agent}: fires", f"automode doctor {agent}"
    untried = f"NOT TRIED whether {agent} really asks automode"
    if not case.starts or fires is None:
        return [warning(check, f"{untried}: it was not started", again)]
    if USER not in scopes:
        says = f"{untried}: it is not registered in the account's own settings"
        return [warning(check, says, f"automode install {agent}")]
    found = fires(agent, program)
    if not found.ok:
        says = f"started on a scripted model: {found.detail}"
        return [problem(check, says, f"automode install {agent}")]
    return [fine(check, f"{found.detail}; {LEFT}")]
