"""`automode uninstall`: takes automode out of an agent again, and nothing else."""

import click

from automode.agents.catalog import INSTALLED
from automode.agents.installing.agent_programs import agent_named
from automode.agents.installing.installer import installer_of
from automode.agents.installing.plan import Plan, Scope
from automode.agents.installing.receipts import Receipts
from automode.cli.daemon import placement_of
from automode.cli.install import carry_out, change_options, site_here
from automode.cli.person import refuse_agents
from automode.cli.surroundings import Surroundings, settings_options


@click.command(
    epilog=f"Agents: {', '.join(INSTALLED)}.",
)
@click.argument("agent", metavar="AGENT")
@change_options
@settings_options
@click.pass_obj
def uninstall(
    surroundings: Surroundings,
    agent: str,
    scope: str | None,
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Take automode out of AGENT again.

    A file that nobody touched since is given back to the byte; from one that somebody did exactly
    automode's entries go. Records, settings and tokens stay. This command is for people: an agent
    that calls it is denied.
    """
    name, wanted = agent_named(agent), Scope(scope or Scope.USER)
    placement = placement_of(surroundings)
    refuse_agents(placement.state)
    receipts = Receipts.of(placement.state.path)

    def planned(*, making: bool) -> Plan:
        return installer_of(name).plan_uninstall(wanted, site_here(), receipts)

    carry_out(planned, placement, "uninstalled", dry_run=dry_run, yes=yes, as_json=as_json)
