"""Hooks in files of their own close and go away; the state folders that files name are found."""

import json
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.catalog import ADAPTERS
from automode.agents.cline.install import MOMENTS, script
from automode.agents.installing.own_files import OwnFilesInstaller, folders_named_in
from automode.agents.installing.plan import CannotInstall, Change, Plan, Scope
from automode.agents.installing.site import Program
from tests.agents.conftest import Machine
from tests.rows import each_row, rows

PATHS = ["/srv/state", "/srv/my state", "/srv/zustände", "/srv/a\\b"]


def plan(*before: bytes | None) -> Plan:
    changes = tuple(Change(f"/f{at}", data, b"") for at, data in enumerate(before))
    return Plan("claude-code", Scope.USER, changes)


@pytest.mark.parametrize("path", PATHS)
def test_the_folder_of_a_command_is_found(path: str) -> None:
    words = ["/usr/bin/python3", "client.py", "--state", path, "--config", "/c", "plain"]
    line = f"{shlex.join(words)} || exit 2"
    settings = json.dumps({"hooks": [{"command": line}, {"command": line}]}).encode()
    known = {"client": "client.py", "state": path}
    extension = f"const INSTALLED = {json.dumps(known)};\n".encode()

    for data in (settings, extension):
        assert [one.path for one in folders_named_in(plan(data, None))] == [path]


@pytest.mark.parametrize("data", [b"", b"{}", b"--state", b"--state ~/x", b"\xff\xfe --state"])
def test_where_none_is_named_none_is_found(data: bytes) -> None:
    assert folders_named_in(plan(data)) == ()


BOTH = pytest.mark.parametrize("agent", ["copilot-cli", "cline"])


def contents(machine: Machine) -> dict[Path, bytes]:
    assert isinstance(machine.installer, OwnFilesInstaller)
    found = machine.installer.contents(Scope.USER, machine.site, machine.program)
    return {Path(path): data for path, data in found.items()}


def test_copilot_is_not_started_where_the_project_switches_hooks_off(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing outranks the project there, so a person would work without a gate."""
    own = replace(machine, agent="copilot-cli")
    own.install()
    settings = tmp_path / "cloned" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"disableAllHooks": true}')
    monkeypatch.chdir(tmp_path / "cloned")

    with pytest.raises(CannotInstall, match="switched off here"):
        own.launch()


@BOTH
def test_one_that_was_changed_or_leads_elsewhere_is_found(agent: str, machine: Machine) -> None:
    own = replace(machine, agent=agent)
    own.install()
    path, whole = next((path, data.decode()) for path, data in contents(own).items())

    path.write_text(whole.replace("timeoutSec", "timeout").replace("case", "# case"))
    changed = own.wrong()
    path.write_text(whole.replace(own.program.state, "/elsewhere"))

    assert "may not close" in changed
    assert "another state folder" in own.wrong()


def test_copilot_closes_by_two_hooks(machine: Machine) -> None:
    ((path, text),) = contents(replace(machine, agent="copilot-cli")).items()
    listed = json.loads(text)["hooks"]

    assert path == machine.home / ".copilot/hooks/automode.json"
    for event in ("preToolUse", "permissionRequest"):
        (handler,) = listed[event]
        assert " || exit 2 # automode" in handler["bash"]
        assert handler["timeoutSec"] * 1000 > ADAPTERS["copilot-cli"].abilities.deadline_ms


BROKEN = {
    "no interpreter": ("python", "/nonexistent/python"),
    "an interpreter that prints nothing": ("python", "/bin/true"),
    "an interpreter that fails": ("python", "/bin/false"),
    "no client": ("package", "/nonexistent"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_clines_script_says_no_where_the_hook_says_nothing(
    name: str, program: Program, tmp_path: Path
) -> None:
    what, path = BROKEN[name]
    if what == "package":
        broken = replace(program, package=path)
    else:
        broken = replace(program, hook_python=path)
    file = tmp_path / "PreToolUse.sh"
    file.write_bytes(script(broken, MOMENTS["PreToolUse"]))

    said = subprocess.run(
        ("/bin/sh", str(file)), input="{}", capture_output=True, text=True, check=False
    )

    assert json.loads(said.stdout)["cancel"] is True


@each_row("printed, status, read", rows("agents", "cline-answers"))
def test_clines_script_hands_on_only_a_whole_answer(
    printed: str, status: int, read: str, program: Program, tmp_path: Path
) -> None:
    (tmp_path / "answer").write_text(printed)
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\ncat '{tmp_path}/answer'\nexit {status}\n")
    python.chmod(0o700)
    file = tmp_path / "PreToolUse.sh"
    file.write_bytes(script(replace(program, hook_python=str(python)), MOMENTS["PreToolUse"]))

    said = subprocess.run(
        ("/bin/sh", str(file)), input="{}", capture_output=True, text=True, check=False
    )

    assert said.returncode == 0
    if read:
        assert said.stdout == f"{read}\n"
    else:
        assert "its hook gave no answer" in json.loads(said.stdout)["errorMessage"]


def test_clines_scripts_can_be_run_by_their_owner_alone(machine: Machine) -> None:
    own = replace(machine, agent="cline")
    own.install()

    assert {path.stat().st_mode & 0o777 for path in contents(own)} == {0o700}
