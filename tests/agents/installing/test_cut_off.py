"""An installation that is killed between any two of its steps: what is left can be mended."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.claude_code.settings import claude_settings
from automode.agents.installing.plan import Receipts, Scope
from automode.agents.installing.site import AgentProgram, Program, Site
from tests.agents.conftest import HTTP, Machine

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
ENDED = -signal.SIGKILL
MOST_STEPS = 200
SETTINGS = (
    b'{ "env": {"NO_PROXY": "a,127.0.0.1"},\n\n "hooks": {"Stop": [\n\n ]}, "model": "opus" }'
)
CHILD = """
import json, os, signal, sys

left, what, home, project, system, state, version = sys.argv[1:]
STEPS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir")
left = int(left)

def one_step(event, arguments):
    global left
    if event in STEPS:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

from dataclasses import replace
from automode.agents.installing.plan import Receipts, apply
from automode.agents.installing.site import AgentProgram, Program, Site
from tests.agents.conftest import Machine

found, receipts = AgentProgram("/srv/claude", (2, 1, 325)), Receipts.of(state)
program = replace(Program.here(state, state), version=version)
site = Site(home, {}, project, system)
machine = Machine("claude-code", site, program, receipts, found)
plan = machine.plan() if what == "install" else machine.plan_out()
sys.addaudithook(one_step)
apply(plan, receipts)
"""


def machine_in(folder: Path, before: bytes | None) -> Machine:
    home, project, state = (str(folder / name) for name in ("home", "project", "state"))
    site, program = Site(home, {}, project, str(folder / "etc")), Program.here(state, state)
    (folder / "home").mkdir(parents=True)
    if before is not None:
        (folder / "home" / ".claude").mkdir()
        Path(claude_settings(site, Scope.USER)).write_bytes(before)
    found = AgentProgram("/srv/claude", (2, 1, 325))
    return Machine("claude-code", site, program, Receipts.of(state), found)


def killed_before(step: int, what: str, machine: Machine) -> int:
    """Does it in a process that is killed before the given step; how that ended."""
    site, words = machine.site, [sys.executable, "-c", CHILD, str(step), what]
    folders = [site.home, site.project, site.system, machine.program.state]
    return subprocess.run(
        [*words, *folders, machine.program.version], check=False, cwd=ROOT
    ).returncode


def is_whole(machine: Machine) -> bool:
    """Installed, and nothing else lies there."""
    names = {".claude", ".claude/settings.json", ".claude/commands"}
    names |= {f".claude/commands/{name}.md" for name in ("automode", "auto-mode")}
    return machine.wrong(HTTP) == "" and set(machine.files()) == names


def killed_at_every_step(folder: Path, before: bytes | None, what: str) -> Iterator[Machine]:
    """Machines on which it was killed before the first step, the second one, and so on. What is
    installed there beforehand comes from another release."""
    for step in range(1, MOST_STEPS):
        machine = machine_in(folder / f"{what}-{step}", before)
        if what != "install":
            replace(machine, program=replace(machine.program, version="0.0.9")).install()
        status = killed_before(step, what.removeprefix("again-"), machine)
        if status == 0:
            assert step > 5
            return
        assert status == ENDED
        yield machine
    raise AssertionError("it never came to an end")


@pytest.mark.parametrize("before", [None, SETTINGS], ids=["no settings", "settings"])
@pytest.mark.parametrize("what", ["install", "again-install", "uninstall"])
def test_the_next_one_repairs_and_the_first_bytes_come_back(
    tmp_path: Path, before: bytes | None, what: str
) -> None:
    untouched = machine_in(tmp_path / "untouched", before).files()
    for machine in killed_at_every_step(tmp_path, before, what):
        settings = machine.files().get(".claude/settings.json")
        assert settings in (before, None) or isinstance(json.loads(settings or b""), dict)
        copy = shutil.copytree(machine.home.parent, tmp_path / "copy", dirs_exist_ok=True)

        machine.uninstall()

        assert_untouched(machine, untouched)
        shutil.rmtree(machine.home.parent)
        copy.rename(machine.home.parent)

        machine.install()

        assert is_whole(machine), machine.home
        machine.uninstall()
        assert_untouched(machine, untouched)


def assert_untouched(machine: Machine, untouched: dict[str, bytes | None]) -> None:
    assert machine.files() == untouched, machine.home
    receipts = [one for one in os.listdir(machine.receipts.folder) if one.endswith(".json")]
    assert receipts == []
