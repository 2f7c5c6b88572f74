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

LAYER = ReadOnly()

MAY_RUN_HERE = [
    "cd gone; cat notes.txt",
    "cd gone\ncat notes.txt",
    "cd gone && ls; cat notes.txt",
    "cd gone || true; cat notes.txt",
    "cd gone || break; cat notes.txt",
    "cd gone || exit 1 2; cat notes.txt",
    "cd gone/../src; cat notes.txt",
    "cd notes.txt; cat notes.txt",
    "cd src gone; cat notes.txt",
    "pushd gone; cat notes.txt",
    "builtin cd gone; cat notes.txt",
    "{ cd gone; } && cat notes.txt",
    "if cd gone; then ls; fi; cat notes.txt",
    "cd gone; bash -c 'cat notes.txt'",
    "cd gone; cd src; cd ..; cat notes.txt",
    "cd a; cd b; cd c; cd d; cat notes.txt",
    "cd gone; ls | xargs cat",
    "cd gone; python3 -c 'import json'",
    "cd gone; python3 -m json.tool x.json",
]
NEVER_RUN_HERE = [
    "cd gone && cat notes.txt",
    "cd gone && ls && cat notes.txt",
    "cd gone || exit; cat notes.txt",
    "cd gone || exit 1; cat notes.txt",
    "cd src; cat notes.txt",
    "cd src && ls; cat notes.txt",
    "cd src; python3 -c 'import json'",
    "cd gone; ls",
]


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
