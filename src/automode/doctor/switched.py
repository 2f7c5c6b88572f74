"""Kill switches: what in this project or account takes the gate out of an agent's way."""

import shlex

from automode.config.trust import trusts_in
from automode.doctor.case import Case
from automode.doctor.finding import Finding, fine, problem, warning
from automode.facts.switches import rewriters, switches


def check_switches(agent: str, case: Case) -> list[Finding]:
    check = f"{agent}: switches"
    site = case.site
    trusts = trusts_in(case.placement.places(None).trust_file)
    found = switches(
        case.start, home=site.home, agent=agent, environment=site.environment, trusts=trusts
    )
    if not found:
        return [fine(check, f"nothing in {case.start} or this account switches the gate off")]
    return [problem(check, f"{one.path}: {one.what}", _edit(one.path, one.fix)) for one in found]


def check_rewriters(agent: str, case: Case) -> list[Finding]:
    found = rewriters(case.start, agent=agent)
    return [
        warning(f"{agent}: project", f"{one.path}: {one.what}", _edit(one.path, one.fix))
        for one in found
    ]


def _edit(path: str, then: str) -> str:
    return f"${{EDITOR:-vi}} {shlex.quote(path)}  # {then}"
