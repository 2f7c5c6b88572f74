"""Pi's extension goes where Pi looks for it, knows its paths, is found, and goes away again."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.installing.installer import Launch
from automode.agents.installing.own_files import BLANK, fill, paths, paths_in
from automode.agents.installing.plan import CannotInstall, Scope, Transport
from automode.agents.pi.install import TEMPLATE, pi_extension
from tests.agents.conftest import Machine
from tests.rows import each_row


@pytest.fixture
def pi(machine: Machine) -> Machine:
    return replace(machine, agent="pi")


@pytest.fixture
def file(pi: Machine) -> Path:
    path = Path(pi_extension(pi.site, Scope.USER))
    path.parent.mkdir(parents=True)
    return path


def test_it_knows_its_paths_and_they_are_absolute(pi: Machine) -> None:
    known = paths(pi.program)
    text = fill(TEMPLATE, pi.program).decode()

    assert f"const INSTALLED = {json.dumps(known)};" in text
    assert BLANK not in text
    assert all(
        os.path.isabs(known[name]) for name in ("python", "client", "package", "state", "config")
    )
    assert os.path.exists(known["client"])


def test_one_that_was_changed_by_hand_is_found_repaired_and_kept(pi: Machine, file: Path) -> None:
    pi.install()
    whole = file.read_bytes()
    file.write_bytes(whole + b"// mine\n")

    wrong = pi.wrong()
    pi.install()

    assert "was changed" in wrong
    assert file.read_bytes() == whole == fill(TEMPLATE, pi.program)
    assert whole + b"// mine\n" in [one.read_bytes() for one in Path(pi.receipts.folder).iterdir()]


@each_row("theirs", [b"", b"export default () => {}\n", b"const INSTALLED = {};\n"])
def test_an_extension_of_somebody_else_is_left_alone(
    pi: Machine, file: Path, theirs: bytes
) -> None:
    file.write_bytes(theirs)

    with pytest.raises(CannotInstall, match="did not write it"):
        pi.plan()
    assert pi.plan_out().changes == ()


def test_in_a_project_it_says_when_pi_loads_it_and_is_not_relied_on(pi: Machine) -> None:
    plan = pi.install(Scope.PROJECT)

    assert plan.changes[0].path == f"{pi.site.project}/.pi/extensions/automode.ts"
    assert "only in a project that you trust" in plan.notes[0]
    assert pi.launch().words[0] == "-e"


def test_pi_gets_its_extension_along_where_it_is_not_installed(pi: Machine) -> None:
    path = f"{pi.program.state}/install/run/automode.ts"

    launch = pi.launch("-p", "hello")

    assert launch == Launch(("-e", path, "-p", "hello"), (path, fill(TEMPLATE, pi.program)))


@each_row("text", ["", f"{BLANK}\n{BLANK}\n", None])
def test_a_broken_package_is_refused(pi: Machine, tmp_path: Path, text: str | None) -> None:
    template = tmp_path / "template.ts"
    template.unlink(missing_ok=True)
    if text is not None:
        template.write_text(text)

    with pytest.raises(CannotInstall, match="installation is incomplete"):
        fill(str(template), pi.program)


def test_an_extension_that_leads_elsewhere_is_said(pi: Machine) -> None:
    other = replace(pi.program, python="/nowhere/python", state="/elsewhere")
    replace(pi, program=other).install()

    (found,) = pi.registrations()

    assert (found.version, found.transport) == (pi.program.version, Transport.EXTENSION)
    assert "the interpreter `/nowhere/python` is gone" in found.wrong
    assert "another state folder" in found.wrong[1]


def test_an_extension_without_paths_and_one_that_is_no_file_are_said(
    pi: Machine, file: Path
) -> None:
    file.write_text(BLANK)
    Path(pi_extension(pi.site, Scope.PROJECT)).mkdir(parents=True)

    blank, folder = pi.registrations()

    assert "blocks every call" in blank.wrong[0]
    assert "found a folder" in folder.wrong[0]
    assert paths_in(b"const INSTALLED = {broken};") is None
