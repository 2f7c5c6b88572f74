"""Puts automode's extension into Pi and takes it out again."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from automode.agents.installing.installer import Installer, Launch, is_whole
from automode.agents.installing.own_files import (
    OwnFile,
    filled,
    plan_file,
    plan_no_file,
    registered_extension,
    template_of,
)
from automode.agents.installing.plan import CannotInstall, Plan, Receipts, Scope
from automode.agents.installing.site import AgentProgram, Http, Program, Registration, Site

HOST = "pi"
TEMPLATE = template_of(HOST)


def pi_extension(site: Site, scope: Scope) -> str:
    if scope is Scope.MANAGED:
        raise CannotInstall(
            "Pi has no place for settings of an administrator",
            "install it for each account: automode install pi --user",
        )
    user = scope is Scope.USER
    folder = site.folder("PI_CODING_AGENT_DIR", ".pi", "agent") if user else f"{site.project}/.pi"
    return os.path.join(folder, "extensions", "automode.ts")


@dataclass(frozen=True, slots=True)
class PiInstaller(Installer):
    template: str = TEMPLATE

    def plan_install(self, scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
        file = OwnFile(HOST, scope, pi_extension(site, scope))
        changes = plan_file(file, filled(self.template, program), program)
        return Plan(HOST, scope, changes, _notes(scope))

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        changes, notes = plan_no_file(OwnFile(HOST, scope, pi_extension(site, scope)), receipts)
        return Plan(HOST, scope, changes, notes)

    def registered(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        found = (
            registered_extension(HOST, scope, pi_extension(site, scope), program, _wanted)
            for scope in (Scope.USER, Scope.PROJECT)
        )
        return tuple(one for one in found if one is not None)

    def launch(
        self,
        arguments: Sequence[str],
        site: Site,
        program: Program,
        found: AgentProgram | None = None,
    ) -> Launch:
        """Pi's command line takes an extension."""
        self.refuse_disarmed(arguments, site)
        if any(is_whole(one) for one in self.registered(site, program)):
            return Launch(tuple(arguments))
        path = os.path.join(program.state, "install", "run", "automode.ts")
        return Launch(("-e", path, *arguments), (path, filled(self.template, program)))

    def hooks_folder(self, site: Site) -> str:
        return os.path.dirname(pi_extension(site, Scope.USER))


def _wanted(program: Program, _: object) -> bytes:
    return filled(TEMPLATE, program)


def _notes(scope: Scope) -> tuple[str, ...]:
    if scope is not Scope.PROJECT:
        return ()
    return (
        "Pi loads it only in a project that you trust; with `pi -p` also not without --approve",
        "the file names paths of this machine: keep it out of version control",
    )


INSTALLER = PiInstaller(HOST)
