"""The answers of a batch: recorded only when that is asked for, and then before they are given."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from automode.cli.surroundings import own_session
from automode.store.folder import StateFolder
from tests.cli.daemons import AUTOMODE
from tests.cli.records import stored_records

Run = Callable[..., Result]
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


@pytest.mark.parametrize("words", [("bash", "ls"), ("--batch", "-", "--no-record")])
def test_record_is_for_batches_alone(automode: Run, words: tuple[str, ...]) -> None:
    result = automode("check", "--record", *words, stdin="")

    assert result.exit_code == 2
    assert "--record is for batches" in result.stderr


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
