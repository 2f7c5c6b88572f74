"""A home, a project and a state folder on disk, and an automode to be installed there."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from automode.agents.installing.installer import Installer, Launch, Order, installer_of
from automode.agents.installing.plan import Plan, Receipts, Scope, apply
from automode.agents.installing.site import Http, Program, Registration, Site
from tests.agents.codex.codex_program import codex_in


@pytest.fixture
def site(tmp_path: Path) -> Site:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir(mode=0o700)
    (project / ".git").mkdir(parents=True)
    return Site(str(home), {}, str(project), str(tmp_path / "etc"))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Its interpreter and its client are there."""
    return Program.here(str(tmp_path / "state"), str(tmp_path / "config"))


@pytest.fixture
def receipts(tmp_path: Path) -> Receipts:
    return Receipts.of(str(tmp_path / "state"))


@dataclass(frozen=True, slots=True)
class Machine:
    """One agent on such a machine. Codex is on its PATH, because only Codex says how its hooks are
    trusted; Claude Code is not, so its hooks are commands."""

    agent: str
    site: Site
    program: Program
    receipts: Receipts

    @property
    def installer(self) -> Installer:
        return installer_of(self.agent)

    @property
    def home(self) -> Path:
        return Path(self.site.home)

    def plan(self, scope: Scope = Scope.USER) -> Plan:
        order = Order(
            scope, None, self.site, self.program, self.receipts, lambda: Http(4711, "ab12")
        )
        return self.installer.install(order)

    def install(self) -> Plan:
        plan = self.plan()
        apply(plan, self.receipts)
        return plan

    def uninstall(self, receipts: Receipts | None = None) -> None:
        known = receipts or self.receipts
        apply(self.installer.plan_uninstall(Scope.USER, self.site, known), known)

    def registered(self) -> tuple[Registration, ...]:
        return self.installer.registered(self.site, self.program)

    def launch(self, *words: str) -> Launch:
        return self.installer.launch(words, self.site, self.program)

    def files(self) -> dict[str, bytes | None]:
        """Everything in the home, folders as well."""
        found = {str(path.relative_to(self.home)): path for path in self.home.rglob("*")}
        return {name: one.read_bytes() if one.is_file() else None for name, one in found.items()}


@pytest.fixture
def machine(
    site: Site,
    program: Program,
    receipts: Receipts,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Machine:
    """`replace(machine, agent=…)` for the agent that a test is about."""
    monkeypatch.chdir(site.project)
    here = replace(site, environment=codex_in(tmp_path / "bin"))
    return Machine("", here, program, receipts)
