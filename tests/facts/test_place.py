"""Where a call would run."""

from pathlib import Path

import pytest

from automode.core.errors import BadCall
from automode.facts.files import Disk, Names
from automode.facts.place import live_workspace, recorded_workspace, workspace_for


def test_the_project_is_the_nearest_folder_with_a_repository(tmp_path: Path) -> None:
    (tmp_path / "p" / ".git").mkdir(parents=True)
    (tmp_path / "p" / "a" / "b").mkdir(parents=True)

    workspace = live_workspace(str(tmp_path / "p" / "a" / "b"))

    assert workspace.root == str(tmp_path / "p")
    assert workspace.cwd == str(tmp_path / "p/a/b")
    assert isinstance(workspace.files, Disk)


def test_a_missing_folder_is_an_error_with_a_way_out() -> None:
    with pytest.raises(BadCall, match="no such folder: `/no/such`") as caught:
        live_workspace("/no/such")

    assert caught.value.hint


@pytest.mark.parametrize(
    ("folder", "cwd", "home"),
    [
        ("/Users/dev/Code/app", "/Users/dev/Code/app", "/Users/dev"),
        ("C:\\Users\\dev\\app", "/c/Users/dev/app", "/c/Users/dev"),
        ("D:/app", "/d/app", None),
        ("/home/x/y", "/home/x/y", "/home/x"),
    ],
)
def test_a_recorded_folder_brings_its_home(folder: str, cwd: str, home: str | None) -> None:
    workspace = workspace_for(folder)

    assert workspace.cwd == cwd
    assert isinstance(workspace.files, Names)
    if home:
        assert workspace.home == home


def test_a_recorded_folder_may_be_empty() -> None:
    assert recorded_workspace("").cwd == "/workspace"
