"""Plans how automode's extension goes into Pi and out of it again."""

from automode.install.extension_file import filled, template_of
from automode.install.own_file import OwnFile, plan_file, plan_no_file
from automode.install.plan import Plan, Scope
from automode.install.receipts import Receipts
from automode.install.site import Program, Site

HOST = "pi"
TEMPLATE = template_of(HOST)


def extension(program: Program, template: str = TEMPLATE) -> bytes:
    return filled(template, program)


def plan_install(
    scope: Scope, site: Site, program: Program, receipts: Receipts, template: str = TEMPLATE
) -> Plan:
    """Raises CannotInstall."""
    file = OwnFile(HOST, scope, site.pi_extension(scope))
    changes = plan_file(file, extension(program, template), program)
    return Plan(HOST, scope, changes, _notes(scope))


def plan_uninstall(scope: Scope, site: Site, receipts: Receipts) -> Plan:
    """Nothing to change: nothing of ours is there. Raises CannotInstall."""
    changes, notes = plan_no_file(OwnFile(HOST, scope, site.pi_extension(scope)), receipts)
    return Plan(HOST, scope, changes, notes)


def _notes(scope: Scope) -> tuple[str, ...]:
    if scope is not Scope.PROJECT:
        return ()
    return (
        "Pi loads it only in a project that you trust; with `pi -p` also not without --approve",
        "the file names paths of this machine: keep it out of version control",
    )
