"""GitHub Copilot CLI, started on the scripted model: no account, no network, a trusted project."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from automode.testing.agents.agent import Lodging, Screen, node_words, plain_environment
from automode.testing.script import ToolUse

_MODEL = "scripted-model"
_ALLOWING = ("--allow-all-tools", "--allow-all-paths")
_OWN_HOOKS = """{"version": 1,
  "hooks": {"preToolUse": [{"type": "command", "bash": "true", "timeoutSec": 5}]}}"""


@dataclass(frozen=True, slots=True)
class CopilotCliProgram:
    """`program` is the path of the real one, `node` the folder of the Node that it runs on; empty
    for whatever Node the caller's `PATH` has. It asks its user nothing by itself, so that whatever
    automode does not stop runs: only then does a scenario show anything."""

    program: str
    node: str = ""

    @property
    def name(self) -> str:
        return "copilot-cli"

    @property
    def words(self) -> tuple[str, ...]:
        return node_words(self.program, self.node)

    @property
    def delegates(self) -> bool:
        return True

    @property
    def screen(self) -> Screen:
        return Screen(
            ready=("/ commands",),
            asked=("Do you want to allow this tool call?",),
            yes="\r",
            no="\x1b",
            leave="\x03\x03",
        )

    @property
    def tells_why_it_stopped(self) -> bool:
        return True

    @property
    def cannot(self) -> Mapping[str, str]:
        return {"status-line": "automode has no line in Copilot's footer; `automode status` tells"}

    @property
    def stops(self) -> bool:
        """Measured on 1.0.102: no answer to `preToolUse` ends a run."""
        return False

    @property
    def switch(self) -> tuple[str, ...]:
        """Measured on 1.0.102: it does not obey the file, but its manual says that it does."""
        return (".github", "copilot", "settings.json")

    @property
    def switched_off(self) -> str:
        return '{"disableAllHooks": true}'

    def prepare(self, lodging: Lodging) -> None:
        folder = _folder(lodging)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump({"trustedFolders": [lodging.project]}, file)

    def settle_in(self, lodging: Lodging) -> None:
        (hooks,) = self.registers(lodging)
        os.makedirs(hooks, exist_ok=True)
        with open(os.path.join(hooks, "own.json"), "w", encoding="utf-8") as file:
            file.write(_OWN_HOOKS)

    def environment(self, lodging: Lodging) -> dict[str, str]:
        folders = (*((self.node,) if self.node else ()), os.path.dirname(self.program))
        return {
            **plain_environment(lodging.home, first_on_path=folders),
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
