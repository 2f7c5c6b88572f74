"""`automode run`: starts an agent so that no file of a project can take the gate away."""

import os
import sys
from collections.abc import Iterator, Sequence

import click

from automode.agents.catalog import INSTALLED
from automode.agents.claude_code.install.launch import named_plugins
from automode.agents.installing.agent_programs import (
    AgentProgram,
    agent_named,
    found_program,
    version_of,
)
from automode.agents.installing.installer import installer_of
from automode.agents.installing.launching import nobody_there
from automode.agents.installing.plan import CannotInstall
from automode.agents.installing.site import Program, Site
from automode.cli.daemon import placement_of
from automode.cli.install import site_here
from automode.cli.person import refuse_agents
from automode.cli.surroundings import Surroundings, settings_options
from automode.config.disk import replace_file
from automode.config.trust import trusts_in
from automode.daemon import lifecycle
from automode.daemon.placement import Placement
from automode.facts.claude_mods import CLAUDE, found_mods
from automode.facts.switch import Switch, Trusts, untrusted
from automode.facts.switches import switches


@click.command(
    epilog=f"Agents: {', '.join(INSTALLED)}.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--program",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The agent's program, where it is not on the PATH.",
)
@settings_options
@click.argument("agent", metavar="AGENT")
@click.argument("arguments", metavar="[ARGS]...", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def run(
    surroundings: Surroundings, agent: str, arguments: tuple[str, ...], program: str | None
) -> None:
    """Start AGENT with ARGS, guarded.

    Works where automode is not installed, too. A project that switches hooks off does not get its
    way: with nobody there the agent is not started at all; nor with you there, where something
    could answer in automode's place and nobody has looked (`automode trust --project`). This
    command is for people: an agent that calls it is denied.
    """
    name = agent_named(agent)
    placement = placement_of(surroundings)
    refuse_agents(placement.state)  # it might name settings of its own
    site = site_here()
    found = _program(name, program, site)
    own = Program.here(placement.state.path, placement.config)
    installer = installer_of(name)
    launch = installer.launch(arguments, site, own, found)
    terminal = sys.stdin is not None and sys.stdin.isatty()
    alone = nobody_there(installer.alone, arguments, terminal=terminal)
    _heed(_switches(name, site, placement, arguments), alone=alone)
    lifecycle.start_detached(placement)
    if launch.file is not None:
        replace_file(*launch.file)
    sys.stdout.flush()
    environment = {**os.environ, **dict(launch.variables)}
    os.execve(found.path, [found.path, *launch.words], environment)  # noqa: S606 - that is the task


def _program(agent: str, named: str | None, site: Site) -> AgentProgram:
    if named is not None:
        path = os.path.abspath(named)
        if not os.access(path, os.X_OK):
            raise CannotInstall(f"no such program: `{path}`", "name another --program")
        return AgentProgram(path, version_of(path, site.environment))
    found = found_program(agent, site.environment)
    if found is None:
        raise CannotInstall(
            f"no `{INSTALLED[agent].command}` is on the PATH",
            "install it, or name it with --program",
        )
    return found


def _switches(
    agent: str, site: Site, placement: Placement, arguments: Sequence[str]
) -> tuple[Switch, ...]:
    trusts = trusts_in(placement.places(None).trust_file)
    known = (os.getcwd(), site.home, site.environment)
    found = switches(known[0], home=known[1], agent=agent, environment=known[2], trusts=trusts)
    return (*_named(arguments, site, trusts), *found) if agent == CLAUDE else found


def _named(arguments: Sequence[str], site: Site, trusts: Trusts) -> Iterator[Switch]:
    """Plug-ins that the command line names, as far as anybody can look into them."""
    for one in named_plugins(arguments, site.environment):
        if not os.path.isdir(one):
            what = "a plug-in that nobody can look into before it is loaded"
            yield Switch(CLAUDE, one, what, "unpack it into a folder, and name that")
        yield from untrusted(found_mods((), (os.path.abspath(one),)), trusts)


def _heed(found: Sequence[Switch], *, alone: bool) -> None:
    if not found:
        return
    stops = found if alone else [one for one in found if one.blinds]
    if stops:
        said = "; ".join(f"{one.path}: {one.what}" for one in stops)
        raise CannotInstall(f"automode can be led around here: {said}", stops[0].fix)
    for one in found:
        click.echo(f"warning: {one.path}: {one.what}\nhint: {one.fix}", err=True)
