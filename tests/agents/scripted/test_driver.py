"""What every agent is started with, and what it says of itself."""

import os
from pathlib import Path

import pytest

from automode.agents.scripted.driver import Driver, Lodging, driven, driver_of, plain_environment

DRIVERS = [driver for name in driven() if (driver := driver_of(name))]
AGENTS: list[Driver] = [driver("/opt/agent", node) for driver in DRIVERS for node in ("", "/node")]


@pytest.fixture
def lodging(tmp_path: Path) -> Lodging:
    (tmp_path / "home").mkdir()
    return Lodging(str(tmp_path / "home"), str(tmp_path / "project"), "http://127.0.0.1:1")


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.name)
def test_nothing_of_the_callers_own_agent_or_keys_is_handed_on(
    agent: Driver, lodging: Lodging, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDECODE", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AUTOMODE_SETTINGS_JSON"):
        monkeypatch.setenv(name, "of the caller")

    found = agent.environment(lodging)

    assert "of the caller" not in found.values()
    assert found["HOME"] == lodging.home


ALL_WRITTEN = [one for one in AGENTS if one.name != "opencode"]
"""OpenCode's settle-in leaves files to `automode install`, and its prompt is split into words."""


@pytest.mark.parametrize("agent", ALL_WRITTEN, ids=lambda one: one.name)
def test_all_that_is_written_lies_in_the_lodging(agent: Driver, lodging: Lodging) -> None:
    agent.prepare(lodging)
    agent.settle_in(lodging)

    assert [one for one in agent.registers(lodging) if not one.startswith(lodging.home)] == []
    assert all(os.path.exists(one) for one in agent.registers(lodging))


@pytest.mark.parametrize("agent", ALL_WRITTEN, ids=lambda one: one.name)
def test_the_prompt_is_the_last_word(agent: Driver) -> None:
    assert agent.once("do --this")[-1] == "do --this"


def test_folders_of_the_agents_own_come_first_on_the_path() -> None:
    assert plain_environment("/h", first_on_path=("/opt/node",))["PATH"].startswith("/opt/node:")


LODGING = Lodging("/h", "/p", "http://127.0.0.1:1")
ON_NODE = {
    # Node's folder    words before the agent's own            first on the path
    "": (("/opt/agent",), "/opt"),
    "/node/bin": (("/node/bin/node", "/opt/agent"), "/node/bin"),
}


@pytest.mark.parametrize("node", ON_NODE)
@pytest.mark.parametrize("driver", DRIVERS, ids=lambda one: one.name)
def test_a_program_is_started_with_the_node_that_is_given(driver: type[Driver], node: str) -> None:
    agent = driver("/opt/agent", node)

    first = agent.environment(LODGING)["PATH"].split(":")[0]
    assert (agent.words, first) == ON_NODE[node]


@pytest.mark.parametrize("driver", DRIVERS, ids=lambda one: one.name)
def test_an_agent_has_its_name_and_its_screen(driver: type[Driver]) -> None:
    agent = driver("/opt/agent")

    assert driver_of(agent.name) is driver
    assert agent.screen.ready
    assert bool(agent.switch) is bool(agent.switched_off)
