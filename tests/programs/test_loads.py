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
