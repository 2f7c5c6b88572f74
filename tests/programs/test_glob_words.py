"""Names of files that become options: in a pattern, in a list of names, split at blanks."""

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

WORDS_FROM_NAMES = [
    *("grep foo *", "wc -l *", "sort *", "sed -n 1p *", "rg foo *", "du -sh *", "find * -name x"),
    *("zcat *", "file *", "git diff *", "grep foo [b-]*", "grep foo ?*", "jq . *", "grep foo **"),
    *("for f in *; do grep foo $f; done", "cd . && sort *", "diff * b.py"),
    *("ls | xargs grep foo", "git ls-files | xargs grep foo", "grep foo $(ls)"),
    *("rg -l foo | xargs grep bar", "ls | while read f; do grep foo $f; done"),
]
NO_WORDS_FROM_NAMES = [
    *("grep foo -- *", "grep foo ./*", "cat *", "head -5 *", "ls -d *", "grep foo a*", "awk 1 *"),
    *("find . -name '*.py' -exec grep foo {} +", "wc -l *.py", "grep foo sub/*"),
]
SPLIT = [
    *("find . -name '*.py' | xargs grep foo", "for f in *.py; do grep foo $f; done"),
    *("grep -l foo *.py | xargs grep bar", "rg -l foo | xargs grep bar", "ls | xargs grep foo"),
]


def reads(command: str, root: Path) -> bool:
    workspace = Workspace(str(root), str(root), "/home/ada", Disk())
    call = ToolCall("bash", Shell(command))
    return isinstance(
        asyncio.run(LAYER(facts_of(call, workspace), Session("s", workspace), ())), Decision
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name in ("a.py", "b.py", "sub/-r"):
        (tmp_path / name).write_text("foo\n")
    return tmp_path


@pytest.mark.parametrize("name", ["-r", "-e.", "--files0-from=x", "-o out", "-delete"])
@pytest.mark.parametrize("command", WORDS_FROM_NAMES)
def test_a_file_that_is_called_like_an_option_is_one(name: str, command: str, root: Path) -> None:
    (root / name).touch()

    assert not reads(command, root)


@pytest.mark.parametrize("command", WORDS_FROM_NAMES)
def test_without_such_a_file_it_is_read(command: str, root: Path) -> None:
    assert reads(command, root)


@pytest.mark.parametrize("command", NO_WORDS_FROM_NAMES)
def test_what_cannot_be_an_option_or_does_nothing_as_one_is_read(command: str, root: Path) -> None:
    (root / "-r").touch()

    assert reads(command, root)


@pytest.mark.parametrize("name", ["a -r .py", "a'-r'.py", 'a "-r".py', "a\n-r\n.py"])
@pytest.mark.parametrize("command", SPLIT)
def test_a_name_with_blanks_becomes_several_words(name: str, command: str, root: Path) -> None:
    assert reads(command, root)
    (root / name).touch()

    assert not reads(command, root)


def test_a_list_of_names_may_hold_an_option(root: Path) -> None:
    (root / "list").write_text("a.py\nb.py\n")
    assert reads("cat list | xargs grep foo", root)
    (root / "list").write_text("-r\n.\n")
    assert not reads("cat list | xargs grep foo", root)


def test_names_that_another_folder_shows_become_words_here(root: Path) -> None:
    assert not reads("ls sub | xargs grep foo", root)
    assert not reads("ls -R | xargs grep foo", root)


def test_a_file_that_begins_with_an_at_may_hold_words(root: Path) -> None:
    assert reads("sort *", root)
    (root / "@words").touch()
    assert not reads("sort *", root)


def test_what_another_machine_matches_is_not_known(root: Path) -> None:
    assert not reads("docker exec web sh -c 'sort *'", root)
