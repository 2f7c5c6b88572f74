"""What git keeps of a checkout; `tests/judge/runs/git_losses.toml` has its worlds."""

from pathlib import Path

import pytest

from automode.core.workspace import Wanted, Workspace
from automode.facts.files import Disk
from automode.facts.git import GitProcess
from automode.facts.git_kept import MOST_FILES, kept_texts, unshared_moves
from tests.facts.test_established import git

PATIENT = GitProcess(seconds=60.0)


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-b", "main")
    for number in range(MOST_FILES + 1):
        (root / f"{number}.txt").write_text("1\n")
    git(root, "add", ".")
    git(root, "commit", "-m", "first")
    return Workspace(str(root), str(root), str(tmp_path / "home"), Disk())


def test_the_moves_of_a_commit_that_nobody_else_has_are_told(place: Workspace) -> None:
    git(Path(place.root), "checkout", "-b", "other")
    git(Path(place.root), "commit", "--allow-empty", "-m", "second")

    moves = unshared_moves(place.root, place, PATIENT)

    assert moves == ("commit: second", "commit (initial): first")


def test_of_changed_files_the_committed_text_is_told(place: Workspace) -> None:
    root = place.root
    Path(root, "1.txt").write_text("2\n")
    Path(root, "2.txt").chmod(0o755)
    Path(root, "3.txt").write_text("2\n")
    git(Path(root), "add", "3.txt")

    every = kept_texts(Wanted(root, ()), place, PATIENT)
    one = kept_texts(Wanted(root, (f"{root}/1.txt", f"{root}/4.txt")), place, PATIENT)

    assert every == {f"{root}/1.txt": "1\n", f"{root}/2.txt": None, f"{root}/3.txt": None}
    assert one == {f"{root}/1.txt": "1\n"}
    assert kept_texts(Wanted(root, (f"{root}/none.txt",)), place, PATIENT) is None
    assert kept_texts(Wanted(root, (f"{root}/../x",)), place, PATIENT) is None


def test_of_too_many_files_nothing_is_told(place: Workspace) -> None:
    for path in Path(place.root).glob("*.txt"):
        path.write_text("2\n")

    assert kept_texts(Wanted(place.root, ()), place, PATIENT) is None


@pytest.mark.parametrize("script", ["sleep 60", "exit 1", "echo", "echo x y z", "kill -9 $$"])
def test_a_git_that_is_slow_or_fails_tells_nothing(
    place: Workspace, tmp_path: Path, script: str
) -> None:
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    broken = GitProcess(str(program), seconds=0.2)

    assert unshared_moves(place.root, place, broken) is None
    assert kept_texts(Wanted(place.root, (f"{place.root}/1.txt",)), place, broken) is None
