"""Plans how automode's extension goes into Pi and out of it again."""

import os
from collections.abc import Sequence

from automode.agents.installing.apply import present
from automode.agents.installing.extension_file import filled, paths_in, template_of
from automode.agents.installing.found import Registration, misled_extension
from automode.agents.installing.launching import Launch, is_whole, refuse
from automode.agents.installing.own_file import OwnFile, plan_file, plan_no_file
from automode.agents.installing.plan import CannotInstall, Plan, Scope, Transport
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site

HOST = "pi"
TEMPLATE = template_of(HOST)
PI_WITHOUT_EXTENSIONS = ("--no-extensions", "-ne")
PI_ALONE = ("-p", "--print", "--mode", "--export", "--list-models")


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


def in_pi(site: Site, program: Program) -> tuple[Registration, ...]:
    found = (_in_pi(scope, site, program) for scope in (Scope.USER, Scope.PROJECT))
    return tuple(one for one in found if one is not None)


def _in_pi(scope: Scope, site: Site, program: Program) -> Registration | None:
    path = site.pi_extension(scope)
    try:
        _, data = present(path)
    except CannotInstall as error:
        return Registration(HOST, scope, path, wrong=(str(error),))
    known = None if data is None else paths_in(data)
    if data is None or known is None:
        return None
    version = known.get("version")
    return Registration(
        HOST,
        scope,
        path,
        version if isinstance(version, str) else "",
        Transport.EXTENSION,
        tuple(misled_extension(data, known, program, extension(program))),
    )


def pi_launch(
    arguments: Sequence[str],
    site: Site,
    program: Program,
    template: str = TEMPLATE,
) -> Launch:
    """Raises CannotInstall."""
    refuse(arguments, PI_WITHOUT_EXTENSIONS, "extensions")
    if any(is_whole(one) for one in in_pi(site, program)):
        return Launch(tuple(arguments))
    path = os.path.join(program.state, "install", "run", "automode.ts")
    return Launch(("-e", path, *arguments), (path, extension(program, template)))
