"""Kill switches: what in this project or account takes the gate out of an agent's way."""

import shlex

from automode.agents.catalog import INSTALLED
from automode.config.trust import trusts_in
from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, problem, warning
from automode.facts.switches import switches

UNSET = ("", "0", "false")


def check_switches(agent: str, case: Case) -> list[Finding]:
    check = f"{agent}: switches"
    site = case.site
    trusts = trusts_in(case.placement.places(None).trust_file)
    found = switches(
        case.start, home=site.home, agent=agent, environment=site.environment, trusts=trusts
    )
    set_here = _variables(agent, case)
    if not found and not set_here:
        return [fine(check, f"nothing in {case.start} or this account switches the gate off")]
    files = [
        (warning if one.asks else problem)(
            check, f"{one.path}: {one.what}", _edit(one.path, one.fix)
        )
        for one in found
    ]
    return files + set_here


def _variables(agent: str, case: Case) -> list[Finding]:
    given = case.site.environment
    names = [one for one in INSTALLED[agent].disarming.silencing if given.get(one, "") not in UNSET]
    return [
        problem(f"{agent}: switches", f"{name} is set: {agent} runs no hooks", f"unset {name}")
        for name in names
    ]


def _edit(path: str, then: str) -> str:
    return f"${{EDITOR:-vi}} {shlex.quote(path)}  # {then}"
