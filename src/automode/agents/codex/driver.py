"""Codex CLI, started on the scripted model: a provider of its own, no account, no questions."""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from automode.agents.scripted.driver import Driver, Lodging, Screen, write_file
from automode.agents.scripted.script import ToolUse

_OURS = "/automode/hook/client.py"
_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_PROVIDER, _MODEL = "scripted", "scripted-model"
_CONFIG = """\
model = "{model}"
model_provider = "{provider}"
check_for_update_on_startup = false

[model_providers.{provider}]
name = "{provider}"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects."{project}"]
trust_level = "trusted"
"""
_OWN_HOOKS = """{
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}
}"""
_NO_DIALOG = "Codex cannot be told to ask: what it does not know lets the call run (0.166.0)"
_CANNOT = {
    "ask-yes": _NO_DIALOG,
    "ask-no": _NO_DIALOG,
    "status-line": "Codex shows no text of others in its terminal's last line (0.166.0)",
}
# Else its own sandbox would stop calls before anybody sees what automode does.
_UNCHECKED = "--dangerously-bypass-approvals-and-sandbox"


@dataclass(frozen=True, slots=True)
class CodexProgram(Driver):
    name = "codex"
    account = ("CODEX_HOME", "", ".codex")
    screen = Screen(ready=(_MODEL,), asked=("Would you like to run",), yes="y")
    tells_why_it_stopped = False
    cannot = _CANNOT
    stops = False
    switch = (".codex", "config.toml")
    switched_off = "[features]\nhooks = false\n"

    def prepare(self, lodging: Lodging) -> None:
        settings = _CONFIG.format(
            model=_MODEL, provider=_PROVIDER, address=lodging.model, project=lodging.project
        )
        write_file(self.registers(lodging)[1], settings)

    def settle_in(self, lodging: Lodging) -> None:
        write_file(self.registers(lodging)[0], _OWN_HOOKS)

    def variables(self, lodging: Lodging) -> Mapping[str, str]:
        return {"CODEX_HOME": _folder(lodging), "SCRIPTED_KEY": "opens-nothing"}

    def registers(self, lodging: Lodging) -> tuple[str, ...]:
        folder = _folder(lodging)
        return (os.path.join(folder, "hooks.json"), os.path.join(folder, "config.toml"))

    def copy_more(self, source: str, target: str) -> str:
        return copied_trust(source, target)

    def once(self, prompt: str) -> tuple[str, ...]:
        return ("exec", "--skip-git-repo-check", _UNCHECKED, prompt)

    def resident(self) -> tuple[str, ...]:
        # Else a server of its own outlives the terminal.
        return (_UNCHECKED, "--disable", "daemon_auto_start")

    def shell(self, command: str) -> ToolUse:
        return ToolUse("exec_command", {"cmd": command})

    def read(self, path: str) -> ToolUse:
        return self.shell(f"cat {path}")

    def write(self, path: str, content: str) -> ToolUse:
        """Codex takes such a command for its own tool: no program of this name is started."""
        lines = "".join(f"+{line}\n" for line in content.splitlines())
        patch = f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch"
        return self.shell(f"apply_patch <<'EOF'\n{patch}\nEOF")

    def delegate(self, task: str) -> ToolUse:
        return ToolUse("spawn_agent", {"message": task, "agent_type": "worker"})


def _folder(lodging: Lodging) -> str:
    return os.path.join(lodging.home, ".codex")


def copied_trust(source: str, target: str) -> str:
    """Copies what Codex knows of automode's hooks between two folders of Codex's: it runs no other
    hooks. Trust is a hash of the hook under a key that names its file and its place there. The hash
    stays the same, so a wrong one is wrong in the copy, too. Why there is nothing to copy, where
    there is not."""
    try:
        with open(os.path.join(source, "config.toml"), "rb") as file:
            states = _states(tomllib.load(file))
        with open(os.path.join(source, "hooks.json"), "rb") as file:
            hooks: object = json.load(file)
    except (OSError, ValueError) as error:
        return f"nobody can say which hooks Codex trusts: {error}"
    tables = []
    for event, place in _places(hooks):
        for folder in (source, os.path.realpath(source)):
            found = states.get(f"{folder}/hooks.json:{event}:{place}")
            if found is not None:
                key = json.dumps(f"{target}/hooks.json:{event}:0:0", ensure_ascii=False)
                tables.append(f"[hooks.state.{key}]\ntrusted_hash = {json.dumps(found)}\n")
                break
    if not tables:
        return "Codex trusts no hook of automode's"
    with open(os.path.join(target, "config.toml"), "a", encoding="utf-8") as file:
        file.write("\n" + "".join(tables))
    return ""


def _states(config: object) -> dict[str, str]:
    match config:
        case {"hooks": {"state": {**states}}}:
            return {
                str(key): str(state["trusted_hash"])
                for key, state in states.items()
                if isinstance(state, dict) and "trusted_hash" in state
            }
        case _:
            return {}


def _places(hooks: object) -> Iterator[tuple[str, str]]:
    match hooks:
        case {"hooks": {**events}}:
            for event, groups in events.items():
                for number, group in enumerate(groups if isinstance(groups, list) else ()):
                    if _OURS in json.dumps(group):
                        yield _WORD.sub("_", str(event)).lower(), f"{number}:0"
        case _:
            return


DRIVER = CodexProgram
