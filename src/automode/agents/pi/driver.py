"""Pi, started on the scripted model: offline, with a provider of its own that is the script."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.scripted.driver import Driver, Lodging, Screen, write_file
from automode.agents.scripted.script import ToolUse

_PROVIDER, _MODEL = "scripted", "scripted-model"


@dataclass(frozen=True, slots=True)
class PiProgram(Driver):
    name = "pi"
    account = ("PI_CODING_AGENT_DIR", "", ".pi/agent")
    own_files = ("extensions/automode.ts",)
    screen = Screen(ready=(_MODEL,), asked=("Yes, once",), yes="\x1b[B\r", no="\r")
    delegates = False

    def prepare(self, lodging: Lodging) -> None:
        provider = {
            "baseUrl": f"{lodging.model}/v1",
            "api": "openai-completions",
            "apiKey": "opens-nothing",
            "models": [{"id": _MODEL}],
        }
        known = json.dumps({"providers": {_PROVIDER: provider}})
        write_file(os.path.join(_folder(lodging), "models.json"), known)

    def settle_in(self, lodging: Lodging) -> None:
        extensions, settings = self.registers(lodging)
        write_file(os.path.join(extensions, "own.ts"), "export default function () {}\n")
        write_file(settings, '{ "quietStartup" : true }')

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        return {
            "PI_CODING_AGENT_DIR": _folder(lodging),
            "PI_OFFLINE": "1",
            "PI_TELEMETRY": "0",
            "PI_SKIP_VERSION_CHECK": "1",
        }

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        folder = _folder(lodging)
        return (os.path.join(folder, "extensions"), os.path.join(folder, "settings.json"))

    def once(self, prompt: str) -> tuple[str, ...]:
        return ("-p", "--model", f"{_PROVIDER}/{_MODEL}", prompt)

    def resident(self) -> tuple[str, ...]:
        return ("--model", f"{_PROVIDER}/{_MODEL}")

    def shell(self, command: str) -> ToolUse:
        return ToolUse("bash", {"command": command})

    def read(self, path: str) -> ToolUse:
        return ToolUse("read", {"path": path})

    def write(self, path: str, content: str) -> ToolUse:
        return ToolUse("write", {"path": path, "content": content})

    def delegate(self, task: str) -> ToolUse:
        raise NotImplementedError(f"Pi has no sub-agents to give `{task}` to")


def _folder(lodging: Lodging) -> str:
    return os.path.join(lodging.home, ".pi", "agent")


DRIVER = PiProgram
