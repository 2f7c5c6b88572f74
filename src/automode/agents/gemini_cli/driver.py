"""Gemini CLI, started on the scripted model: no account, no network, no questions at the start."""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.scripted.driver import Lodging, Screen
from automode.agents.scripted.gemini_family import QUIET, GeminiRelative
from automode.agents.scripted.script import ToolUse

_MODEL = "gemini-2.5-pro"
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "ide": {"hasSeenNudge": True},
    **QUIET,
}
_CANNOT = {
    "child-gated": "its hooks do not tell a sub-agent from the session above it",
    "status-line": "it has no status line for others",
}


@dataclass(frozen=True, slots=True)
class GeminiCliProgram(GeminiRelative):
    name = "gemini-cli"
    account = ("GEMINI_CLI_HOME", ".gemini", ".gemini")
    screen = Screen(ready=("Type your message",), asked=("Allow execution", "Allow once"))
    cannot = _CANNOT
    switch = (".gemini", "settings.json")
    switched_off = '{"hooksConfig": {"enabled": false}}'
    settings = _SETTINGS
    before_a_call = "BeforeTool"
    alone = ("-m", _MODEL, "--approval-mode", "yolo", "--skip-trust")

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        return {
            "GEMINI_API_KEY": "opens-nothing",
            "GOOGLE_GEMINI_BASE_URL": lodging.model,
            "GEMINI_TELEMETRY_ENABLED": "false",
        }

    def shell(self, command: str) -> ToolUse:
        return ToolUse("run_shell_command", {"command": command})

    def delegate(self, task: str) -> ToolUse:
        return ToolUse("invoke_agent", {"agent_name": "generalist", "prompt": task})


DRIVER = GeminiCliProgram
