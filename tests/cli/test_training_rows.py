"""`automode training-rows`: what is written is shown first, and written for its owner alone."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from automode.classifier.events import UserPrompt
from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.core.transcript import Outcome
from automode.evaluation.cases import ActionCase, load
from automode.sessions.transcript_text import call_text, event_text
from automode.store.changes import Heard
from automode.store.folder import StateFolder
from tests.cli.conftest import Run
from tests.cli.stored import keep, record

SESSION = SessionKey("pi", "7f00")
PUSH = json.dumps({"command": "git push origin main"})
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(autouse=True)
def store(state: StateFolder, a_person: None) -> None:
    """One call that a person rejected, and one that nobody looked at."""
    asked = replace(record(1, verdict=Verdict.ASK, session=SESSION), input=PUSH)
    keep(
        state,
        asked,
        record(2, session=SESSION),
        Heard(SESSION, event_text(UserPrompt(f"use {KEY} and fix it"), str)),
        Heard(SESSION, call_text("c1", "Bash", PUSH, Outcome.REJECTED)),
    )


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "rows.jsonl"


def test_what_a_person_rejected_is_told_and_written_without_secrets(
    automode: Run, out: Path
) -> None:
    refused = [
        automode("training-rows", "--out", str(out), *more, stdin="y\n")
        for more in ((), ("--json",))
    ]
    before = out.exists()
    result = automode("training-rows", "--out", str(out), "--yes")
    data = json.loads(automode("training-rows", "--out", str(out), "--yes", "--json").stdout)

    assert result.exit_code == 0, result.output
    (case,) = load(out).cases
    assert isinstance(case, ActionCase)
    assert (case.label, case.category) == ("block", "rejected")
    assert KEY not in out.read_text()
    assert out.stat().st_mode & 0o777 == 0o600
    for part in (f"labelled calls for {out}: 1", "messages, prior_calls", "nobody looked at them"):
        assert part in result.stdout
    assert (data["rows"], data["left_out"]) == (1, {"nobody_looked": 1})
    assert data["kinds"] == [{"category": "rejected", "label": "block", "rows": 1}]
    assert not before
    for one in refused:
        assert one.exit_code == 2
        assert "pass --yes" in one.stderr


def test_a_file_is_replaced_only_with_a_yes_and_never_through_a_link(
    automode: Run, out: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    out.symlink_to(other)

    before = set(os.listdir(tmp_path))
    refused = automode("training-rows", "--out", str(out))
    automode("training-rows", "--out", str(out), "--yes")

    assert (refused.exit_code, "is there already" in refused.stderr) == (2, True)
    assert other.read_text() == "mine"
    assert out.stat().st_mode & 0o777 == 0o600
    assert set(os.listdir(tmp_path)) == before


def test_where_nobody_said_anything_nothing_is_written(
    automode: Run, state: StateFolder, out: Path
) -> None:
    result = automode("--state-folder", f"{state.path}-new", "training-rows", "--out", str(out))

    assert result.exit_code == 1
    assert "no labelled call to write" in result.stdout
    assert not out.exists()
