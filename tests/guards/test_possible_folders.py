"""Commands behind a `cd` that may fail are judged where they then run."""

import asyncio
from pathlib import Path

import pytest

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.guards.reads.read_only import ReadOnly
from tests.reading import facts_of
from tests.rows import texts

LAYER = ReadOnly()

MAY_RUN_HERE = texts("guards", "possible-folders-may-run-here")
NEVER_RUN_HERE = texts("guards", "possible-folders-never-run-here")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root, home = tmp_path / "project", tmp_path / "home"
    for folder in (root / "src", home / ".aws"):
        folder.mkdir(parents=True)
    (home / ".aws/credentials").write_text("x")
    (root / "notes.txt").symlink_to(home / ".aws/credentials")
    (root / "json.py").write_text("x")
    return Workspace(str(root), str(root), str(home), Disk())


@pytest.mark.parametrize(
    ("command", "proved"),
    [*((one, False) for one in MAY_RUN_HERE), *((one, True) for one in NEVER_RUN_HERE)],
)
def test_where_a_cd_may_fail_the_folder_before_counts(
    command: str, proved: bool, workspace: Workspace
) -> None:
    call = ToolCall("bash", Shell(command))
    answer = asyncio.run(LAYER(facts_of(call, workspace), Session("s", workspace), ()))

    assert isinstance(answer, Decision) is proved, answer
