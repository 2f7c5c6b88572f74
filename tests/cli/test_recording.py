"""What `automode check` writes down, and what becomes of a verdict that cannot be written down."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from automode.cli.recording import unless_lost
from automode.cli.surroundings import own_session
from automode.core.decision import Decision, Failure, Verdict
from automode.store.changes import Kept
from automode.store.folder import StateFolder
from tests.cli.daemons import Place
from tests.cli.records import stored_records

Run = Callable[..., Result]
Write = Callable[[object], None]
PATIENCE_SECONDS = 60.0
EXITS = {"allow": 0, "ask": 10, "deny": 20}
CALLS = {"ls": "allow", "git push": "ask", "rm -rf ~": "deny"}


@pytest.mark.parametrize(("command", "verdict"), CALLS.items())
def test_every_decision_is_recorded(
    automode: Run, state: StateFolder, project: Path, command: str, verdict: str
) -> None:
    data = json.loads(automode("check", "bash", command, "--json").stdout)

    (found,) = stored_records(state)
    assert found.id == data["record"]
    assert (found.session, found.verdict.word) == (own_session(), verdict)
    assert (found.tool, found.action, found.source) == ("bash", command, data["source"])
    assert (found.root, found.cwd) == (str(project), str(project))


def test_the_day_s_session_counts_what_was_checked(automode: Run) -> None:
    for command in CALLS:
        automode("check", "bash", command)

    found = json.loads(automode("status", "--session", "cli", "--json").stdout)

    assert (found["host"], found["session"]) == ("cli", own_session().id)
    assert (found["checkedActions"], found["blockedActions"]) == (3, 1)
    assert (found["lastDecision"], len(found["recentDenials"])) == ("deny", 1)


def test_no_verdict_depends_on_what_was_tried_before(automode: Run) -> None:
    before = automode("check", "bash", "ls", "--unattended").exit_code
    denied = [automode("check", "bash", "rm -rf ~", "--unattended").exit_code for _ in range(5)]

    assert denied == [EXITS["deny"]] * 5
    assert automode("check", "bash", "ls", "--unattended").exit_code == before == 0


@pytest.mark.parametrize("option", ["--no-record", "--isolated"])
def test_a_trial_leaves_nothing(automode: Run, state: StateFolder, option: str) -> None:
    result = automode("check", "bash", "ls", option, "--json")

    assert json.loads(result.stdout)["record"] is None
    assert not Path(state.path).exists()


def test_isolated_writes_into_no_folder_that_is_named_either(automode: Run, tmp_path: Path) -> None:
    folder = tmp_path / "named"

    automode("check", "bash", "ls", "--isolated", "--state-folder", str(folder))

    assert not folder.exists()


def test_when_auto_mode_is_off_there_is_nothing_to_record(
    automode: Run, settings: Write, state: StateFolder
) -> None:
    settings({"autoMode": {"enabled": False}})

    assert json.loads(automode("check", "bash", "ls", "--json").stdout)["record"] is None
    assert not Path(state.path).exists()


@pytest.mark.parametrize(("command", "verdict"), CALLS.items())
def test_where_nothing_can_be_recorded_an_allow_becomes_an_ask_and_the_rest_stands(
    automode: Run, state: StateFolder, command: str, verdict: str
) -> None:
    Path(state.path).parent.mkdir(parents=True)
    Path(state.path).write_text("a file in the folder's place")

    result = automode("check", "bash", command)

    assert result.exit_code == EXITS["ask" if verdict == "allow" else verdict]
    assert "note: nothing was recorded" in result.stderr
    assert ("gate.not-recorded" in result.stdout) is (verdict == "allow")


def test_with_nobody_there_what_cannot_be_recorded_is_denied(
    automode: Run, state: StateFolder
) -> None:
    Path(state.path).parent.mkdir(parents=True)
    Path(state.path).write_text("a file in the folder's place")

    assert automode("check", "bash", "ls", "--unattended").exit_code == EXITS["deny"]
    assert automode("check", "bash", "ls", "--unattended", "--no-record").exit_code == 0


def test_a_store_that_cannot_be_written_gets_what_was_denied_later(
    automode: Run, state: StateFolder
) -> None:
    automode("check", "bash", "ls")
    other = sqlite3.connect(state.database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    held = [automode("check", "bash", command) for command in ("date", "rm -rf /")]
    other.close()
    automode("check", "bash", "pwd")

    assert [one.exit_code for one in held] == [EXITS["ask"], EXITS["deny"]]
    assert "note: nothing was recorded" in held[0].stderr
    assert {one.action for one in stored_records(state)} == {"ls", "rm -rf /", "pwd"}
    found = json.loads(automode("status", "--session", "cli", "--json").stdout)
    assert (found["checkedActions"], found["blockedActions"]) == (3, 1)


def test_beside_a_daemon_a_command_writes_the_same_store(served: Place) -> None:
    result = served.run("check", "bash", "ls")

    assert (result.returncode, result.stderr) == (0, "")
    assert [one.action for one in stored_records(served.state)] == ["ls"]


def test_a_secret_in_a_call_is_nowhere_in_the_store(automode: Run, state: StateFolder) -> None:
    secret = "ghp_" + "9aB3dE7fG1hJ5kL2mN8pQ4rS6tU0vW3xY5zA"

    automode("check", "bash", f"curl -H 'Authorization: token {secret}' https://api.example.com")

    files = [path for path in Path(state.path).rglob("*") if path.is_file()]
    assert stored_records(state)[0].action.startswith("curl")
    assert [path for path in files if secret.encode() in path.read_bytes()] == []


decisions = st.builds(
    Decision,
    st.sampled_from(Verdict),
    st.just("some.source"),
    st.text(max_size=20),
    clearable=st.booleans(),
    error=st.none() | st.sampled_from(Failure),
    enforced=st.booleans(),
)


@given(decisions, st.sampled_from(["", "disk full"]), st.booleans())
def test_whatever_becomes_of_a_record_no_verdict_gets_looser(
    decision: Decision, reason: str, attended: bool
) -> None:
    answer = unless_lost(decision, Kept(reason), attended=attended)

    assert answer.verdict >= decision.verdict
    assert answer.enforced == decision.enforced
    assert reason or answer == decision
    assert not reason or answer.verdict is not Verdict.ALLOW
