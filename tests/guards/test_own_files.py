"""Where automode's own folders are, also when they are not the usual ones."""

import pytest

from automode.core.call import Action, Read, Shell, ToolCall, Write
from automode.core.decision import Verdict
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.guards.floor.layer import Floor
from automode.guards.own_files import OwnFiles, OwnFolders, own_files
from tests.reading import facts_of
from tests.rows import each_row, texts

FOLDERS = OwnFolders(
    config=("/data/conf",),
    state=("/data/st",),
    runtime=("/opt/am/lib/site-packages/automode", "/opt/am"),
)


def own(home: str, root: str) -> OwnFiles:
    return own_files(home, root, FOLDERS)


FLOOR = Floor(own)


def denied(tool: str, action: Action, cwd: str = "/w/p") -> bool:
    found = FLOOR.judge(
        facts_of(ToolCall(tool, action), Workspace(cwd, cwd, "/home/u", Names(cwd)))
    )
    return found is not None and found.verdict is Verdict.DENY


@each_row("command", texts("guards", "own-files-named-folders-have-same"))
def test_named_folders_have_the_same_floor(command: str) -> None:
    assert denied("bash", Shell(command))


def test_the_file_tools_are_kept_out_too() -> None:
    assert denied("Read", Read(("/data/st/tokens/person",)))
    assert denied("Write", Write(("/data/conf/config.json",)))
    assert denied("Write", Write(("config.json",)), cwd="/data/conf")
    assert denied("Write", Write(("2-abc.jsonl",)), cwd="/data/st/spool")
    assert denied("Write", Write(("/opt/am/lib/site-packages/automode/hook/client.py",)))


@pytest.mark.parametrize("command", texts("guards", "own-files-what-lies-beside-them"))
def test_what_lies_beside_them_is_ordinary(command: str) -> None:
    assert not denied("bash", Shell(command))


def test_whoever_works_on_automode_may_change_it_after_a_review() -> None:
    folders = OwnFolders(runtime=("/w/p/src/automode", "/w/p/.venv"))
    found = own_files("/home/u", "/w/p", folders)

    assert not found.setting("/w/p/src/automode/gate/gate.py")
    assert found.ours("/w/p/src/automode/gate/gate.py")
    assert own_files("/home/u", "/w/other", folders).setting("/w/p/src/automode/gate/gate.py")


@pytest.mark.parametrize("folder", ["/home/u", "/home", "/w"])
def test_a_folder_full_of_other_things_is_not_ours_as_a_whole(folder: str) -> None:
    found = own_files("/home/u", "/w/p", OwnFolders(config=(folder,), state=(folder,)))

    assert not found.setting(f"{folder}/other.txt")
    assert found.setting(f"{folder}/config.json")
    assert found.setting(f"{folder}/spool/x.jsonl")
    assert found.secret(f"{folder}/tokens/person")
