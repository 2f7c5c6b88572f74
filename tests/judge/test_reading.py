"""Calls are read as the deeds they are, and what is kept of one holds only where it still does."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Shell, ToolCall
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Outcome, PriorCall, Transcript
from automode.facts.place import live_workspace
from automode.judge.deeds import Weight, deeds
from automode.judge.words import read_words
from automode.programs.deeds import parse_deeds, written_deeds
from automode.programs.table import programs
from automode.programs.use import Effect
from tests.judge.sessions import TABLES, bash, read, saying
from tests.rows import each_row

# Nobody said anything, so nobody named anything.
UNNAMED = {name for name in deeds() if name.endswith("-unnamed")}
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
    session: Session, tmp_path: Path
) -> None:
    before = read(bash("git diff"), session)
    assert read(bash("git diff"), session) == before

    (tmp_path / "project" / ".git" / "config").write_text(RUNS_A_PROGRAM)

    assert Effect.RUNS not in before.effects
    assert Effect.RUNS in read(bash("git diff"), session).effects


LINKED = (
    *("cat notes.txt", "xxd -p notes.txt", "cat < notes.txt", "cp notes.txt x", "dd if=notes.txt"),
    *("cat n*", "grep --file=notes.txt x", "grep -r x keys", "cat keys/known"),
    *("cd src; cat ../notes.txt", "python3 -c 'print(open(\"notes.txt\").read())'"),
)


def test_a_link_to_a_credential_is_one(session: Session, tmp_path: Path) -> None:
    (tmp_path / "home" / ".ssh").mkdir(parents=True)
    (tmp_path / "project" / "src").mkdir()
    calls = [*map(bash, LINKED), tool_call("read", {"path": "notes.txt"})]
    plain = [one for one in calls if "reads-secret" in read(one, session).deeds]

    (tmp_path / "project" / "notes.txt").symlink_to(tmp_path / "home" / ".ssh" / "id_rsa")
    (tmp_path / "project" / "keys").symlink_to(tmp_path / "home" / ".ssh")

    missed = [one for one in calls if "reads-secret" not in read(one, session).deeds]
    assert (plain, missed) == ([], [])


def test_the_same_script_in_another_folder_is_another_script(session: Session) -> None:
    here = read(bash("rm -r ../project/src"), session)
    moved = replace(session.workspace, cwd="/", root="/srv/other")

    there = read(bash("rm -r ../project/src"), replace(session, workspace=moved))

    assert "deletes-much" in here.deeds
    assert "deletes-outside" in there.deeds


def ran(command: str, outcome: Outcome = Outcome.OK) -> PriorCall:
    return PriorCall("bash", {"command": command}, outcome)


SOUGHT = ran("ls notes.txt", Outcome.ERROR)
WROTE = PriorCall("write", {"file_path": "notes.txt", "content": ""})
EARLIER: list[tuple[tuple[PriorCall, ...], str, str]] = [
    ((), "rm -r attic", "deletes-much"),
    ((ran("mkdir attic"),), "rm -r attic", "deletes-made"),
    ((ran("mkdir attic"), *[ran("ls")] * 20), "rm attic/a.txt", "deletes-made"),
    ((ran("mkdir -p attic"),), "rm -r attic", "deletes-much"),  # it may have been there
    ((ran("mkdir attic", Outcome.DENIED),), "rm -r attic", "deletes-much"),
    ((ran("mkdir attic", Outcome.ERROR),), "rm -r attic", "deletes-much"),
    ((ran("mkdir attic"), ran("mv src/a.py attic")), "rm -r attic", "deletes-much"),
    ((ran("git worktree add attic"),), "rm -r attic", "deletes-made"),
    ((ran("echo x > notes.txt"),), "rm notes.txt", "deletes"),
    ((WROTE,), "rm notes.txt", "deletes"),
    ((SOUGHT, ran("echo x > notes.txt")), "rm notes.txt", "deletes-made"),
    ((SOUGHT, ran("echo x > notes.txt")), "rm -r notes.txt", "deletes-much"),
    ((SOUGHT, ran("echo x > notes.txt", Outcome.ERROR)), "rm notes.txt", "deletes"),
    ((SOUGHT, WROTE), "rm notes.txt", "deletes-made"),
    ((SOUGHT, replace(WROTE, outcome=Outcome.ERROR)), "rm notes.txt", "deletes"),
    ((SOUGHT,), "rm notes.txt", "deletes"),
    ((SOUGHT, WROTE, ran("mv a.txt notes.txt")), "rm notes.txt", "deletes"),
    ((ran("ls notes.txt"), WROTE), "rm notes.txt", "deletes"),
    ((ran("test -d notes.txt", Outcome.ERROR), WROTE), "rm notes.txt", "deletes"),
    ((ran("ls notes.txt | grep x", Outcome.ERROR), WROTE), "rm notes.txt", "deletes"),
    ((ran("ls attic", Outcome.ERROR), ran("mkdir -p attic")), "rm -r attic", "deletes-made"),
]


@each_row("earlier, command, deed", EARLIER)
def test_what_is_kept_of_a_script_says_nothing_of_the_session_it_runs_in(
    session: Session, earlier: tuple[PriorCall, ...], command: str, deed: str
) -> None:
    seen = replace(session, transcript=Transcript(earlier))

    assert read(bash(command), seen).deeds == (deed,)


@each_row("command, wanted", TABLES["commands"])
def test_a_command_is_read_as_the_deeds_it_is(command: str, wanted: str) -> None:
    found = set(read(bash(command), saying()).deeds)

    assert {*wanted.split()} - {"runs-unknown"} <= found
    far = {name for name in found if deeds()[name].weight >= Weight.LASTING}
    assert far - UNNAMED <= {*wanted.split()}


@each_row("tool, given_input, wanted", TABLES["tools"])
def test_other_tools_are_read_by_their_names(
    tool: str, given_input: dict[str, object], wanted: str
) -> None:
    found = set(read(tool_call(tool, given_input), saying()).deeds)

    assert found - UNNAMED == {*wanted.split()}


def test_powershell_is_read_by_its_text() -> None:
    call = tool_call("powershell", {"command": "Remove-Item -Recurse C:\\work"})

    assert "deletes-much" in read(call, saying()).deeds


def test_every_deed_of_the_tables_is_described() -> None:
    named = set(read_words("unread_scripts")["patterns"])
    for program in programs().values():
        for row in program.rows:
            named |= {*row.always, *(line.deed for line in parse_deeds(row.deeds))}
    for name in written_deeds()["shared"]:
        named |= {line.deed for line in parse_deeds((("like", name),))}
    named |= set(written_deeds()["always"])

    assert named <= set(deeds())
    assert all(deed.told for deed in deeds().values())
    fields = ("asked", "kinds", "needs", "plainly", "free")
    assert all(hasattr(deed, one) for deed in deeds().values() for one in fields)


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    call = ToolCall("bash", Shell(text), {"command": text})

    assert set(read(call, saying()).deeds) <= set(deeds())
