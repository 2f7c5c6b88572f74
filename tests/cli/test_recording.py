"""What `check` writes down, and what becomes of a verdict that cannot be written down."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st

from automode.cli.calls.deciding import unless_lost
from automode.cli.options import own_session
from automode.core.decision import Decision, Failure, Verdict
from automode.store.changes import Kept
from automode.store.folder import StateFolder
from tests.cli.daemons import AUTOMODE, Place
from tests.cli.records import state_folder, stored_records

Run = Callable[..., Result]
Write = Callable[[object], None]
PATIENCE_SECONDS = 60.0
EXITS = {"allow": 0, "ask": 10, "deny": 20}
VERDICT_OF = {"ls": "allow", "git push": "ask", "rm -rf ~": "deny"}


@pytest.mark.parametrize(("command", "verdict"), VERDICT_OF.items())
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
    for command in VERDICT_OF:
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


@pytest.mark.parametrize(("command", "verdict"), VERDICT_OF.items())
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


CALLS = '{"command": "ls"}\n{"command": "rm -rf ~"}\nnonsense\n{"command": "git push"}\n'
VERDICTS = ["allow", "deny", "deny", "ask"]


def verdicts(result: Result) -> list[str]:
    return [json.loads(line)["verdict"] for line in result.stdout.splitlines()]


def test_a_batch_is_not_recorded_by_itself(automode: Run, state: StateFolder) -> None:
    assert verdicts(automode("check", "--batch", "-", stdin=CALLS)) == VERDICTS
    assert not Path(state.path).exists()


def test_with_record_every_decision_of_a_batch_is_kept_in_its_order(
    automode: Run, state: StateFolder
) -> None:
    result = automode("check", "--batch", "-", "--record", stdin=CALLS)

    assert verdicts(result) == VERDICTS
    assert [one.action for one in stored_records(state)] == ["ls", "rm -rf ~", "git push"]
    assert {one.session for one in stored_records(state)} == {own_session()}


def test_a_long_batch_is_recorded_whole(automode: Run, state: StateFolder, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text("".join(f'{{"id": {n}, "command": "ls"}}\n' for n in range(1203)))

    lines = automode("check", "--batch", str(file), "--record").stdout.splitlines()

    assert [json.loads(line)["id"] for line in lines] == list(range(1203))
    assert len(stored_records(state)) == 1203


def test_where_a_batch_cannot_be_recorded_it_is_not_decided(
    automode: Run, state: StateFolder
) -> None:
    Path(state.path).parent.mkdir(parents=True)
    Path(state.path).write_text("a file in the folder's place")

    result = automode("check", "--batch", "-", "--record", stdin=CALLS)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot be made" in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
def test_when_the_disk_fills_up_on_the_way_no_more_is_allowed(
    state: StateFolder, tmp_path: Path
) -> None:
    """A limit on the size of files stands for the full disk."""
    file = tmp_path / "calls.jsonl"
    file.write_text("".join(f'{{"id": {n}, "command": "ls {"x" * 900}"}}\n' for n in range(3000)))
    limited = f"ulimit -f 4096; exec {AUTOMODE} check --no-classifier --record --batch {file}"

    done = subprocess.run(
        ["bash", "-c", f"trap '' XFSZ; {limited}"],
        capture_output=True,
        text=True,
        env={**os.environ, "XDG_STATE_HOME": str(Path(state.path).parent)},
        check=False,
    )

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    kept = {one.id for one in stored_records(state)}
    assert len(answers) == 3000
    assert (answers[0]["verdict"], answers[-1]["verdict"]) == ("allow", "ask")
    assert answers[-1]["source"] == "gate.not-recorded"
    assert len(kept) >= sum(one["verdict"] == "allow" for one in answers)
    assert "note: nothing was recorded" in done.stderr


def test_whoever_waits_for_an_answer_gets_it_at_once(state: StateFolder) -> None:
    process = subprocess.Popen(
        [AUTOMODE, "check", "--no-classifier", "--record", "--batch", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "XDG_STATE_HOME": str(Path(state.path).parent)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"command": "ls"}\n')
    process.stdin.flush()

    answer = json.loads(process.stdout.readline())
    recorded = [one.action for one in stored_records(state)]
    process.stdin.close()

    assert (answer["verdict"], recorded) == ("allow", ["ls"])
    assert process.wait() == 0
    process.stdout.close()


SECRETS = {
    "a token in a header": (
        "bash",
        "curl -H 'Authorization: Bearer ghp_{}' https://a.example",
        "16C7e42F292c6912E7710c838347Ae178B4a",
    ),
    "a password in an address": (
        "bash",
        "git clone https://me:{}@git.example/x",
        "hunter2-Correct9",
    ),
    "an assignment": ("bash", "API_KEY={} make deploy", "a8f5f167f44f4964e6c998dee827110c"),
    "an option": ("bash", "mysql --password {} -e 'drop table x'", "s3cr3t-Passw0rd"),
    "a cloud key": (
        "bash",
        "export AWS_SECRET_ACCESS_KEY={} && terraform apply",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12",
    ),
    "a configured key": (
        "bash",
        "aws configure set aws_secret_access_key {}",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12",
    ),
    "a field of a tool": (
        "mcp__db__connect",
        '{{"host": "db.example", "password": "{}"}}',
        "s3cr3t-Passw0rd",
    ),
    "a file that is written": (
        "write",
        '{{"path": "/etc/app.env", "content": "DB_PASSWORD={}"}}',
        "s3cr3t-Passw0rd",
    ),
}


def found_in(folder: Path, secret: str) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in files if secret.encode() in path.read_bytes()]


@pytest.mark.parametrize(("tool", "text", "secret"), SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_is_not_in_the_database(
    automode: Run, tmp_path: Path, tool: str, text: str, secret: str
) -> None:
    result = automode("check", tool, text.format(secret), "--json")
    listed = json.loads(automode("audit", "list", "--json").stdout)

    assert result.exit_code in (0, 10, 20)
    assert len(listed) == 1
    assert "[secret:" in listed[0]["input"]
    assert found_in(tmp_path / "state", secret) == []
    assert secret not in automode("audit", "export").stdout


@pytest.mark.parametrize(("tool", "text", "secret"), SECRETS.values(), ids=SECRETS.keys())
def test_a_secret_is_not_in_the_outage_file(
    automode: Run, tmp_path: Path, tool: str, text: str, secret: str
) -> None:
    state = state_folder(tmp_path)
    Path(state.database).mkdir()

    automode("check", tool, text.format(secret), "--json", "--no-classifier")

    assert found_in(tmp_path / "state", secret) == []
