"""Every agent that can be named can be installed, looked for and started."""

import pytest

from automode.agents.catalog import INSTALLED
from automode.agents.installing.installer import Order, installer_of
from automode.agents.installing.plan import CannotInstall, Receipts, Scope, Transport
from automode.agents.installing.site import UNKNOWN, Program, Site


@pytest.mark.parametrize("agent", INSTALLED)
def test_an_agent_that_was_left_alone_is_registered_nowhere(
    agent: str, site: Site, program: Program, receipts: Receipts
) -> None:
    assert installer_of(agent).registered(site, program) == ()
    assert installer_of(agent).plan_uninstall(Scope.USER, site, receipts).changes == ()


@pytest.mark.parametrize("agent", sorted(set(INSTALLED) - {"claude-code"}))
def test_only_claude_code_can_be_asked_in_two_ways(
    agent: str, site: Site, program: Program, receipts: Receipts
) -> None:
    order = Order(Scope.USER, Transport.HTTP, site, program, receipts, lambda: UNKNOWN)

    with pytest.raises(CannotInstall, match="--transport"):
        installer_of(agent).install(order)
