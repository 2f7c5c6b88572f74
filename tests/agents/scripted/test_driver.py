"""What every agent is started with, and what it says of itself."""

import os
from pathlib import Path

import pytest
from conformance.driver import ScenarioDriver, scenario_driver

from automode.agents.scripted.driver import ScratchFolders, driven

AGENTS = [scenario_driver(name, "/opt/agent", node) for name in driven() for node in ("", "/node")]
ON_NODE = {
    # Node's folder    words before the agent's own            first on the path
    "": (("/opt/agent",), "/opt"),
    "/node": (("/node/node", "/opt/agent"), "/node"),
}
each_agent = pytest.mark.parametrize("agent", AGENTS, ids=lambda one: f"{one.name}{one.node}")


@pytest.fixture
def scratch(tmp_path: Path) -> ScratchFolders:
    (tmp_path / "home").mkdir()
    return ScratchFolders(str(tmp_path / "home"), str(tmp_path / "project"), "http://127.0.0.1:1")


@each_agent
def test_nothing_of_the_callers_own_agent_or_keys_is_handed_on(
    agent: ScenarioDriver, scratch: ScratchFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDECODE", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AUTOMODE_SETTINGS_JSON"):
        monkeypatch.setenv(name, "of the caller")

    found = agent.environment(scratch)

    assert "of the caller" not in found.values()
    assert found["HOME"] == scratch.home
    assert (agent.words, found["PATH"].split(":")[0]) == ON_NODE[agent.node]


@each_agent
def test_all_that_is_written_lies_in_the_lodging_and_is_filled_in(
    agent: ScenarioDriver, scratch: ScratchFolders
) -> None:
    agent.prepare(scratch)
    agent.settle_in(scratch)

    paths = agent.registers(scratch)
    assert [one for one in paths if not one.startswith(scratch.home)] == []
    # OpenCode's folder for automode's second half is made by the installer alone.
    assert all(map(os.path.exists, [one for one in paths if not one.endswith("/automode")]))
    written = [one.read_text() for one in Path(scratch.home).rglob("*") if one.is_file()]
    filled = (*written, *agent.environment(scratch).values(), *agent.mods(scratch).values())
    assert not any(place in one for one in filled for place in ("@home@", "@project@", "@model@"))


@each_agent
def test_the_prompt_comes_last(agent: ScenarioDriver) -> None:
    assert agent.once("do --this")[-1].endswith("--this")


@each_agent
def test_its_calls_carry_what_they_are_about(agent: ScenarioDriver) -> None:
    assert "touch it" in str(agent.shell("touch it").input)
    assert "/p/a" in str(agent.read("/p/a").input)
    written = str(agent.write("/p/a", "one\ntwo").input)
    assert "/p/a" in written
    assert "one" in written
    assert "@" not in f"{agent.read('/p/a')}{written}"
