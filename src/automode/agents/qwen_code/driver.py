"""Qwen Code, started on the scripted model: no account, no network, no questions at the start."""

from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.scripted.driver import Lodging, Screen
from automode.agents.scripted.gemini_family import QUIET, GeminiRelative
from automode.agents.scripted.script import ToolUse

_MODEL = "scripted-model"
_SETTINGS = {
    "$version": 4,
    "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
    "general": {"enableAutoUpdate": False},
    "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    **QUIET,
}


@dataclass(frozen=True, slots=True)
class QwenCodeProgram(GeminiRelative):
    name = "qwen-code"
    account = ("QWEN_HOME", "", ".qwen")
    screen = Screen(ready=("Type your message",), asked=("Do you want to proceed?",))
    switch = (".qwen", "settings.json")
    switched_off = '{"disableAllHooks": true}'
    settings = _SETTINGS
    before_a_call = "PreToolUse"
    alone = ("--auth-type", "openai", "--approval-mode", "yolo")

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        return {
            "OPENAI_API_KEY": "opens-nothing",
            "OPENAI_BASE_URL": f"{lodging.model}/v1",
            "OPENAI_MODEL": _MODEL,
            "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
        }

    def shell(self, command: str) -> ToolUse:
        return ToolUse("run_shell_command", {"command": command, "is_background": False})

    def delegate(self, task: str) -> ToolUse:
        given = {"description": "a part", "prompt": task, "subagent_type": "general-purpose"}
        return ToolUse("agent", given)


DRIVER = QwenCodeProgram
