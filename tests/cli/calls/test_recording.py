"""What `check` writes down, and what becomes of a verdict that cannot be written down."""

import json
import os
import sqlite3
import subprocess
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
from tests.cli.conftest import Run, Write
from tests.cli.daemons import AUTOMODE
from tests.cli.stored import stored_records
from tests.rows import each_row

EXITS = {"allow": 0, "ask": 10, "deny": 20}
VERDICT_OF = {"ls": "allow", "git push": "ask", "rm -rf ~": "deny"}


def test_every_decision_is_recorded_and_counted(
    automode: Run, state: StateFolder, project: Path
) -> None:
    told = [
        json.loads(automode("check", "bash", command, "--json").stdout) for command in VERDICT_OF
    ]
    day = json.loads(automode("status", "--session", "cli", "--json").stdout)

    found = stored_records(state)
    assert [one.id for one in found] == [one["record"] for one in told]
    assert [one.source for one in found] == [one["source"] for one in told]
    assert {one.action: one.verdict.word for one in found} == VERDICT_OF
    assert {(one.tool, one.session) for one in found} == {("bash", own_session())}
    assert {(one.root, one.cwd) for one in found} == {(str(project), str(project))}
    assert (day["host"], day["session"]) == ("cli", own_session().id)
    assert (day["checkedActions"], day["blockedActions"]) == (3, 1)
    assert (day["lastDecision"], len(day["recentDenials"])) == ("deny", 1)


def test_no_verdict_depends_on_what_was_tried_before(automode: Run) -> None:
    before = automode("check", "bash", "ls", "--unattended").exit_code
    denied = [automode("check", "bash", "rm -rf ~", "--unattended").exit_code for _ in range(5)]

    assert denied == [EXITS["deny"]] * 5
    assert automode("check", "bash", "ls", "--unattended").exit_code == before == 0


def test_a_trial_leaves_nothing(
    automode: Run, settings: Write, state: StateFolder, tmp_path: Path
) -> None:
    named = ("--isolated", "--state-folder", str(tmp_path / "named"))
    trials = [
        automode("check", "bash", "ls", "--json", *options)
        for options in (("--no-record",), ("--isolated",), named)
    ]
    settings({"autoMode": {"enabled": False}})
    trials.append(automode("check", "bash", "ls", "--json"))

    assert [json.loads(one.stdout)["record"] for one in trials] == [None] * 4
    assert not Path(state.path).exists()
    assert not (tmp_path / "named").exists()


@pytest.fixture
def unusable(state: StateFolder) -> None:
    Path(state.path).parent.mkdir(parents=True)
    Path(state.path).write_text("a file in the folder's place")


@pytest.mark.usefixtures("unusable")
def test_where_nothing_can_be_recorded_an_allow_becomes_an_ask_and_the_rest_stands(
    automode: Run,
) -> None:
    for command, verdict in VERDICT_OF.items():
        result = automode("check", "bash", command)

        assert result.exit_code == EXITS["ask" if verdict == "allow" else verdict]
        assert "note: nothing was recorded" in result.stderr
        assert ("gate.not-recorded" in result.stdout) is (verdict == "allow")
        assert ("clearable" in result.stdout) is (verdict != "allow")  # words mend no outage
    assert automode("check", "bash", "ls", "--unattended").exit_code == EXITS["deny"]
    assert automode("check", "bash", "ls", "--unattended", "--no-record").exit_code == 0


@pytest.mark.usefixtures("unusable")
def test_where_a_batch_cannot_be_recorded_it_is_not_decided(automode: Run) -> None:
    result = automode("check", "--batch", "-", "--record", stdin=CALLS)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot be made" in result.stderr


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


