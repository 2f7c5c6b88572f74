"""What the daemon itself looks after: who still needs it, and the doors it keeps open."""

import subprocess
import sys

import pytest

from automode.daemon.agents import AgentList
from automode.facts.processes import this_system
from tests.daemon.conftest import HOOK_PROCESS, PATIENCE, Running, Start, until

LIVING_AGENT = """
import subprocess, sys
hook, path, request = sys.argv[1:]
done = subprocess.run([sys.executable, "-c", hook, path], input=bytes.fromhex(request))
sys.stdin.read()
"""


@pytest.fixture
def brief(start: Start) -> Running:
    """Whoever is slow holds a connection meanwhile, so that it does not end too early."""
    return start(idle_seconds=2.5)


def test_it_stays_while_an_agent_that_it_knows_lives(brief: Running) -> None:
    """Hooks over HTTP cannot start another one."""
    request = brief.hook("ls").encoded().hex()
    words = [sys.executable, "-c", LIVING_AGENT, HOOK_PROCESS, brief.folder.socket, request]
    with brief.connected():
        agent = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        until(
            lambda: bool(AgentList.of(brief.folder, this_system()).agents),
            "the agent was not noticed",
        )
    with agent:
        stayed = not ended_within(brief, 5.0)
        agent.communicate()

    assert stayed
    assert brief.process.wait(PATIENCE) == 0


def test_it_leaves_when_the_agents_that_it_knew_have_gone(brief: Running) -> None:
    with brief.connected():
        brief.by_an_agent(brief.hook("ls"))

    assert brief.process.wait(PATIENCE) == 0


def ended_within(daemon: Running, seconds: float) -> bool:
    try:
        daemon.process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
