"""Tools and commands that come across credentials on a disk, by patterns and in folders."""

import asyncio
from pathlib import Path

import pytest

from automode.core.decision import Decision
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.facts.reader import ShellReader
from automode.guards.reads.read_only import ReadOnly
from tests.reading import facts_of
from tests.rows import rows

READER = ShellReader()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    top = tmp_path / "home" / "project"
    (top / ".git").mkdir(parents=True)
    (top / "src").mkdir()
    for name in ("prod.env", "README", "src/a.py"):
        (top / name).write_text("x\n")
    (top / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (top / ".git" / "config").write_text('[remote "o"]\n url = https://u:word@example.com/x\n')
    (top / "innocent.txt").symlink_to("prod.env")
    return top


def is_allowed(project: Path, tool: str, given: dict[str, object]) -> bool:
    home = str(project.parent)
    workspace = Workspace(str(project), str(project), home, Disk())
    answer = asyncio.run(
        ReadOnly()(facts_of(tool_call(tool, given), workspace), Session("s", workspace), ())
    )
    return isinstance(answer, Decision)


TOOLS = rows("guards", "tool-reads-tools")


@pytest.mark.parametrize(("tool", "given", "allowed"), TOOLS)
def test_a_tool_shows_no_credential_that_lies_there(
    project: Path, tool: str, given: dict[str, object], allowed: bool
) -> None:
    assert is_allowed(project, tool, given) is allowed


HIDDEN = rows("guards", "tool-reads-hidden")


@pytest.mark.parametrize(("ignored", "tool", "given", "allowed"), HIDDEN)
def test_a_searching_tool_reads_hidden_files_that_git_does_not_ignore(
    tmp_path: Path, ignored: str, tool: str, given: dict[str, object], allowed: bool
) -> None:
    top = tmp_path / "home" / "project"
    (top / ".git").mkdir(parents=True)
    (top / "src").mkdir()
    (top / ".env").write_text("SECRET=x\n")
    (top / ".gitignore").write_text(ignored)

    assert is_allowed(top, tool, given) is allowed


def test_an_ignore_file_of_the_searcher_overrules_what_git_ignores(tmp_path: Path) -> None:
    top = tmp_path / "home" / "project"
    (top / ".git").mkdir(parents=True)
    for name, text in ((".env", "x"), (".gitignore", ".env\n"), (".ignore", "!.env\n")):
        (top / name).write_text(text)

    assert not is_allowed(top, "Grep", {"pattern": "x"})


COMMANDS = rows("guards", "tool-reads-commands")


@pytest.mark.parametrize(("command", "allowed"), COMMANDS)
def test_a_command_shows_no_credential_that_lies_there(
    project: Path, command: str, allowed: bool
) -> None:
    assert is_allowed(project, "bash", {"command": command}) is allowed