def test_a_batch_is_recorded_in_its_order_only_where_that_is_asked_for(
    automode: Run, state: StateFolder
) -> None:
    silent = automode("check", "--batch", "-", stdin=CALLS)
    before = Path(state.path).exists()
    recorded = automode("check", "--batch", "-", "--record", stdin=CALLS)

    assert verdicts(silent) == verdicts(recorded) == VERDICTS
    assert not before
    assert [one.action for one in stored_records(state)] == ["ls", "rm -rf ~", "git push"]
    assert {one.session for one in stored_records(state)} == {own_session()}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
def test_when_the_disk_fills_up_on_the_way_no_more_is_allowed(
    state: StateFolder, tmp_path: Path
) -> None:
    """A limit on the size of files stands for the full disk."""
    file = tmp_path / "calls.jsonl"
    file.write_text("".join(f'{{"id": {n}, "command": "ls {"x" * 5000}"}}\n' for n in range(600)))
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
    assert len(answers) == 600
    assert (answers[0]["verdict"], answers[-1]["verdict"]) == ("allow", "ask")
    assert answers[-1]["source"] == "gate.not-recorded"
    assert len(kept) >= sum(one["verdict"] == "allow" for one in answers)
    assert "note: nothing was recorded" in done.stderr


@pytest.mark.parametrize("options", [("--record",), ("--isolated",)], ids=" ".join)
def test_whoever_waits_for_an_answer_gets_it_at_once(
    state: StateFolder, options: tuple[str, ...]
) -> None:
    environment = {**os.environ, "XDG_STATE_HOME": str(Path(state.path).parent)}
    words = [AUTOMODE, "check", "--no-classifier", *options, "--batch", "-"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"id": 1, "command": "ls"}\n')
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        recorded = len(stored_records(state)) if "--record" in options else None
        process.stdin.write(b'{"id": 2, "command": "ls"}\n')
        process.stdin.close()
        second = json.loads(process.stdout.readline())

    assert (first["id"], first["verdict"], second["id"]) == (1, "allow", 2)
    assert recorded in (1, None)
    assert process.returncode == 0


PASSWORD, CLOUD = "s3cr3t-Passw0rd", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12"
GITHUB = "16C7e42F292c6912E7710c838347Ae178B4a"
SECRETS = [
    ("bash", "curl -H 'Authorization: Bearer ghp_{}' https://a.example", GITHUB),
    ("bash", "git clone https://me:{}@git.example/x", "hunter2-Correct9"),
    ("bash", "API_KEY={} make deploy", "a8f5f167f44f4964e6c998dee827110c"),
    ("bash", "mysql --password {} -e 'drop table x'", PASSWORD),
    ("bash", "export AWS_SECRET_ACCESS_KEY={} && terraform apply", CLOUD),
    ("bash", "aws configure set aws_secret_access_key {}", CLOUD),
    ("mcp__db__connect", '{{"host": "db.example", "password": "{}"}}', PASSWORD),
    ("write", '{{"path": "/etc/app.env", "content": "DB_PASSWORD={}"}}', PASSWORD),
]


@each_row("tool, text, secret", SECRETS)
def test_a_secret_is_neither_in_the_database_nor_in_the_outage_file(
    automode: Run, tmp_path: Path, tool: str, text: str, secret: str
) -> None:
    state = StateFolder(str(tmp_path / secret / "state"))
    broken = StateFolder(str(tmp_path / secret / "broken")).prepared()
    Path(broken.database).mkdir(exist_ok=True)
    words = ("check", tool, text.format(secret), "--json", "--no-classifier", "--state-folder")

    result = automode(*words, state.path)
    listed = json.loads(automode("audit", "list", "--json", "--state-folder", state.path).stdout)
    exported = automode("audit", "export", "--state-folder", state.path).stdout
    automode(*words, broken.path)

    assert result.exit_code in (0, 10, 20)
    assert "[secret:" in listed[0]["input"]
    assert secret not in exported
    files = [path for path in (tmp_path / secret).rglob("*") if path.is_file()]
    assert [path for path in files if secret.encode() in path.read_bytes()] == []
