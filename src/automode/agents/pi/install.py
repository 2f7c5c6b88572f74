"""Puts automode's extension into Pi and takes it out again."""

import os
from dataclasses import dataclass, replace

from automode.agents.installing.installer import InstallRequest, Launch, Start
from automode.agents.installing.own_files import OwnFilesInstaller, fill, template_of
from automode.agents.installing.plan import Plan, Scope, Transport
from automode.agents.installing.site import Program, Site

TEMPLATE = template_of("pi")


def pi_folder(site: Site) -> str:
    return site.folder("PI_CODING_AGENT_DIR", ".pi", "agent")


def pi_extension(site: Site, scope: Scope) -> str:
    folder = pi_folder(site) if scope is Scope.USER else f"{site.project}/.pi"
    return os.path.join(folder, "extensions", "automode.ts")


def loose_extension(program: Program) -> tuple[str, bytes]:
    """The extension outside of Pi's folders, for those who name it to Pi themselves: its path and
    what it holds."""
    path = os.path.join(program.state, "install", "run", "automode.ts")
    return path, fill(TEMPLATE, program)


def _contents(scope: Scope, site: Site, program: Program) -> dict[str, bytes]:
    return {pi_extension(site, scope): fill(TEMPLATE, program)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PiInstaller(OwnFilesInstaller):
    def install(self, order: InstallRequest) -> Plan:
        plan = OwnFilesInstaller.install(self, order)
        if order.scope is not Scope.PROJECT:
            return plan
        notes = (
            "Pi loads it only in a project that you trust; with `pi -p` also not without --approve",
            "the file names paths of this machine: keep it out of version control",
        )
        return replace(plan, notes=notes)

    def launch(self, start: Start) -> Launch:
        """Pi's command line takes an extension. A project's own is loaded only where it is
        trusted."""
        self.refuse_disarmed(start)
        own = self.look(Scope.USER, start.site, start.program, None)
        if own is not None and not own.wrong:
            return Launch(start.arguments)
        file = loose_extension(start.program)
        return Launch(("-e", file[0], *start.arguments), file)


INSTALLER = PiInstaller(
    agent="pi",
    scopes=(Scope.USER, Scope.PROJECT),
    contents=_contents,
    transport=Transport.EXTENSION,
)
