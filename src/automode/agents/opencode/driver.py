"""OpenCode, started on the scripted model: no account, no network, no packages fetched."""

import json
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.scripted.driver import Driver, Lodging, Screen, write_file
from automode.agents.scripted.script import ToolUse

PACKAGE = "opencode-{}-{}".format(
    "darwin" if sys.platform == "darwin" else "linux",
    "arm64" if platform.machine() in ("arm64", "aarch64") else "x64",
)
"""The program itself: the package that people install only links to it."""
_PROVIDER, _MODEL = "scripted", "scripted-model"
_QUIET = tuple(
    f"OPENCODE_DISABLE_{what}"
    for what in ("AUTOUPDATE", "MODELS_FETCH", "DEFAULT_PLUGINS", "LSP_DOWNLOAD")
)
# What OpenCode would fetch for plugins stands there already, as far as it looks.
_FETCHED = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}


@dataclass(frozen=True, slots=True)
class OpenCodeProgram(Driver):
    name = "opencode"
    account = ("XDG_CONFIG_HOME", "opencode", ".config/opencode")
    own_files = ("plugins/automode.ts",)
    pinned = f"opencode/node_modules/{PACKAGE}/bin/opencode"
    on_node = False
    screen = Screen(ready=("Ask anything",), asked=("Yes, once",), yes="\x1b[B\r", no="\r")

    def prepare(self, lodging: Lodging) -> None:
        folder = _folder(lodging)
        os.makedirs(os.path.join(folder, "node_modules"), exist_ok=True)
        write_file(os.path.join(folder, "package-lock.json"), json.dumps(_FETCHED))
        write_file(os.path.join(folder, "opencode.json"), json.dumps(_settings(lodging)))

    def settle_in(self, lodging: Lodging) -> None:
        """With a comment, a plugin and a rule of the user's own."""
        folder = _folder(lodging)
        own = json.dumps({**_settings(lodging), "permission": {"webfetch": "deny"}}, indent=3)
        write_file(os.path.join(folder, "opencode.json"), own.replace("{", "{ // mine", 1))
        write_file(os.path.join(folder, "tui.json"), '{ "mouse" : false }')
        plugin = "export const Own = async () => ({})\n"
        write_file(os.path.join(folder, "plugins", "own.ts"), plugin)

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        return dict.fromkeys(_QUIET, "1")

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        names = ("plugins", "automode", "opencode.json", "tui.json")
        return tuple(os.path.join(_folder(lodging), name) for name in names)

    def once(self, prompt: str) -> tuple[str, ...]:
        """Word by word: it puts what comes in one piece in quotes."""
        return ("run", *prompt.split())

    def resident(self) -> tuple[str, ...]:
        return ()

    def shell(self, command: str) -> ToolUse:
        return ToolUse("bash", {"command": command, "description": "a step of the scenario"})

    def read(self, path: str) -> ToolUse:
        return ToolUse("read", {"filePath": path})

    def write(self, path: str, content: str) -> ToolUse:
        return ToolUse("write", {"filePath": path, "content": content})

    def delegate(self, task: str) -> ToolUse:
        given = {"description": "a part", "prompt": task, "subagent_type": "general"}
        return ToolUse("task", given)


def _settings(lodging: Lodging) -> dict[str, object]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": _PROVIDER,
        "options": {"baseURL": f"{lodging.model}/v1", "apiKey": "opens-nothing"},
        "models": {_MODEL: {"name": _MODEL, "tool_call": True}},
    }
    named = f"{_PROVIDER}/{_MODEL}"
    return {
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": False,
        "share": "disabled",
        "model": named,
        "small_model": named,
        "provider": {_PROVIDER: provider},
    }


def _folder(lodging: Lodging) -> str:
    return os.path.join(lodging.home, ".config", "opencode")


DRIVER = OpenCodeProgram
