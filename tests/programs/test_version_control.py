"""hg and jj: the folder they run in, and what their repositories configure."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.programs.table import programs
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"
NAMES = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))


def line(text: str, workspace: Workspace = NAMES, cwd: str | None = "") -> Use:
    folder = workspace.cwd if cwd == "" else cwd
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=folder)
    return programs()[command.program](
        Invocation(command.program, command.args, command, workspace)
    )


@pytest.mark.parametrize("text", ["hg status", "jj log --ignore-working-copy"])
def test_an_unknown_folder_is_never_a_read(text: str) -> None:
    assert Effect.UNKNOWN in line(text, cwd=None).effect
    assert Effect.UNKNOWN in line(text, cwd="/other/place").effect


@pytest.mark.parametrize(
    ("text", "path", "content", "effect"),
    [
        ("hg status", ".hg/hgrc", "[paths]\ndefault = https://x.test\n", Effect.NONE),
        ("hg status", ".hg/hgrc", "[hooks]\npre-status = ./p.sh\n", Effect.RUNS),
        ("hg status", ".hg/hgrc", "[paths]\n%include other\n", Effect.RUNS),
        ("hg status", ".hg/sharedpath", "/other/.hg", Effect.RUNS),
        ("jj log --ignore-working-copy", ".jj/repo/config.toml", "", Effect.NONE),
        (
            "jj log --ignore-working-copy",
            ".jj/repo/config.toml",
            "ui.pager = './p.sh'\n",
            Effect.RUNS,
        ),
    ],
)
def test_the_repositorys_own_configuration_counts(
    tmp_path: Path, text: str, path: str, content: str, effect: Effect
) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(content)
    workspace = Workspace(str(tmp_path), str(tmp_path), "/home/ada", Disk())
    assert line(text, workspace).effect is effect
