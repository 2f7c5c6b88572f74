"""What every installer does: plans in and out, finds itself again, starts the agent guarded."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from automode.agents.agent import Agent
from automode.agents.catalog import AGENTS
from automode.agents.installing.agent_programs import AgentProgram
from automode.agents.installing.claude_hooks import Http
from automode.agents.installing.found import Registration
from automode.agents.installing.launching import Launch, refuse, refuse_where_switched_off
from automode.agents.installing.plan import CannotInstall, Plan, Scope, Transport
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site


@dataclass(frozen=True, slots=True)
class Order:
    """What a person asked for. `http` says where hooks over HTTP find the daemon."""

    scope: Scope
    transport: Transport | None
    site: Site
    program: Program
    receipts: Receipts
    http: Callable[[], Http]


@dataclass(frozen=True, slots=True)
class Installer:
    """Of one agent, by its name. Whatever cannot be done raises CannotInstall."""

    agent: str

    @property
    def about(self) -> Agent:
        return AGENTS[self.agent]

    @property
    def title(self) -> str:
        return self.about.title

    def install(self, order: Order) -> Plan:
        if order.transport is not None:
            raise CannotInstall(f"there is no --transport for {self.agent}", "leave it out")
        return self.plan_install(order.scope, order.site, order.program, order.receipts)

    def plan_install(self, scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
        raise NotImplementedError

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        """Nothing to change: nothing of ours is there."""
        raise NotImplementedError

    def registered(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        """Every place, the person's own first. `http`: where the daemon listens, if that is known.
        A file that cannot be read is a place with something wrong: the agent may read it."""
        raise NotImplementedError

    def launch(
        self,
        arguments: Sequence[str],
        site: Site,
        program: Program,
        found: AgentProgram | None = None,
    ) -> Launch:
        """For an agent whose command line takes no hooks, and where nothing that a person may set
        outranks a project's settings: a project that switches hooks off is not entered."""
        self.refuse_disarmed(arguments, site)
        if not any(not one.wrong for one in self.registered(site, program)):
            raise CannotInstall(
                f"automode's hooks are missing or incomplete in {self.title},"
                " and its command line takes no hooks",
                f"run: automode install {self.agent}",
            )
        refuse_where_switched_off(self.agent, site)
        return Launch(tuple(arguments))

    def refuse_disarmed(self, arguments: Sequence[str], site: Site) -> None:
        """No words and no variables with which the agent would not ask automode."""
        runs = self.about.runs
        refuse(arguments, self.about.refused, runs)
        for name in self.about.disarming.silencing:
            if site.environment.get(name, "") not in ("", "0", "false"):
                raise CannotInstall(
                    f"{name} is set: {self.title} would run no {runs}", f"unset {name}"
                )

    def hooks_file(self, site: Site) -> str:
        """The file of the account in which others may have hooks too; empty where there is none."""
        return ""

    def hooks_folder(self, site: Site) -> str:
        """The folder of the account in which whatever lies answers too, where there is no file."""
        return ""

    def copy_trust(self, source: str, target: str) -> str:
        """Copies what makes the agent run our hooks, beside the hooks themselves, between two of
        its folders. Why there is nothing to copy, where there is not."""
        return ""


def installer_of(agent: str) -> Installer:
    """What the agent's own `install.INSTALLER` is."""
    folder = AGENTS[agent].folder
    found: object = import_module(f"automode.agents.{folder}.install").INSTALLER
    if not isinstance(found, Installer):
        raise TypeError(f"automode.agents.{folder}.install.INSTALLER is no Installer")
    return found
