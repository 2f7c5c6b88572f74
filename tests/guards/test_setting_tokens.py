"""Files of settings in a project: proved to be readable only where they hold no credential."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.guards.reads.read_only import ReadOnly
from tests.reading import facts_of
from tests.rows import rows

LAYER = ReadOnly()

WITH_A_CREDENTIAL = rows("guards", "setting-tokens-with-a-credential")
WITHOUT_ONE = rows("guards", "setting-tokens-without-one")


def reads(call: ToolCall, root: Path) -> bool:
    workspace = Workspace(str(root), str(root), "/home/ada", Disk())
    return isinstance(
        asyncio.run(LAYER(facts_of(call, workspace), Session("s", workspace), ())), Decision
    )


def placed(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


@pytest.mark.parametrize(("name", "text"), WITH_A_CREDENTIAL)
def test_settings_that_hold_a_credential_are_asked_about(
    name: str, text: str, tmp_path: Path
) -> None:
    placed(tmp_path, name, text)

    assert not reads(ToolCall("bash", Shell(f"cat {name}")), tmp_path)
    assert not reads(ToolCall("bash", Shell("grep -rn x .")), tmp_path)
    assert not reads(tool_call("read", {"file_path": name}), tmp_path)


@pytest.mark.parametrize(("name", "text"), WITHOUT_ONE)
def test_settings_that_hold_none_are_read(name: str, text: str, tmp_path: Path) -> None:
    placed(tmp_path, name, text)

    assert reads(ToolCall("bash", Shell(f"cat {name}")), tmp_path)
    assert reads(ToolCall("bash", Shell("grep -rn x .")), tmp_path)


def test_settings_that_cannot_be_looked_at_are_asked_about(tmp_path: Path) -> None:
    assert not reads(ToolCall("bash", Shell("cat .npmrc")), tmp_path)
    placed(tmp_path, ".npmrc", "# x\n" * 20_000 + "_auth=abc")
    assert not reads(ToolCall("bash", Shell("cat .npmrc")), tmp_path)
    assert reads(ToolCall("bash", Shell("ls -la")), tmp_path)


@pytest.mark.parametrize("command", ["git show HEAD:.npmrc", "git diff HEAD", "git grep x"])
def test_git_shows_what_such_a_file_holds(command: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for text, proved in (("save-exact=true", True), ("_auth=abc", False)):
        placed(tmp_path, ".npmrc", text)
        subprocess.run(["git", "-C", str(tmp_path), "add", ".npmrc"], check=True)

        assert reads(ToolCall("bash", Shell(command)), tmp_path) is proved
