"""What was written in this session and is executed is noted, and then no allow rule clears it."""

import asyncio
from pathlib import Path

import pytest

from automode.assemble import build_gate
from automode.config.settings import Permissions, Rule, Settings, Source
from automode.core.decision import Remark
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.core.transcript import Entry, Outcome, PriorCall, Transcript
from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names, OneLook
from automode.guards.session_files import (
    MARK,
    PRIOR_CALLS,
    WHOLE,
    SessionFiles,
    WrittenPaths,
    executed_files,
    run_files,
    written_by,
)
from tests.reading import READER, facts_of
from tests.rows import each_row, either, texts

LAYER = SessionFiles()
WORK = Workspace("/w/project", "/w/project", "/home/u", Names("/w/project"))


def wrote(path: str, outcome: Outcome | None = Outcome.OK) -> PriorCall:
    return PriorCall("Write", {"file_path": path, "content": "…"}, outcome)


def ran(command: str, outcome: Outcome | None = Outcome.OK) -> PriorCall:
    return PriorCall("Bash", {"command": command}, outcome)


def executed(command: str, *before: Entry, workspace: Workspace = WORK) -> tuple[str, ...]:
    session = Session("s", workspace, transcript=Transcript(before))
    return executed_files(facts_of(tool_call("bash", {"command": command}), session), session)


EXECUTED = either("guards", "session-files-file-this-session", "session-files-other-commands-do")


@each_row("written, command, executes", EXECUTED)
def test_a_file_of_this_session_is_seen_to_be_executed_and_other_commands_do_not(
    written: str, command: str, executes: bool
) -> None:
    assert bool(executed(command, wrote(written))) is executes


@each_row("script", texts("guards", "session-files-files-scripts-wrote"))
def test_files_that_scripts_wrote_count(script: str) -> None:
    assert executed("bash x.sh", ran(script)) == ("/w/project/x.sh",)


def test_a_script_that_writes_and_executes_in_one_go_counts() -> None:
    assert executed("echo hello > x.sh && chmod +x x.sh && ./x.sh") == ("/w/project/x.sh",)


@each_row(
    "outcome, counts",
    [(Outcome.DENIED, False), (Outcome.REJECTED, False), (None, True), (Outcome.ERROR, True)],
)
def test_a_call_that_never_ran_wrote_nothing_and_one_that_failed_may_have(
    outcome: Outcome | None, counts: bool
) -> None:
    before = (wrote("x.sh", outcome), ran("echo > x.sh", outcome))

    assert bool(executed("bash x.sh", *before)) is counts


def test_removing_and_unreadable_calls_write_nothing() -> None:
    before = (ran("rm -f x.sh"), ran("mv x.sh y"), PriorCall("Bash", {}), PriorCall("Write", {}))

    assert executed("bash x.sh", *before) == ()


def test_edits_patches_and_windows_scripts_are_read_too() -> None:
    patch = "*** Begin Patch\n*** Update File: x.sh\n@@\n-a\n+b\n*** End Patch"

    assert executed("bash x.sh", PriorCall("apply_patch", {"input": patch}))
    assert executed("bash x.sh", PriorCall("Edit", {"file_path": "/w/project/x.sh"}))
    assert executed("bash x.sh", PriorCall("powershell", {"command": "Get-Item a"})) == ()


def test_a_relative_path_may_have_meant_the_project_or_the_folder_of_now() -> None:
    below = Workspace("/w/project", "/w/project/sub", "/home/u", Names("/w/project"))

    assert executed("bash ../x.sh", wrote("x.sh"), workspace=below) == ("/w/project/x.sh",)
    assert executed("bash x.sh", ran("echo > x.sh"), workspace=below) == ("/w/project/sub/x.sh",)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real.sh").write_text("echo")
    (tmp_path / "link.sh").symlink_to(tmp_path / "real.sh")
    workspace = Workspace(str(tmp_path), str(tmp_path), "/home/u", Disk())

    assert executed("bash link.sh", wrote("real.sh"), workspace=workspace)
    assert executed("bash real.sh", wrote("link.sh"), workspace=workspace)


