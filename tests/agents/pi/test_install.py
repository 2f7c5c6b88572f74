"""Pi's extension goes where Pi looks for it, knows its paths, and goes away again."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.installing.own_files import BLANK, filled, paths, paths_in
from automode.agents.installing.plan import CannotInstall, Plan, Receipts, Scope, apply
from automode.agents.installing.site import Program, Site
from automode.agents.pi.install import INSTALLER, TEMPLATE, pi_extension


def done(plan: Plan, receipts: Receipts) -> Plan:
    apply(plan, receipts)
    return plan


def test_the_extension_that_is_shipped_has_one_place_for_its_paths(program: Program) -> None:
    text = filled(TEMPLATE, program).decode()

    assert Path(TEMPLATE).read_text().count(BLANK) == 1
    assert f"const INSTALLED = {json.dumps(paths(program))};" in text
    assert BLANK not in text


def test_it_knows_absolute_paths_alone(program: Program) -> None:
    known = paths(program)
    places = [known[name] for name in ("python", "client", "package", "state", "config")]

    assert all(map(os.path.isabs, places))
    assert os.path.exists(known["client"])


def test_one_that_was_changed_by_hand_is_repaired_and_kept(
    site: Site, program: Program, receipts: Receipts
) -> None:
    done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)
    file = Path(pi_extension(site, Scope.USER))
    file.write_bytes(file.read_bytes() + b"// mine\n")

    done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)

    kept = [path.read_bytes() for path in Path(receipts.folder).iterdir()]
    assert file.read_bytes() == filled(TEMPLATE, program)
    assert filled(TEMPLATE, program) + b"// mine\n" in kept


def test_the_way_out_says_when_somebody_changed_it(
    site: Site, program: Program, receipts: Receipts
) -> None:
    done(INSTALLER.plan_install(Scope.USER, site, program, receipts), receipts)
    file = Path(pi_extension(site, Scope.USER))
    file.write_bytes(file.read_bytes() + b"// mine\n")

    plan = done(INSTALLER.plan_uninstall(Scope.USER, site, receipts), receipts)

    assert "changed by hand" in plan.notes[0]
    assert not file.exists()


@pytest.mark.parametrize("theirs", [b"", b"export default () => {}\n", b"const INSTALLED = {};\n"])
def test_an_extension_of_somebody_else_is_left_alone(
    site: Site, program: Program, receipts: Receipts, theirs: bytes
) -> None:
    file = Path(pi_extension(site, Scope.USER))
    file.parent.mkdir(parents=True)
    file.write_bytes(theirs)

    with pytest.raises(CannotInstall, match="did not write it"):
        INSTALLER.plan_install(Scope.USER, site, program, receipts)
    with pytest.raises(CannotInstall, match="did not write it"):
        INSTALLER.plan_uninstall(Scope.USER, site, receipts)

    assert file.read_bytes() == theirs


def test_in_a_project_it_says_when_pi_loads_it(
    site: Site, program: Program, receipts: Receipts
) -> None:
    plan = INSTALLER.plan_install(Scope.PROJECT, site, program, receipts)

    assert plan.changes[0].path == f"{site.project}/.pi/extensions/automode.ts"
    assert "only in a project that you trust" in plan.notes[0]


@pytest.mark.parametrize("text", ["", f"{BLANK}\n{BLANK}\n", None])
def test_a_broken_package_is_refused(
    site: Site, program: Program, receipts: Receipts, tmp_path: Path, text: str | None
) -> None:
    template = tmp_path / "template.ts"
    if text is not None:
        template.write_text(text)

    own = replace(INSTALLER, template=str(template))
    with pytest.raises(CannotInstall, match="installation is incomplete"):
        own.plan_install(Scope.USER, site, program, receipts)


def test_an_extension_that_was_never_filled_in_counts_as_ours() -> None:
    assert paths_in(BLANK.encode()) == {}
    assert paths_in(b"const INSTALLED = {broken};") is None
