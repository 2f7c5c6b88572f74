"""What all agents have in common that are started by the path of their program."""

import pytest

from automode.agents.drivers import STARTED
from automode.agents.scripted.driver import Lodging
from tests.rows import each_row

LODGING = Lodging("/h", "/p", "http://127.0.0.1:1")
ON_NODE = {
    # Node's folder    words before the agent's own            first on the path
    "": (("/opt/agent",), "/opt"),
    "/node/bin": (("/node/bin/node", "/opt/agent"), "/node/bin"),
}


@pytest.mark.parametrize("node", ON_NODE)
@pytest.mark.parametrize("name", STARTED)
def test_a_program_is_started_with_the_node_that_is_given(name: str, node: str) -> None:
    agent = STARTED[name]("/opt/agent", node)

    first = agent.environment(LODGING)["PATH"].split(":")[0]
    assert (agent.words, first) == ON_NODE[node]


@each_row("name", STARTED)
def test_an_agent_has_its_name_and_its_screen(name: str) -> None:
    agent = STARTED[name]("/opt/agent")

    assert agent.name == name
    assert agent.screen.ready
    assert bool(agent.switch) is bool(agent.switched_off)
