"""Pi, started on the scripted model: offline, with a provider of its own that is the script."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from automode.testing.agents.agent import Lodging, Screen, plain_environment
from automode.testing.script import ToolUse

_PROVIDER, _MODEL = "scripted", "scripted-model"


@dataclass(frozen=True, slots=True)
class PiProgram:
    """`program` is the path of the real one, `node` the folder of the Node that it runs on; empty
    for whatever Node the caller's `PATH` has."""

    program: str
    node: str = ""

    @property
    def name(self) -> str:
        return "pi"

    @property
    def words(self) -> tuple[str, ...]:
        return (os.path.join(self.node, "node"), self.program) if self.node else (self.program,)

    def _folders(self) -> tuple[str, ...]:
        return (*((self.node,) if self.node else ()), os.path.dirname(self.program))

    @property
    def delegates(self) -> bool:
        return False

    @property
    def screen(self) -> Screen:
        return Screen(
            ready=(_MODEL,),
            asked=("Yes, once",),
            yes="\x1b[B\r",
            no="\r",
            leave="\x03\x03",
        )

    @property
    def tells_why_it_stopped(self) -> bool:
        return True

    @property
    def cannot(self) -> Mapping[str, str]:
        return {}

    @property
    def stops(self) -> bool:
        return True

    @property
    def switch(self) -> tuple[str, ...]:
        return ()

    @property
    def switched_off(self) -> str:
        return ""

    def prepare(self, lodging: Lodging) -> None:
        folder = _folder(lodging)
        os.makedirs(folder, exist_ok=True)
        provider = {
            "baseUrl": f"{lodging.model}/v1",
            "api": "openai-completions",
            "apiKey": "opens-nothing",
            "models": [{"id": _MODEL}],
        }
        with open(os.path.join(folder, "models.json"), "w", encoding="utf-8") as file:
            json.dump({"providers": {_PROVIDER: provider}}, file)

    def settle_in(self, lodging: Lodging) -> None:
        extensions, settings = self.registers(lodging)
        os.makedirs(extensions, exist_ok=True)
        with open(os.path.join(extensions, "own.ts"), "w", encoding="utf-8") as file:
            file.write("export default function () {}\n")
        with open(settings, "w", encoding="utf-8") as file:
            file.write('{ "quietStartup" : true }')

    def environment(self, lodging: Lodging) -> dict[str, str]:
        return {
            **plain_environment(lodging.home, first_on_path=self._folders()),
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
