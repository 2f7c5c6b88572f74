"""Edits inside the workspace pass; protected paths, links and wide workspaces do not."""

import asyncio
from pathlib import Path

import pytest

from automode.core.call import ToolCall, Write
from automode.core.decision import Decision
from automode.core.session import Session
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript
from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.guards.own_files import OwnFolders
from automode.guards.protected import PROTECTED_PATHS, Protected
from automode.guards.workspace_edits import WorkspaceEdits, is_planted, replaces_all, too_wide
from tests.reading import facts_of
from tests.rows import each_row, rows, texts

PLANTED = rows("guards", "planted-planted")


@each_row("path, text", PLANTED)
def test_code_that_reaches_further_is_seen(path: str, text: str) -> None:
    assert is_planted(f"/w/{path}", {"content": text}, "")
    assert is_planted(f"/w/{path}", {"edits": [{"old_string": "a", "new_string": text}]}, "")


@each_row("path, text", PLANTED)
def test_what_was_there_before_is_no_news(path: str, text: str) -> None:
    assert not is_planted(f"/w/{path}", {"content": f"{text}\n# more"}, text)
    assert not is_planted(f"/w/{path}", {"old_string": text, "new_string": f"{text}\n"}, "")


@each_row("path, text", rows("guards", "planted-ordinary"))
def test_ordinary_steps_and_files_that_nothing_runs_pass(path: str, text: str) -> None:
    assert not is_planted(f"/w/{path}", {"content": text}, "")


BEFORE = "\n".join(f"line number {number}" for number in range(10))


@pytest.mark.parametrize("text", ["", "something else\n", "x\n" * 50])
def test_a_text_that_leaves_no_line_replaces_all(text: str) -> None:
    assert replaces_all({"content": text}, BEFORE)


@pytest.mark.parametrize(("given", "before"), rows("guards", "planted-edit-keeps-something-does"))
def test_an_edit_that_keeps_something_does_not(given: dict[str, object], before: str) -> None:
    assert not replaces_all(given, before)


EDITS = WorkspaceEdits(Protected.of(PROTECTED_PATHS))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for folder in ("src", ".git/hooks", "other/.git", ".claude/worktrees/fix/src"):
        (root / folder).mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (root / "link-out").symlink_to(tmp_path / "outside")
    (root / "link-to-git").symlink_to(root / ".git")
    (root / "loop").symlink_to(root / "loop")
    (tmp_path / "link-in").symlink_to(root)
    return root


def passes(path: str, root: Path, content: str = "", *before: Entry) -> bool:
    workspace = Workspace(str(root), str(root), "/home/nobody", Disk())
    call = ToolCall("write", Write((path,)), {"content": content} if content else {})
    session = Session("s", workspace, transcript=Transcript(before))
    answer = asyncio.run(EDITS(facts_of(call, workspace), session, ()))
    return isinstance(answer, Decision)


def test_a_file_that_this_session_did_not_write_is_not_replaced_as_a_whole(project: Path) -> None:
    file = project / "src" / "a.py"
    file.write_text(BEFORE)
    wrote = PriorCall("Write", {"file_path": str(file), "content": BEFORE}, Outcome.OK)

    assert not passes(str(file), project, "something else\n")
    assert passes(str(file), project, f"{BEFORE}\nmore")
    assert passes(str(file), project, "something else\n", wrote)


@pytest.mark.parametrize("path", texts("guards", "workspace-edits-files-inside-pass"))
def test_files_inside_pass_also_new_ones(project: Path, path: str) -> None:
    assert passes(path, project)
    assert passes(str(project / path), project)


@pytest.mark.parametrize("path", texts("guards", "workspace-edits-protected-linked"))
def test_protected_linked_and_outside_files_do_not(project: Path, path: str) -> None:
    assert not passes(path, project)


def test_a_folder_of_another_case_is_another_folder(project: Path) -> None:
    assert not passes(str(project).upper() + "/src/a.py", project)
    assert not passes(f"{project.parent}/PROJECT/src/a.py", project)


def test_a_workspace_reached_through_a_link_is_the_same_workspace(project: Path) -> None:
    assert passes("src/a.py", project.parent / "link-in")


def test_a_call_without_known_files_does_not_pass(project: Path) -> None:
    workspace = Workspace(str(project), str(project), "/home/nobody", Disk())
    answer = asyncio.run(
        EDITS(facts_of(ToolCall("edit", Write(())), workspace), Session("s", workspace), ())
    )

    assert not isinstance(answer, Decision)


@pytest.mark.parametrize(
    ("root", "home", "wide"),
    rows("guards", "workspace-edits-home-folder-parent"),
)
def test_a_home_folder_or_its_parent_is_no_workspace(root: str, home: str, wide: bool) -> None:
    assert too_wide(Workspace(root, root, home, Names(root))) is wide


def test_automodes_own_folders_are_never_just_a_workspace(tmp_path: Path) -> None:
    for folder in ("config", "state/spool", "src/automode", "src/other"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "config")
    folders = OwnFolders(
        config=(f"{tmp_path}/config",),
        state=(f"{tmp_path}/state",),
        runtime=(f"{tmp_path}/src/automode",),
    )
    edits = WorkspaceEdits(Protected.of(PROTECTED_PATHS), folders)

    def allowed(path: str, root: str = "") -> bool:
        folder = f"{tmp_path}{root}"
        session = Session("s", Workspace(folder, folder, "/home/nobody", Disk()))
        call = ToolCall("write", Write((path,)))
        return isinstance(asyncio.run(edits(facts_of(call, session), session, ())), Decision)

    assert not allowed("config/config.json")
    assert not allowed("link/config.json")
    assert not allowed("config.json", "/config")
    assert not allowed("1-a.jsonl", "/state/spool")
    assert not allowed("src/automode/gate.py")
    assert allowed("src/other/gate.py")