def test_what_a_seen_call_writes_follows_the_disk_of_now(tmp_path: Path) -> None:
    (tmp_path / "real.sh").write_text("echo")

    def wrote_now() -> tuple[set[str], tuple[str, ...]]:
        place = Workspace(str(tmp_path), str(tmp_path), "/home/u", OneLook())
        writes = facts_of(tool_call("bash", {"command": "echo ls > link.sh"}), place)
        runs = facts_of(tool_call("bash", {"command": "echo ls > link.sh; bash real.sh"}), place)
        return set(written_by(writes)), executed_files(runs, Session("s", place))

    before, again = wrote_now(), wrote_now()
    (tmp_path / "link.sh").symlink_to(tmp_path / "real.sh")
    after = wrote_now()

    link, real = str(tmp_path / "link.sh").casefold(), str(tmp_path / "real.sh").casefold()
    assert before == again == ({link}, ())
    assert after == ({link, real}, (str(tmp_path / "link.sh"),))


def test_only_the_newest_calls_are_looked_at() -> None:
    later = [ran("true")] * PRIOR_CALLS

    assert executed("bash x.sh", wrote("x.sh"), *later) == ()
    assert executed("bash x.sh", wrote("x.sh"), *later[1:])


def test_older_long_scripts_are_searched_for_what_looks_like_a_target() -> None:
    long = [ran(f"cat > '{number}.sh' <<'EOF'\n{'echo' * 500}\nEOF") for number in range(60)]

    assert executed("bash 0.sh; bash 59.sh; bash 60.sh", *long) == (
        "/w/project/0.sh",
        "/w/project/59.sh",
    )


def test_calls_of_other_tools_execute_nothing() -> None:
    session = Session("s", WORK, transcript=Transcript((wrote("x.sh"),)))

    assert executed_files(facts_of(tool_call("read", {"path": "x.sh"}), session), session) == ()


@pytest.mark.parametrize(
    ("command", "source"), [("bash x.sh", "gate.undecided"), ("bash y.sh", "rules.allow")]
)
def test_the_assembled_gate_hears_no_allow_rule_for_it(command: str, source: str) -> None:
    rules = (Rule("bash(bash x.sh)", Source.USER), Rule("bash(bash y.sh)", Source.USER))
    gate = build_gate(Settings(permissions=Permissions(allow=rules)), reader=READER)
    session = Session("s", WORK, transcript=Transcript((wrote("x.sh"),)))

    decision = asyncio.run(gate.decide(tool_call("bash", {"command": command}), session))

    assert decision is not None
    assert decision.source == source


def test_the_remark_names_the_file() -> None:
    session = Session("s", WORK, transcript=Transcript((wrote("x.sh"),)))
    call = tool_call("bash", {"command": "bash x.sh"})

    text = "executes what was written in this session: `/w/project/x.sh`"
    assert asyncio.run(LAYER(facts_of(call, session), session, ())) == Remark(
        "session-files", MARK, text
    )
    assert asyncio.run(LAYER(facts_of(call, WORK), Session("t", WORK), ())) is None


def test_paths_of_a_project_that_programs_look_for_are_those_that_a_search_finds() -> None:
    kept = WrittenPaths(4)
    for name in ("conftest.py", "a.txt", "sub/Makefile", "package.json", "a.txt", "conftest.py"):
        kept[f"/w/project/{name}".casefold()] = f"/w/project/{name}"
    kept.update({"/w/project/makefile": "/w/project/Makefile"})  # the oldest of them goes
    for script in ("make", "npm test", "pytest", "python -m pytest", "npx jest"):
        command = READER.full(script, WORK).commands[0]
        found, searched = (
            list(run_files(command, [command], one, WORK)) for one in (kept, {**kept})
        )
        assert found == searched
    command = READER.full("make", WORK).commands[0]
    assert [*run_files(command, [command], kept, WORK)] == ["/w/project/Makefile"]


AFTER_CONFINED = {
    "mkdir out && cp a.txt out/": False,
    "rm out/a.txt; ls": False,
    "git add -A": True,  # the watcher of a planted repository
    "git switch topic": True,
    "git commit -m x": True,
    "(cd s1; rustc -V)": True,  # a planted toolchain
    "poetry show": True,
    "ls && ./x": True,
    "x() { git add .; }; x": True,
}


@pytest.mark.parametrize(("command", "marked"), AFTER_CONFINED.items())
def test_after_a_confined_call_only_plain_programs_run_nothing_of_the_workspace(
    command: str, marked: bool
) -> None:
    whole = f"{WORK.root}{WHOLE}"
    session = Session("s", WORK, written_around={whole.casefold(): whole})

    found = executed_files(facts_of(tool_call("bash", {"command": command}), WORK), session)

    assert found == ((whole,) if marked else ())
