"""Cline, started on the scripted model: no account, no network, no daemon of its own."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from automode.agents.scripted.driver import Driver, Lodging, Screen, write_file
from automode.agents.scripted.script import ToolUse

_PROVIDER, _MODEL = "openai-compatible", "scripted-model"
_ENDS = "measured on 3.0.65: the one way to stop a call, `cancel`, ends the whole run"
_ASKS = "measured on 3.0.65: no hook can have a person asked; what would be asked ends the run"
_CANNOT = {
    "deny-blocks": f"{_ENDS}; see halt-ends-run",
    "several-at-once": _ENDS,
    "ask-unattended": _ASKS,
    "ask-yes": _ASKS,
    "ask-no": _ASKS,
    "breaker-trips": _ENDS,
    "guidance": "measured on 3.0.65: what a hook adds when a task starts is dropped",
    "prompt-is-users": "measured on 3.0.65: no hook is given what a person typed",
    "child-gated": _ENDS,
    "cancelled-turn": "measured on 3.0.65: its terminal leaves a running server behind",
    "status-line": "Cline has no place for one; `automode status` tells",
}
_SOME_DAY = "2026-01-01T00:00:00.000Z"
_OWN_HOOK = "#!/bin/sh\nprintf '{}'\n"


@dataclass(frozen=True, slots=True)
class ClineProgram(Driver):
    name = "cline"
    account = ("CLINE_DIR", "", ".cline")
    own_files = ("hooks/PreToolUse.sh", "hooks/TaskStart.sh")
    on_node = False
    screen = Screen(ready=("What can I do for you?",))
    tells_why_it_stopped = False  # measured on 3.0.65: only that the run was aborted, and not why
    cannot = _CANNOT

    def prepare(self, lodging: Lodging) -> None:
        settings = {
            "provider": _PROVIDER,
            "apiKey": "opens-nothing",
            "model": _MODEL,
            "baseUrl": f"{lodging.model}/v1",
        }
        row = {"settings": settings, "updatedAt": _SOME_DAY, "tokenSource": "manual"}
        known = {
            "version": 1,
            "lastUsedProvider": _PROVIDER,
            "modes": {},
            "providers": {_PROVIDER: row},
        }
        path = os.path.join(_folder(lodging), "data", "settings", "providers.json")
        write_file(path, json.dumps(known))

    def settle_in(self, lodging: Lodging) -> None:
        (hooks,) = self.registers(lodging)
        path = os.path.join(hooks, "PostToolUse")
        write_file(path, _OWN_HOOK)
        os.chmod(path, 0o700)

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        return {
            "CLINE_DIR": _folder(lodging),
            "CLINE_SESSION_BACKEND_MODE": "local",
            "CLINE_TELEMETRY_DISABLED": "1",
            "DO_NOT_TRACK": "1",
        }

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        return (os.path.join(_folder(lodging), "hooks"),)

    def once(self, prompt: str) -> tuple[str, ...]:
        return ("-P", _PROVIDER, "-m", _MODEL, prompt)

    def resident(self) -> tuple[str, ...]:
        return ("-P", _PROVIDER, "-m", _MODEL, "-i")

    def shell(self, command: str) -> ToolUse:
        return ToolUse("run_commands", {"commands": [command]})

    def read(self, path: str) -> ToolUse:
        return ToolUse("read_files", {"files": [{"path": path}]})

    def write(self, path: str, content: str) -> ToolUse:
        return ToolUse("editor", {"path": path, "new_text": content})

    def delegate(self, task: str) -> ToolUse:
        return ToolUse("spawn_agent", {"systemPrompt": "you do one part", "task": task})


def _folder(lodging: Lodging) -> str:
    return os.path.join(lodging.home, ".cline")


DRIVER = ClineProgram
