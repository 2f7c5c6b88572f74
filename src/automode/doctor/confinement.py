"""Whether the guard of confined calls holds on this machine."""

import os

from automode.config.settings import Confine
from automode.confine.guard import Unavailable, choose, prove
from automode.doctor.finding import Case, Finding, fine, problem, warning

CHECK = "confined calls"
INSTALL = "install bubblewrap (the program `bwrap`) with the package manager of this system"


def check_confinement(case: Case) -> list[Finding]:
    """A program tries to get out, by the way that every confined command takes."""
    if case.loaded.settings.confine is Confine.OFF:
        return [fine(CHECK, "off in the settings (`autoMode.confine`)")]
    folder = os.path.join(case.placement.state.path, "confined")
    os.makedirs(folder, 0o700, exist_ok=True)
    folder = os.path.realpath(folder)
    found = choose(folder)
    if isinstance(found, Unavailable):
        says = f"no guard holds here, so such calls go to the judge: {found.reason}"
        return [warning(CHECK, says, INSTALL)]
    fault = prove(found, folder)
    if fault:
        return [
            problem(
                CHECK, f"{found.name} does not hold: {fault}", "set `autoMode.confine` to `off`"
            )
        ]
    says = f"{found.name} holds: a program that tried to get out found no way"
    weaker = f"; weaker than bubblewrap: {'; '.join(found.limits)}" if found.limits else ""
    return [fine(CHECK, says + weaker)]
