"""GitHub Copilot CLI, started on the scripted model: no account, no network, a trusted project."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.scripted.driver import Driver, Lodging, Screen, write_file
from automode.agents.scripted.script import ToolUse

_MODEL = "scripted-model"
_ALLOWING = ("--allow-all-tools", "--allow-all-paths")
_CANNOT = {"status-line": "automode has no line in Copilot's footer; `automode status` tells"}
_OWN_HOOKS = """{"version": 1,
  "hooks": {"preToolUse": [{"type": "command", "bash": "true", "timeoutSec": 5}]}}"""


@dataclass(frozen=True, slots=True)
class CopilotCliProgram(Driver):
    name = "copilot-cli"
    account = ("COPILOT_HOME", "", ".copilot")
    own_files = ("hooks/automode.json",)
    screen = Screen(ready=("/ commands",), asked=("Do you want to allow this tool call?",))
    cannot = _CANNOT
    stops = False  # measured on 1.0.102: no answer to `preToolUse` ends a run
    switch = (".github", "copilot", "settings.json")
    switched_off = '{"disableAllHooks": true}'

    def prepare(self, lodging: Lodging) -> None:
        trusted = {"trustedFolders": [lodging.project]}
        write_file(os.path.join(_folder(lodging), "config.json"), json.dumps(trusted))

    def settle_in(self, lodging: Lodging) -> None:
        (hooks,) = self.registers(lodging)
        write_file(os.path.join(hooks, "own.json"), _OWN_HOOKS)

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        return {
            "COPILOT_HOME": _folder(lodging),
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{lodging.model}/v1",
            "COPILOT_PROVIDER_API_KEY": "opens-nothing",
            "COPILOT_MODEL": _MODEL,
        }

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        return (os.path.join(_folder(lodging), "hooks"),)

    def once(self, prompt: str) -> tuple[str, ...]:
        return ("--no-color", *_ALLOWING, "-p", prompt)

    def resident(self) -> tuple[str, ...]:
        return _ALLOWING

    def shell(self, command: str) -> ToolUse:
        return ToolUse("bash", {"command": command, "description": "a step of the scenario"})

    def read(self, path: str) -> ToolUse:
        return ToolUse("view", {"path": path})

    def write(self, path: str, content: str) -> ToolUse:
        return ToolUse("create", {"path": path, "file_text": content})

    def delegate(self, task: str) -> ToolUse:
        given = {"description": "a part", "prompt": task, "agent_type": "general-purpose"}
        return ToolUse("task", {**given, "name": "part", "mode": "sync"})


def _folder(lodging: Lodging) -> str:
    return os.path.join(lodging.home, ".copilot")


DRIVER = CopilotCliProgram
