"""After a call that may have written anything, a command of git is as before where it starts
nothing of the workspace, and nowhere else."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.guards.session_files import executed_files
from tests.reading import facts_of

pytestmark = [pytest.mark.real]
Change = Callable[[Path], object]
GIT = ("git", "-c", "user.name=x", "-c", "user.email=x")
COMMIT = "git commit -m 'fix it'"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A fresh repository, with the samples that git puts into the folder of hooks."""
    top = Path(os.path.realpath(tmp_path)) / "project"
    (top.parent / "home").mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(top)], check=True)
    settle(top, '[remote "origin"]\n url = git@host.example:me/project.git\n')
    (top / "tool").write_text("x")
    return top


def settle(top: Path, text: str) -> None:
    with (top / ".git/config").open("a") as file:
        file.write(text)


def hook(top: Path, name: str = "pre-commit") -> None:
    (top / ".git/hooks").mkdir(exist_ok=True)
    (top / ".git/hooks" / name).write_text("#!/bin/sh\n")


def link_hooks(top: Path) -> None:
    (top / ".git/hooks").rename(top / "h")
    (top / ".git/hooks").symlink_to("../h")


def runs_files(top: Path, command: str) -> bool:
    """Whether a command counts as running what was written, once anything may have been."""
    place = Workspace(str(top), str(top), str(top.parent / "home"), Disk())
    session = Session("s", place)
    session.written_around = {f"{top}/**".casefold(): f"{top}/**"}
    return bool(executed_files(facts_of(tool_call("bash", {"command": command}), session), session))


AS_BEFORE = [
    COMMIT,
    "git add -A && git commit -qm 'a' && git log -1",
    "git add . && git commit -m \"$(cat <<'EOF'\nfix it\n\nmore\nEOF\n)\"",
    "git commit -F message.txt",
    "git checkout -b topic",
    "git switch main",
    "git stash",
    "git merge --no-ff topic",
    "git fetch origin",
    "git pull --rebase",
    "git push -u origin topic",
    "git push",
]


@pytest.mark.parametrize("command", AS_BEFORE)
def test_without_hooks_git_starts_nothing_of_the_workspace(top: Path, command: str) -> None:
    assert not runs_files(top, command)


RUN = [
    "./tool",
    "make",
    f"{COMMIT} && ./tool",
    "git -c core.hooksPath=h commit -m x",
    "GIT_DIR=x git commit -m x",
    "export GIT_EDITOR=./tool; git commit -m x",
    "PATH=.:$PATH git commit -m x",
    "git commit $OPTIONS -m x",
    "git commit -m x --template tool",
    "git push ./other main",
    "git push other main",
    "git push --receive-pack=./tool origin",
    "git fetch --upload-pack ./tool origin",
    "git fetch --depth 1 ./other",
    "git rebase --exec ./tool main",
    "cd sub && git commit -m x",
    "git hook run pre-commit",
    "git submodule foreach ./tool",
    "./git commit -m x",
]


@pytest.mark.parametrize("command", RUN)
def test_other_commands_and_forms_may_run_what_was_written(top: Path, command: str) -> None:
    subprocess.run(["git", "init", "-q", str(top / "sub")], check=True)
    assert runs_files(top, command)


STARTED: dict[str, Change] = {
    "a hook": hook,
    "a hook of another name": lambda top: hook(top, "some-new-hook"),
    "hooks elsewhere": lambda top: settle(top, "[core]\n hooksPath = .husky\n"),
    "hooks elsewhere for the person": lambda top: (top.parent / "home/.gitconfig").write_text(
        "[core]\n hooksPath = ~/hooks\n"
    ),
    "hooks behind a link": link_hooks,
    "a filter": lambda top: settle(top, '[filter "x"]\n clean = ./tool\n'),
    "a monitor": lambda top: settle(top, "[core]\n fsmonitor = ./tool\n"),
    "a merge driver": lambda top: settle(top, '[merge "x"]\n driver = ./tool %A\n'),
    "a program for signatures": lambda top: settle(top, "[gpg]\n program = ./tool\n"),
    "an editor": lambda top: settle(top, "[core]\n editor = python3 tool\n"),
    "a helper for credentials": lambda top: settle(top, "[credential]\n helper = !./tool\n"),
    "a helper with its path": lambda top: settle(top, f"[credential]\n helper = {top}/tool\n"),
    "a command for ssh": lambda top: settle(top, "[core]\n sshCommand = ssh -F tool\n"),
    "an included file": lambda top: settle(top, "[include]\n path = ../more\n"),
    "an included file by its path": lambda top: settle(top, f"[include]\n path = {top}/more\n"),
    "a setting that nobody knows": lambda top: settle(top, "[core]\n newHelper = x\n"),
    "a repository inside": lambda top: (
        subprocess.run(["git", "init", "-q", str(top / "sub")], check=True),
        subprocess.run(
            [*GIT, "-C", str(top / "sub"), "commit", "-qm", "x", "--allow-empty"],
            check=True,
        ),
        subprocess.run(["git", "-C", str(top), "add", "sub"], check=True, capture_output=True),
    ),
    "no repository": lambda top: (top / ".git/HEAD").unlink(),
}


@pytest.mark.parametrize("what", STARTED)
def test_what_git_may_start_makes_a_commit_a_run(top: Path, what: str) -> None:
    STARTED[what](top)
    assert runs_files(top, COMMIT)


@pytest.mark.parametrize(
    "config",
    [
        '[remote "far"]\n url = ext::./tool\n',
        '[remote "near"]\n url = ../other.git\n',
        '[remote "near"]\n url = /srv/other.git\n',
        '[url "ext::./tool "]\n insteadOf = git@host.example:\n',
        '[branch "main"]\n remote = ./other.git\n',
        "[remote]\n pushDefault = other\n",
    ],
)
def test_a_remote_that_may_be_here_makes_a_push_a_run(top: Path, config: str) -> None:
    settle(top, config)
    assert runs_files(top, "git push")
    assert not runs_files(top, COMMIT)


@pytest.mark.parametrize(
    "config",
    [
        "[core]\n editor = vim\n",
        "[core]\n editor = code --wait\n",
        "[credential]\n helper = store\n",
        '[credential "https://host"]\n helper = !/usr/bin/gh auth git-credential\n',
        "[gpg]\n program = gpg2\n[commit]\n gpgSign = true\n",
        '[filter "lfs"]\n clean = git-lfs clean -- %f\n',
        "[user]\n name = Me\n email = me@host\n",
    ],
)
def test_programs_of_the_system_are_no_files_of_the_workspace(top: Path, config: str) -> None:
    settle(top, config)
    assert not runs_files(top, COMMIT)
