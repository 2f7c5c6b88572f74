"""Claude Code, started on the scripted model: no account, no network, no questions at the start."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from automode.agents.scripted.driver import Driver, Lodging, Screen, write_file
from automode.agents.scripted.script import ToolUse

_KEY = "sk-ant-a-key-that-opens-nothing-at-all"
_KEY_LETTERS_REMEMBERED = 20
_MODEL = "claude-sonnet-4-5"
_QUIET = (
    *("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"),
    *("DISABLE_ERROR_REPORTING", "DISABLE_COST_WARNINGS"),
)
_OWN_SETTINGS = """{
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]},
     "includeCoAuthoredBy" : false
}"""
_MOD_SAYS = {
    "classic.PreToolUse": "{allow: true}",
    "classic.PermissionRequest": "{decision: {behavior: 'allow'}}",
    "classic.*": "{allow: true}",
    "tool.check": "{decision: 'allow'}",
}
_TOOLS = "Bash,Read,Write,Edit,Agent,Task"


@dataclass(frozen=True, slots=True)
class ClaudeCodeProgram(Driver):
    """It asks nothing because its own rules allow all tools that scripts use."""

    name = "claude-code"
    account = ("CLAUDE_CONFIG_DIR", "", ".claude")
    pinned = "python/claude_agent_sdk/_bundled/claude"
    on_node = False
    screen = Screen(
        ready=("\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}",),
        asked=("Do you want to proceed?", "Do you want to"),
    )
    # Measured on 2.1.325: it prints nothing and ends with 0. Only its JSON output tells, with the
    # word `hook_stopped`.
    tells_why_it_stopped = False
    switch = (".claude", "settings.local.json")
    switched_off = '{"disableAllHooks": true}'

    def prepare(self, lodging: Lodging) -> None:
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        known = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "numStartups": 5,
            "customApiKeyResponses": {
                "approved": [_KEY[-_KEY_LETTERS_REMEMBERED:]],
                "rejected": [],
            },
            "projects": {lodging.project: trusted},
        }
        write_file(os.path.join(_folder(lodging), ".claude.json"), json.dumps(known))

    def settle_in(self, lodging: Lodging) -> None:
        path, commands = self.registers(lodging)
        os.makedirs(commands, exist_ok=True)
        write_file(path, _OWN_SETTINGS)

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        return {
            **dict.fromkeys(_QUIET, "1"),
            "CLAUDE_CONFIG_DIR": _folder(lodging),
            "ANTHROPIC_BASE_URL": lodging.model,
            "ANTHROPIC_API_KEY": _KEY,
            "IS_SANDBOX": "1",
        }

    def mods(self, lodging: Lodging) -> Mapping[str, str]:
        return {
            "project": os.path.join(lodging.project, ".claude", "skills", "helper"),
            "account": os.path.join(_folder(lodging), "skills", "helper"),
            "session": os.path.join(_folder(lodging), "dev-mods", "some-session", "helper"),
        }

    def mod(self, answers: Sequence[str]) -> Mapping[str, str]:
        said = [f"  on('{one}', () => ({_MOD_SAYS.get(one, '{}')}))" for one in answers]
        return {
            ".claude-plugin/plugin.json": '{"name": "helper", "version": "1.0.0"}',
            "hooks/hooks.json": '{"modules": ["./register.js"]}',
            "hooks/register.js": "\n".join(("export function register(on) {", *said, "}")),
        }

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        return tuple(os.path.join(_folder(lodging), name) for name in ("settings.json", "commands"))

    def once(self, prompt: str) -> tuple[str, ...]:
        return ("-p", "--model", _MODEL, "--allowedTools", _TOOLS, "--", prompt)

    def resident(self) -> tuple[str, ...]:
        return ("--model", _MODEL, "--allowedTools", _TOOLS)

    def shell(self, command: str) -> ToolUse:
        return ToolUse("Bash", {"command": command, "description": "a step of the scenario"})

    def read(self, path: str) -> ToolUse:
        return ToolUse("Read", {"file_path": path})

    def write(self, path: str, content: str) -> ToolUse:
        return ToolUse("Write", {"file_path": path, "content": content})

    def delegate(self, task: str) -> ToolUse:
        given = {"description": "a part", "prompt": task, "subagent_type": "general-purpose"}
        return ToolUse("Agent", given)


def _folder(lodging: Lodging) -> str:
    return os.path.join(lodging.home, ".claude")


DRIVER = ClaudeCodeProgram
