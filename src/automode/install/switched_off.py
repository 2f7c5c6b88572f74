"""Refuses to start an agent where nothing that a person may set outranks a project's switch."""

import os

from automode.facts.switches import switches
from automode.install.plan import CannotInstall
from automode.install.site import Site


def refuse_where_switched_off(agent: str, site: Site) -> None:
    """Also with a person there: they would work without a gate. Raises CannotInstall."""
    known = switches(os.getcwd(), home=site.home, agent=agent, environment=site.environment)
    found = [
        one for one in known if not one.digest
    ]  # whether others are trusted is asked elsewhere
    if found:
        said = "; ".join(f"{one.path}: {one.what}" for one in found)
        raise CannotInstall(f"hooks are switched off here: {said}", found[0].fix)
