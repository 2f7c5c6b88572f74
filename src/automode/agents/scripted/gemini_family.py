"""Gemini CLI and Qwen Code, which was made of it: what the two have in common when started."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from automode.agents.scripted.driver import Driver, Lodging, write_file
from automode.agents.scripted.script import ToolUse

_OWN_HOOK = {"matcher": "read_.*", "hooks": [{"type": "command", "command": "true"}]}
QUIET: Mapping[str, object] = {
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "ui": {"hideTips": True, "hideBanner": True},
}
"""In the settings of both."""


@dataclass(frozen=True, slots=True)
class GeminiRelative(Driver):
    """A project's settings lie below it as the user's own do below the home folder."""

    settings: ClassVar[Mapping[str, object]]
    before_a_call: ClassVar[str]  # the event whose hooks are asked about a call
    alone: ClassVar[tuple[str, ...]]  # words with which it asks nothing

    def prepare(self, lodging: Lodging) -> None:
        (path,) = self.registers(lodging)
        write_file(path, json.dumps(self.settings))

    def settle_in(self, lodging: Lodging) -> None:
        """With a comment, which it reads over."""
        (path,) = self.registers(lodging)
        own = json.dumps({**self.settings, "hooks": {self.before_a_call: [_OWN_HOOK]}}, indent=3)
        write_file(path, own.replace("{", "{ // mine", 1))

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        return (os.path.join(lodging.home, *self.switch),)

    def once(self, prompt: str) -> tuple[str, ...]:
        return (*self.alone, "-p", prompt)

    def resident(self) -> tuple[str, ...]:
        return self.alone

    def read(self, path: str) -> ToolUse:
        return ToolUse("read_file", {"file_path": path})

    def write(self, path: str, content: str) -> ToolUse:
        return ToolUse("write_file", {"file_path": path, "content": content})
