"""Settings in the folder of a command or above it."""

from pathlib import Path

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.programs.loading import has_settings
from automode.programs.use import Invocation
from automode.shell.script import Command

NAMES = (".toolrc",)


def asked(root: Path, cwd: Path | None, home: Path) -> Invocation:
    command = Command((), cwd=None if cwd is None else str(cwd))
    workspace = Workspace(str(root), str(root), str(home), Disk())
    return Invocation("tool", (), command, workspace)


def test_the_persons_own_settings_are_trusted_unless_home_is_the_workspace(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / ".toolrc").write_text("x")
    assert not has_settings(asked(project, project, tmp_path), NAMES)
    assert has_settings(asked(tmp_path, project, tmp_path), NAMES)


def test_settings_count_from_where_a_failed_change_of_folder_would_leave_it(tmp_path: Path) -> None:
    other = tmp_path / "other"
    project = tmp_path / "project"
    other.mkdir()
    project.mkdir()
    (project / ".toolrc").write_text("x")
    assert has_settings(asked(project, other, Path("/home/ada")), NAMES)


def test_what_cannot_be_looked_at_is_not_ruled_out(tmp_path: Path) -> None:
    assert has_settings(asked(tmp_path, None, Path("/home/ada")), NAMES)
    (tmp_path / ".toolrc").mkdir()
    invocation = asked(tmp_path, tmp_path, Path("/home/ada"))
    assert has_settings(invocation, NAMES, lambda text: True)


def test_only_settings_that_are_not_harmless_count(tmp_path: Path) -> None:
    (tmp_path / ".toolrc").write_text("plain")
    invocation = asked(tmp_path, tmp_path, Path("/home/ada"))
    assert not has_settings(invocation, NAMES, lambda text: text == "plain")
    assert has_settings(invocation, NAMES, lambda text: text != "plain")
