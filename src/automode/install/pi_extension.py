"""Plans how automode's extension goes into Pi and out of it again."""

import json
import os
import re
from collections.abc import Mapping

from automode.daemon.frames import settings_word
from automode.install.apply import present
from automode.install.plan import CannotInstall, Change, Plan, Receipt, Scope, Transport, digest
from automode.install.receipts import Receipts
from automode.install.site import Program, Site

HOST = "pi"
BLANK = "const INSTALLED = {/*automode:installed*/};"
TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pi", "automode.ts")
_FILLED = re.compile(rb"^const INSTALLED = (\{.*\});\r?$", re.MULTILINE)


def extension(program: Program, template: str = TEMPLATE) -> bytes:
    """The extension as it is installed: it knows where this automode and its folders are."""
    try:
        with open(template, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotInstall(
            f"`{template}` cannot be read: this automode is not whole", "install automode again"
        ) from error
    if text.count(BLANK) != 1:
        raise CannotInstall(
            f"`{template}` has no place for its paths: this automode is not whole",
            "install automode again",
        )
    return text.replace(BLANK, f"const INSTALLED = {json.dumps(paths(program))};").encode()


def paths(program: Program) -> dict[str, str]:
    return {
        "python": program.python,
        "client": program.client,
        "package": program.package,
        "state": program.state,
        "config": program.config,
        "version": program.version,
        "settings": settings_word(program.config),
    }


def paths_in(data: bytes) -> Mapping[str, object] | None:
    """What an installed extension says of itself; None: it is none of ours."""
    if BLANK.encode() in data:
        return {}
    found = _FILLED.search(data)
    try:
        known: object = json.loads(found[1]) if found else None
    except ValueError:
        return None
    return known if isinstance(known, dict) and "client" in known else None


def plan_install(
    scope: Scope, site: Site, program: Program, receipts: Receipts, template: str = TEMPLATE
) -> Plan:
    """Raises CannotInstall."""
    path, before = present(site.pi_extension(scope))
    _need_ours(path, before)
    notes = _notes(scope)
    after = extension(program, template)
    if after == before:
        return Plan(HOST, scope, (), notes)
    receipt = Receipt(
        HOST,
        scope,
        path,
        program.version,
        Transport.EXTENSION,
        without=None,
        written=digest(after),
        named=site.pi_extension(scope),
        replaced=digest(before),
    )
    return Plan(HOST, scope, (Change(path, before, after, receipt),), notes)


def plan_uninstall(scope: Scope, site: Site, receipts: Receipts) -> Plan:
    """Nothing to change: nothing of ours is there. Raises CannotInstall."""
    path, before = present(site.pi_extension(scope))
    receipt = receipts.find(HOST, path)
    if before is None:
        # An installation that was cut off leaves a receipt, and may leave folders.
        return Plan(HOST, scope, () if receipt is None else (Change(path, None, None),))
    _need_ours(path, before)
    changed = receipt is not None and not receipt.knows(before)
    notes = ("it was changed by hand; the state folder keeps a copy",) if changed else ()
    return Plan(HOST, scope, (Change(path, before, None),), notes)


def _need_ours(path: str, data: bytes | None) -> None:
    if data is not None and paths_in(data) is None:
        raise CannotInstall(
            f"`{path}` was left alone: automode did not write it", "move it away, then try again"
        )


def _notes(scope: Scope) -> tuple[str, ...]:
    if scope is not Scope.PROJECT:
        return ()
    return (
        "Pi loads it only in a project that you trust; with `pi -p` also not without --approve",
        "the file names paths of this machine: keep it out of version control",
    )
