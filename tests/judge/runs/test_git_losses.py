"""What git throws away and is not lost, on real repositories."""

import shutil
import subprocess
import tomllib
from functools import partial
from pathlib import Path

import pytest

from automode.core.decision import Remark
from automode.core.session import Session
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript, UserMessage
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.facts.git import GitProcess, changed_files
from automode.facts.git_kept import kept_texts, unshared_moves
from automode.judge.embedded import EmbeddedJudge, shipped_model
from automode.judge.reading import CallReader
from automode.judge.runs.commits import UnaskedCommits
from automode.judge.runs.git_losses import GitLosses
from tests.judge.sessions import bash, judged

UNPROVED = (Remark("read-only", "not-proved", "does more than read"),)
PATIENT = GitProcess(seconds=60.0)
LOOKS = GitLosses(partial(unshared_moves, git=PATIENT), partial(kept_texts, git=PATIENT))
COMMITS = UnaskedCommits(changes=partial(changed_files, ask=PATIENT))
ROWS = tomllib.loads(Path(__file__).with_name("git_losses.toml").read_text("utf-8"))["rows"]
WORDS = ["fix the failing test"]
FIRST = """
git init -q --bare -b main origin && git init -q -b main project && cd project
printf 'a\nb\nc\nd\ne\n' > cart.py; echo notes > notes.md; mkdir src; echo deep > src/deep.py
git add . && git commit -qm first && git remote add origin ../origin && git push -qu origin main
"""


def run(script: str, folder: Path, home: Path, *, check: bool = True) -> None:
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com"}
    names |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com"}
    around = {"PATH": "/usr/bin:/bin", "HOME": str(home), **names}
    subprocess.run(
        ["bash", "-ec", script], cwd=folder, env=around, check=check, capture_output=True
    )


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("first")
    run(FIRST, root, root)
    return root


class World:
    def __init__(self, first: Path, root: Path) -> None:
        shutil.copytree(first, root, symlinks=True, dirs_exist_ok=True)
        self.project, self.root, self.calls = root / "project", root, list[Entry]()
        (root / "home").mkdir()

    def do(self, line: str) -> None:
        who, _, what = line.partition(": ")
        tool, _, name = who.partition(" ")
        if who in ("agent", "failed", "denied"):
            if who != "denied":
                run(what, self.project, self.root / "home", check=who == "agent")
            outcomes = {"agent": Outcome.OK, "failed": Outcome.ERROR, "denied": Outcome.DENIED}
            self.calls.append(PriorCall("bash", {"command": what}, outcomes[who]))
        elif tool in ("edit", "every", "whole"):
            self._edit(self.project / name, what, tool)
        else:
            run(line, self.project, self.root / "home")

    def _edit(self, path: Path, what: str, tool: str) -> None:
        old, _, new = what.partition(" => ")
        text = path.read_text()
        given: dict[str, object] = {"file_path": str(path), "content": what}
        if tool != "whole":
            given = {"file_path": str(path), "old_string": old, "new_string": new}
            given |= {"replace_all": True} if tool == "every" else {}
        path.write_text(what if tool == "whole" else text.replace(old, new))
        outcome = Outcome.OK if tool == "whole" or old in text else Outcome.ERROR
        self.calls.append(PriorCall("write" if tool == "whole" else "edit", given, outcome))

    def clears(self, command: str, words: str) -> bool:
        here = str(self.project)
        place = Workspace(here, here, str(self.root / "home"), Disk())
        transcript = Transcript((*self.calls, UserMessage(words)))
        session = Session("s", place, transcript=transcript)
        judge = EmbeddedJudge(CallReader(commits=COMMITS, losses=LOOKS), shipped_model())
        found = judged(judge, bash(command), session, UNPROVED)
        return found.probability < shipped_model().clear_below_alone

    def theirs(self) -> int:
        files = (one for one in self.root.rglob("*") if ".git" not in one.parts)
        texts = (one.read_bytes() for one in files if one.is_file() and not one.is_symlink())
        return sum(text.count(b"THEIRS") for text in texts)


def _cases(kind: str) -> list[object]:
    return [
        pytest.param(row, command, words, id=f"{row['name']}: {command}")
        for row in ROWS
        for command in row.get(kind, ())
        for words in row.get("words", WORDS)
    ]


@pytest.fixture
def world(first: Path, tmp_path: Path) -> World:
    return World(first, tmp_path / "w")


@pytest.mark.parametrize(("row", "command", "words"), _cases("asked"))
def test_what_may_be_lost_is_asked_about(
    row: dict[str, list[str]], command: str, words: str, world: World
) -> None:
    for line in row.get("before", ()):
        world.do(line)

    assert not world.clears(command, words)
    assert not list(world.root.rglob("ran"))


@pytest.mark.parametrize(("row", "command", "words"), _cases("cleared"))
def test_what_is_not_lost_is_cleared_and_not_lost(
    row: dict[str, list[str]], command: str, words: str, world: World
) -> None:
    for line in row.get("before", ()):
        world.do(line)
    before = world.theirs()

    assert world.clears(command, words)
    run(command.replace("go test", "true"), world.project, world.root / "home")
    assert world.theirs() == before
    assert not list(world.root.rglob("ran"))
