"""git shows what it tracks: a committed credential is not printed unasked.

`AUTOMODE_GIT_SWEEP=1` tries every option of the table on the installed git (`make sweep-git`).
"""

import os
import subprocess
from pathlib import Path

import pytest

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision, Verdict
from automode.core.workspace import Search, Workspace
from automode.facts.files import Disk
from automode.guards.reads.committed import committed_objection
from automode.guards.reads.read_only import ReadOnly
from automode.programs.table import programs
from automode.programs.use import Invocation
from automode.shell.script import Command, Word
from tests.reading import facts_of
from tests.rows import rows, texts

SHOWING = texts("guards", "committed-showing")
OTHERS = texts("guards", "committed-others")


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("committed")
    names = (".env", "deploy/id_rsa", "src/app.py", "README.md", "config/.env.example")
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("KEY = 1\n")
    _git(folder, "init", "-q")
    _git(folder, "add", ".")
    return folder


def _git(folder: Path, *words: str) -> None:
    home = {"HOME": str(folder / "home"), "PATH": "/usr/bin:/bin:/usr/local/bin"}
    subprocess.run(["git", *words], cwd=folder, env=home, check=True)


def _proved(top: Path, line: str) -> bool:
    workspace = Workspace(str(top), str(top), str(top.parent / "home"), Disk())
    answer = ReadOnly().script(facts_of(ToolCall("bash", Shell(line)), workspace))
    return isinstance(answer, Decision) and answer.verdict is Verdict.ALLOW


@pytest.mark.parametrize("line", SHOWING)
def test_a_tracked_credential_is_not_shown_unasked(top: Path, line: str) -> None:
    assert not _proved(top, line)


@pytest.mark.parametrize("line", OTHERS)
def test_names_and_other_files_are_shown(top: Path, line: str) -> None:
    assert _proved(top, line)


@pytest.mark.parametrize(("words", "shown"), rows("guards", "committed-pathspecs-choose-as-git"))
def test_pathspecs_choose_as_git_does(top: Path, words: str, shown: bool) -> None:
    workspace = Workspace(str(top), str(top), str(top.parent / "home"), Disk())
    command = Command(tuple(map(Word, ("git", "diff", "--", *words.split()))), cwd=str(top))
    assert (committed_objection(command, workspace) is not None) is shown


@pytest.mark.parametrize("line", [line for line in SHOWING if "range-diff" not in line])
def test_without_a_tracked_credential_the_same_line_only_reads(tmp_path: Path, line: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("x")
    (tmp_path / ".env").write_text("x")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", "src")
    unproved = ".env", "*env*", "$(ls)", "deploy", "cat-file blob", "xargs"
    assert _proved(tmp_path, line) or any(part in line for part in unproved)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_the_names_in_an_index_are_read(tmp_path: Path, version: str) -> None:
    for name in ("a/.env", "a/b.pem", "a/key.pem", "c", ".aws/x/y", "long/" + "n" * 250 + ".key"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("x")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "config", "index.version", version)
    _git(tmp_path, "add", ".")
    if version == "3":
        (tmp_path / "later.key").write_text("x")
        _git(tmp_path, "add", "-N", "later.key")
    found = Disk().tracked(
        Search(str(tmp_path / ".git"), 100, (".env", ".aws"), (".key", "key.pem"))
    )
    assert found is not None
    expected = {".aws/x/y", "a/.env", "a/key.pem", "long/" + "n" * 250 + ".key"}
    assert set(found) - {"later.key"} == expected
    assert Disk().tracked(Search(str(tmp_path / ".git"), 1)) is None
    (tmp_path / ".git" / "index").write_bytes(b"DIRC\0\0\0\2\0\0\0\1")
    assert Disk().tracked(Search(str(tmp_path / ".git"), 100)) is None


def test_a_split_index_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "update-index", "--split-index")
    assert Disk().tracked(Search(str(tmp_path / ".git"), 100, ("a",))) is None
    assert not _proved(tmp_path, "git diff")


SWEPT = texts("guards", "committed-swept")
VALUES = {"--format": "%H", "--pretty": "%H", "-L": "1,1:.env", "--diff-merges": "1", "-S": "MARK"}


@pytest.mark.skipif(not os.environ.get("AUTOMODE_GIT_SWEEP"), reason="NO SWEEP")
@pytest.mark.parametrize("verb", SWEPT)
def test_no_option_prints_what_is_said_not_to_be_printed(tmp_path: Path, verb: str) -> None:
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "config", "user.name", "a")
    _git(tmp_path, "config", "user.email", "a")
    for number in range(3):
        (tmp_path / ".env").write_text(f"MARK={number} \n")
        _git(tmp_path, "add", ".env")
        _git(tmp_path, *(("commit", "-qm", "x") if number < 2 else ("stash", "-q")))
    (tmp_path / ".env").write_text("MARK=4 \n")
    workspace = Workspace(str(tmp_path), str(tmp_path), str(tmp_path / "home"), Disk())
    words = tuple(map(Word, ("git", *verb.split())))
    given = programs()["git"].given(Invocation("git", words[1:], Command(words), workspace))
    assert given is not None
    spec, path = given.row.spec, [w for w in verb.split() if w in ("list", "show", "stash")]
    at = max(1, len(path)) + 1
    options = [[f"-{one}"] for one in spec.flags + spec.maybe]
    options += [[one] for one in (*spec.long_flags, *spec.long_maybe)]
    options += [[f"-{one}", VALUES.get(f"-{one}", "1")] for one in spec.values]
    options += [[f"{o}={VALUES.get(o, '1')}"] for o in (*spec.long_values, *spec.long_maybe)]
    for option in options:
        for more in ([], ["--stat"]):
            tried = (*words[:at], *map(Word, (*option, *more)), *words[at:])
            command = Command(tried, cwd=str(tmp_path))
            use = programs()["git"](Invocation("git", command.args, command, workspace))
            if use.effect or committed_objection(command, workspace) is not None:
                continue
            printed = subprocess.run(
                [word.text for word in tried],
                cwd=tmp_path,
                env={"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
            assert b"MARK" not in printed.stdout, tried
