"""All checks in their order. What cannot be looked at is a warning that says so, never an ok."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from automode.agents.installing.agent_programs import found_program
from automode.core.errors import AutomodeError
from automode.doctor.agent_checks import checks_of
from automode.doctor.case import AGENTS, Case
from automode.doctor.daemon import check_daemon
from automode.doctor.finding import Finding, fine, warning
from automode.doctor.firing import Fires, check_firing
from automode.doctor.others import check_others
from automode.doctor.own import check_own
from automode.doctor.programs import check_program
from automode.doctor.registered import Registered, check_registered
from automode.doctor.settings import check_settings
from automode.doctor.store import check_store
from automode.doctor.switched import check_switches


@dataclass(frozen=True, slots=True)
class Eyes:
    """What the doctor looks with. `program` is the `automode` that was typed."""

    registered: Callable[[str], Sequence[Registered]]
    fires: Fires | None = None
    program: str = ""
    account_home: str = ""


def examined(case: Case, eyes: Eyes) -> list[Finding]:
    found = [
        *_looked("automode", lambda: check_own(case)),
        *_looked("settings", lambda: check_settings(case)),
        *_looked("daemon", lambda: check_daemon(case)),
        *_looked("records", lambda: check_store(case)),
    ]
    absent: list[str] = []
    for agent in case.agents:
        told = _looked(agent, partial(_agent, agent, case, eyes))
        # Who names an agent wants to hear of it; nobody has all the others.
        if not told and case.agents == AGENTS:
            absent.append(agent)
        else:
            found += told or [check_program(agent, None)]
    return found + _absent(absent, case)


def _absent(agents: Sequence[str], case: Case) -> list[Finding]:
    """Without a single agent nothing is gated, and that is not in order."""
    if not agents:
        return []
    says = f"neither on PATH nor registered: {', '.join(agents)}"
    if len(agents) < len(case.agents):
        return [fine("other agents", says)]
    return [warning("agents", f"{says}; no agent asks automode", "automode install AGENT")]


def _agent(agent: str, case: Case, eyes: Eyes) -> list[Finding]:
    """Nothing of an agent that is neither there nor registered."""
    program = found_program(agent, case.site.environment)
    own = checks_of(agent)
    plugin = own.by_plugin(case)
    places, unread = _places(agent, eyes)
    if program is None and not places and not plugin and not unread:
        return []
    found = [check_program(agent, program), *unread]
    if program is None and not places and not plugin:
        return found
    if not unread:
        found += check_registered(agent, places, by_plugin=plugin)
    if plugin:
        home, hooks = eyes.account_home, bool(places)
        found += own.plugin(eyes.program, account_home=home, hooks=hooks)
    found += _looked(f"{agent}: switches", lambda: check_switches(agent, case))
    found += _looked(f"{agent}: modes", lambda: own.modes(case))
    found += _looked(f"{agent}: others", lambda: check_others(agent, case))
    if program is not None:
        tried = partial(check_firing, agent, case, program.path, eyes.fires)
        scopes = [one.scope for one in places]
        found += _looked(f"{agent}: fires", lambda: tried(scopes=scopes))
    return found


def _places(agent: str, eyes: Eyes) -> tuple[Sequence[Registered], list[Finding]]:
    try:
        return eyes.registered(agent), []
    except AutomodeError as error:
        says = f"could not be looked at: {error}"
        return (), [warning(f"{agent}: registered", says, error.hint)]


def _looked(check: str, look: Callable[[], Iterable[Finding]]) -> list[Finding]:
    try:
        return list(look())
    except AutomodeError as error:
        return [warning(check, f"could not be looked at: {error}", error.hint)]
    except (OSError, ValueError) as error:
        return [
            warning(check, f"could not be looked at ({type(error).__name__})", "automode status")
        ]
