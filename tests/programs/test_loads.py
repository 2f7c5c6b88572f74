"""Files of a project that steer a client: with them a command that would only read is unproved."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.programs.table import programs
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word


def _use(line: str, folder: Path) -> Use:
    command = Command(tuple(map(Word, shlex.split(line))), cwd=str(folder))
    workspace = Workspace(str(folder), str(folder), "/home/ada", Disk())
    return programs()[command.program](
        Invocation(command.program, command.args, command, workspace)
    )


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("sentry-cli projects list", ".sentryclirc"),
        ("sentry-cli projects list", ".env"),
        ("wrangler whoami", ".env"),
        ("az vm list", ".azure/config"),
        ("pulumi stack ls", "Pulumi.yaml"),
        ("cdk context", "cdk.json"),
        ("sam list resources", "samconfig.toml"),
        ("ansible all --list-hosts", "ansible.cfg"),
    ],
)
def test_a_file_that_steers_a_client_makes_it_unproved(
    line: str, name: str, tmp_path: Path
) -> None:
    assert not _use(line, tmp_path).effect & ~Effect.REMOTE_READ
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("")

    assert _use(line, tmp_path).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("npm ls", "package.json"),
        ("mise ls", ".tool-versions"),
        ("helm show readme .", "README.md"),
        ("helm show values .", "values.yaml"),
        ("pre-commit validate-config", ".pre-commit-config.yaml"),
        ("poetry check", "pyproject.toml"),
        ("black --check a.py", "pyproject.toml"),
        ("isort --check a.py", ".isort.cfg"),
        ("isort --check sub", "sub/.editorconfig"),
        ("uv version", "pyproject.toml"),
        ("terraform fmt -check", "main.tf"),
        ("ruff check .", "sub/deep/x.py"),
        ("clang-format a.c", ".clang-format"),
        ("hadolint Dockerfile", ".hadolint.yaml"),
    ],
)
def test_a_file_that_it_opens_may_not_lead_elsewhere(line: str, name: str, tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / name).parent.mkdir(parents=True)
    elsewhere.write_text("machine x.test password y")
    (project / "sub").mkdir(exist_ok=True)
    assert not _use(line, project).effect & ~Effect.REMOTE_READ
    (project / name).symlink_to(elsewhere)

    assert _use(line, project).effect & ~Effect.REMOTE_READ


def test_a_link_to_the_same_file_of_the_workspace_is_plain(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "sub" / "package.json").symlink_to("../package.json")

    assert not _use("npm --prefix sub ls", tmp_path).effect
