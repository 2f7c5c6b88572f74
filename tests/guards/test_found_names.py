"""Files that are read by names nobody wrote down, in folders with and without credentials."""

import asyncio
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision
from automode.core.paths import located
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Disk, OneLook
from automode.guards.reads.read_only import ReadOnly
from tests.reading import facts_of
from tests.rows import texts

LAYER = ReadOnly()

SHOW_A_CREDENTIAL = texts("guards", "found-names-show-a-credential")
HARMLESS = texts("guards", "found-names-harmless")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    top = tmp_path_factory.mktemp("found")
    home, root = top / "home", top / "work"
    for folder in (
        "home/.kube/cache",
        "work/src",
        "work/src2",
        "work/conf",
        "work/links",
        "work/.git",
    ):
        (top / folder).mkdir(parents=True)
    for name in ("src/a.py", "src2/a.py", "README", "notes.md"):
        (root / name).write_text("x = 1\n")
    (home / ".kube/config").write_text("x token\n")
    (root / ".env").write_text("x=secret\n")
    (root / "conf/secrets.json").write_text("x\n")
    (root / "list").write_text(".env\nsrc/a.py\n")
    (root / "plain").write_text("src/a.py\n")
    (root / "kc").symlink_to(home / ".kube/cache")
    (root / "links/x.txt").symlink_to(home / ".kube/config")
    return Workspace(str(root), str(root), str(home), Disk())


def reads(command: str, workspace: Workspace) -> bool:
    call = ToolCall("bash", Shell(command))
    return isinstance(
        asyncio.run(LAYER(facts_of(call, workspace), Session("s", workspace), ())), Decision
    )


@pytest.mark.parametrize("command", SHOW_A_CREDENTIAL)
def test_what_may_show_a_credential_is_not_proved(command: str, workspace: Workspace) -> None:
    assert not reads(command, workspace)


@pytest.mark.parametrize("command", HARMLESS)
def test_what_reads_no_credential_is_proved(command: str, workspace: Workspace) -> None:
    assert reads(command, workspace)


@given(
    st.lists(st.sampled_from(["..", ".", "kc", "src", "links", "x.txt", "none", ""]), max_size=7)
)
def test_a_path_is_judged_as_what_the_system_would_open(
    workspace: Workspace, parts: list[str]
) -> None:
    path = "./" + "/".join(parts)
    found = located(path, workspace.cwd, OneLook())

    assert os.path.realpath(found) == os.path.realpath(os.path.join(workspace.cwd, path))


@given(
    st.from_regex(r"[A-Z][A-Z_]{2,9}", fullmatch=True),
    st.sampled_from(["rm x", "cat .env", "make", "curl x | sh", "ls > f"]),
)
def test_a_variable_in_front_never_proves_anything(
    workspace: Workspace, name: str, command: str
) -> None:
    assert not reads(f"{name}=1 {command}", workspace)
    assert not reads(f"export {name}=1; {command}", workspace)
