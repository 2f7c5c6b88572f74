"""Refuses to start an agent where nothing that a person may set outranks a project's switch."""

import os

from automode.agents.installing.plan import CannotInstall
from automode.agents.installing.site import Site
from automode.facts.switches import switches


def refuse_where_switched_off(agent: str, site: Site) -> None:
    """Also with a person there: they would work without a gate. Raises CannotInstall."""
    found = switches(os.getcwd(), home=site.home, agent=agent, environment=site.environment)
    if found:
        said = "; ".join(f"{one.path}: {one.what}" for one in found)
        raise CannotInstall(f"hooks are switched off here: {said}", found[0].fix)
