"""An installation that is killed between any two of its steps: what is left can be mended."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from automode.agents.claude_code.install import INSTALLER, plan_install
from automode.agents.claude_code.settings import Wish, claude_settings
from automode.agents.installing.plan import Receipts, Scope, apply
from automode.agents.installing.site import AgentProgram, Http, Program, Site

pytestmark = pytest.mark.slow

HTTP = Http(4711, "ab12")
WISH = Wish(Scope.USER, found=AgentProgram("/srv/claude", (2, 1, 325)))
ENDED = -signal.SIGKILL
MOST_STEPS = 200
SETTINGS = b'{ "env": {"NO_PROXY": "a"},\n\n "hooks": {"Stop": [\n\n ]}, "model": "opus" }'
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
from automode.agents.installing.site import AgentProgram
from automode.agents.installing.plan import apply
from automode.agents.claude_code.install import INSTALLER, plan_install
from automode.agents.installing.hooks import Http
from automode.agents.claude_code.settings import Wish
from automode.agents.installing.plan import Scope
from automode.agents.installing.plan import Receipts
from automode.agents.installing.site import Program, Site

site, receipts = Site(home, {}, project, system), Receipts.of(state)
program = replace(Program.here(state, state), version=version)
if what == "install":
    wish = Wish(Scope.USER, found=AgentProgram("/srv/claude", (2, 1, 325)))
    plan = plan_install(wish, site, program, Http(4711, "ab12"), receipts)
else:
    plan = INSTALLER.plan_uninstall(Scope.USER, site, receipts)
sys.addaudithook(one_step)
apply(plan, receipts)
"""


@dataclass(frozen=True, slots=True)
class Machine:
    folder: Path
    before: bytes | None

    @property
    def site(self) -> Site:
        home, project = str(self.folder / "home"), str(self.folder / "project")
        return Site(home, {}, project, str(self.folder / "etc"))

    @property
    def program(self) -> Program:
        state = str(self.folder / "state")
        return Program.here(state, state)

    @property
    def receipts(self) -> Receipts:
        return Receipts.of(self.program.state)

    def prepared(self) -> "Machine":
        (self.folder / "home").mkdir(parents=True)
        if self.before is not None:
            (self.folder / "home" / ".claude").mkdir()
            Path(claude_settings(self.site, Scope.USER)).write_bytes(self.before)
        return self

    def killed(self, step: int, what: str, version: str) -> int:
        """Does it in a process that is killed before the given step; how that ended."""
        site, words = self.site, [sys.executable, "-c", CHILD, str(step), what]
        folders = [site.home, site.project, site.system, self.program.state]
        return subprocess.run([*words, *folders, version], check=False).returncode

    def install(self, version: str | None = None) -> None:
        program = replace(self.program, version=version or self.program.version)
        apply(plan_install(WISH, self.site, program, HTTP, self.receipts), self.receipts)

    def uninstall(self) -> None:
        apply(INSTALLER.plan_uninstall(Scope.USER, self.site, self.receipts), self.receipts)

    def files(self) -> dict[str, bytes | None]:
        """Everything in the home, folders as well."""
        home = self.folder / "home"
        found = {str(path.relative_to(home)): path for path in home.rglob("*")}
        return {name: path.read_bytes() if path.is_file() else None for name, path in found.items()}

    def whole(self) -> bool:
        """Installed, and nothing else lies there."""
        names = {".claude", ".claude/settings.json", ".claude/commands"}
        names |= {f".claude/commands/{name}.md" for name in ("automode", "auto-mode")}
        (found,) = INSTALLER.registered(self.site, self.program, HTTP)
        return found.wrong == () and set(self.files()) == names


def killed_at_every_step(folder: Path, before: bytes | None, what: str) -> Iterator[Machine]:
    """Machines on which it was killed before the first step, the second one, and so on. What is
    installed there beforehand comes from another release."""
    for step in range(1, MOST_STEPS):
        machine = Machine(folder / f"{what}-{step}", before).prepared()
        if what != "install":
            machine.install("0.0.9")
        status = machine.killed(step, what.removeprefix("again-"), machine.program.version)
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
    untouched = Machine(tmp_path / "untouched", before).prepared().files()
    for machine in killed_at_every_step(tmp_path, before, what):
        settings = machine.files().get(".claude/settings.json")
        assert settings in (before, None) or isinstance(json.loads(settings or b""), dict)
        copy = shutil.copytree(machine.folder, tmp_path / "copy", dirs_exist_ok=True)

        machine.uninstall()

        assert_untouched(machine, untouched)
        shutil.rmtree(machine.folder)
        copy.rename(machine.folder)

        machine.install()

        assert machine.whole(), machine.folder
        machine.uninstall()
        assert_untouched(machine, untouched)


def assert_untouched(machine: Machine, untouched: dict[str, bytes | None]) -> None:
    assert machine.files() == untouched, machine.folder
    receipts = [one for one in os.listdir(machine.receipts.folder) if one.endswith(".json")]
    assert receipts == []
