"""Every agent that can be named can be installed, looked for and started."""

import pytest

from automode.agents.catalog import ADAPTERS
from automode.agents.installers import INSTALLERS, Order, registered
from automode.agents.installing.agent_programs import PROGRAMS
from automode.agents.installing.http_place import UNKNOWN
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site


def test_every_agent_has_a_program_a_row_and_an_adapter() -> None:
    assert set(INSTALLERS) == set(PROGRAMS)
    assert set(INSTALLERS) <= set(ADAPTERS)


@pytest.mark.parametrize("agent", INSTALLERS)
def test_an_agent_that_was_left_alone_is_registered_nowhere(
    agent: str, site: Site, program: Program, receipts: Receipts
) -> None:
    assert registered(agent, site, program) == ()
    assert INSTALLERS[agent].uninstall(Scope.USER, site, receipts).changes == ()


@pytest.mark.parametrize("agent", sorted(set(INSTALLERS) - {"claude-code"}))
def test_only_claude_code_can_be_asked_in_two_ways(
    agent: str, site: Site, program: Program, receipts: Receipts
) -> None:
    order = Order(Scope.USER, Transport.HTTP, site, program, receipts, lambda: UNKNOWN)

    with pytest.raises(CannotInstall, match="--transport"):
        INSTALLERS[agent].install(order)
