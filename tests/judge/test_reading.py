"""What a script was found to do is kept, and never longer than it holds."""

from dataclasses import replace
from pathlib import Path

import pytest

from automode.core.session import Session
from automode.core.transcript import Outcome, PriorCall, Transcript
from automode.facts.place import live_workspace
from automode.judge.reading import Looking
from automode.programs.use import Effect
from tests.judge.sessions import bash, read
from tests.reading import facts_of

CONFIG = "[core]\n\trepositoryformatversion = 0\n"
RUNS_A_PROGRAM = CONFIG + "[diff]\n\texternal = ./anything\n"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    project = tmp_path / "project"
    for folder in (project / ".git" / "refs", project / ".git" / "objects"):
        folder.mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (project / ".git" / "config").write_text(CONFIG)
    return Session("s", live_workspace(str(project), str(tmp_path / "home")))


def test_a_script_is_looked_at_anew_when_a_file_it_depends_on_has_changed(
    looking: Looking, session: Session, tmp_path: Path
) -> None:
    before = read(looking, bash("git diff"), session)
    assert read(looking, bash("git diff"), session) == before

    (tmp_path / "project" / ".git" / "config").write_text(RUNS_A_PROGRAM)

    assert Effect.RUNS not in before.effects
    assert Effect.RUNS in read(looking, bash("git diff"), session).effects


def test_the_same_script_in_another_folder_is_another_script(
    looking: Looking, session: Session
) -> None:
    here = read(looking, bash("rm -r ../project/src"), session)
    moved = replace(session.workspace, cwd="/", root="/srv/other")

    there = read(looking, bash("rm -r ../project/src"), replace(session, workspace=moved))

    assert "deletes-much" in here.deeds
    assert "deletes-outside" in there.deeds


MADE = PriorCall("bash", {"command": "echo x > notes.txt"}, Outcome.OK)
REFUSED = PriorCall("bash", {"command": "echo x > notes.txt"}, Outcome.DENIED)
SOUGHT = PriorCall("bash", {"command": "ls notes.txt"}, Outcome.ERROR)
EARLIER: list[tuple[tuple[PriorCall, ...], str]] = [
    ((), "deletes"),
    ((MADE,), "deletes"),
    ((SOUGHT, MADE), "deletes-made"),
    ((REFUSED,), "deletes"),
    ((SOUGHT, MADE, *[PriorCall("bash", {"command": "ls"})] * 20), "deletes-made"),
    ((SOUGHT, PriorCall("write", {"file_path": "notes.txt", "content": ""})), "deletes-made"),
]


@pytest.mark.parametrize(("earlier", "deed"), EARLIER)
def test_what_is_kept_of_a_script_says_nothing_of_the_session_it_runs_in(
    looking: Looking, session: Session, earlier: tuple[PriorCall, ...], deed: str
) -> None:
    seen = replace(session, transcript=Transcript(earlier))

    assert read(looking, bash("rm notes.txt"), seen).deeds == (deed,)


@pytest.mark.parametrize(("earlier", "deed"), EARLIER)
@pytest.mark.parametrize("sought", [{"deletes"}, {"deletes-made", "commits"}, {"commits"}, set()])
def test_an_earlier_command_did_what_it_would_do_now(
    looking: Looking, session: Session, earlier: tuple[PriorCall, ...], deed: str, sought: set[str]
) -> None:
    seen = replace(session, transcript=Transcript(earlier))
    command = "rm notes.txt && git commit -m x"

    found = looking.done_by(command, facts_of(bash(command), seen), seen, sought)

    assert found == sought & {deed, "commits"}
