"""Qwen Code, started on the scripted model: no account, no network, no questions at the start."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from automode.testing.agents.agent import Lodging, Screen, node_words, plain_environment
from automode.testing.script import ToolUse

_MODEL = "scripted-model"
_ALONE = ("--auth-type", "openai", "--approval-mode", "yolo")
_SETTINGS = {
    "$version": 4,
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    "ui": {"hideTips": True, "hideBanner": True},
}
_OWN_HOOK = {"matcher": "read_.*", "hooks": [{"type": "command", "command": "true"}]}


@dataclass(frozen=True, slots=True)
class QwenCodeProgram:
    """`program` is the path of the real one, `node` the folder of the Node that it runs on; empty
    for whatever Node the caller's `PATH` has. It asks its user nothing by itself, so that whatever
    automode does not stop runs: only then does a scenario show anything."""

    program: str
    node: str = ""

    @property
    def name(self) -> str:
        return "qwen-code"

    @property
    def words(self) -> tuple[str, ...]:
        return node_words(self.program, self.node)

    @property
    def delegates(self) -> bool:
        return True

    @property
    def screen(self) -> Screen:
        return Screen(
            ready=("Type your message",),
            asked=("Do you want to proceed?",),
            yes="\r",
            no="\x1b",
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
        return (".qwen", "settings.json")

    @property
    def switched_off(self) -> str:
        return '{"disableAllHooks": true}'

    def prepare(self, lodging: Lodging) -> None:
        self._write_settings(lodging, json.dumps(_SETTINGS))

    def settle_in(self, lodging: Lodging) -> None:
        """With a comment, which it reads over."""
        own = json.dumps({**_SETTINGS, "hooks": {"PreToolUse": [_OWN_HOOK]}}, indent=3)
        self._write_settings(lodging, own.replace("{", "{ // mine", 1))

    def environment(self, lodging: Lodging) -> dict[str, str]:
        folders = (*((self.node,) if self.node else ()), os.path.dirname(self.program))
        return {
            **plain_environment(lodging.home, first_on_path=folders),
            "OPENAI_API_KEY": "opens-nothing",
            "OPENAI_BASE_URL": f"{lodging.model}/v1",
            "OPENAI_MODEL": _MODEL,
            "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
        }

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        return (os.path.join(lodging.home, ".qwen", "settings.json"),)

    def once(self, prompt: str) -> tuple[str, ...]:
        return (*_ALONE, "-p", prompt)

    def resident(self) -> tuple[str, ...]:
        return _ALONE

    def shell(self, command: str) -> ToolUse:
        return ToolUse("run_shell_command", {"command": command, "is_background": False})

    def read(self, path: str) -> ToolUse:
        return ToolUse("read_file", {"file_path": path})

    def write(self, path: str, content: str) -> ToolUse:
        return ToolUse("write_file", {"file_path": path, "content": content})

    def delegate(self, task: str) -> ToolUse:
        given = {"description": "a part", "prompt": task, "subagent_type": "general-purpose"}
        return ToolUse("agent", given)

    def _write_settings(self, lodging: Lodging, text: str) -> None:
        (path,) = self.registers(lodging)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
