"""Recorded decisions: shown, and deleted by `automode purge`."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from automode.cli.records.audit import note_waiting
from automode.core.record import SessionKey
from automode.store.folder import StateFolder
from tests.cli.records import keep, needs_a_person, record, state_folder
from tests.cli.terminal import Terminal


def test_decisions_of_an_outage_are_said_to_be_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = StateFolder(str(tmp_path)).prepared()
    note_waiting(folder)
    before = capsys.readouterr().err
    Path(folder.outage).write_text("{}")

    note_waiting(folder)

    assert before == ""
    assert "are not written yet" in capsys.readouterr().err


Run = Callable[..., Result]
OTHER = SessionKey("codex", "7f00")
DAY = 86_400.0


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    folder = state_folder(tmp_path)
    needs_a_person(folder)
    old = replace(record(1), at=1_700_000_000.0)
    keep(folder, old, record(2, session=OTHER, action="unmistakable"), record(3))
    return folder


PURGES = {
    ("--session", "7f00"): ({"removed": 0, "emptied": 1, "sessions": 1}, 4),
    ("--before", "2024-01-01"): ({"removed": 1, "emptied": 0, "sessions": 0}, 3),
    ("--all",): ({"removed": 3, "emptied": 0, "sessions": 2}, 1),
}
"""What is told, and how many records are there afterwards: the purge itself is one."""


@pytest.mark.parametrize("words", PURGES)
def test_what_is_named_goes_and_the_chain_stays_sound(
    automode: Run, state: StateFolder, words: tuple[str, ...]
) -> None:
    answer, left = PURGES[words]

    purged = automode("purge", *words, "--yes", "--json")
    verified = json.loads(automode("audit", "verify", "--json").stdout)

    assert purged.exit_code == 0, purged.output
    assert json.loads(purged.stdout) == answer
    assert (verified["sound"], verified["chains"][0]["records"]) == (True, left)
    assert "purged" in verified["chains"][0]["marks"][-1]["why"]


def test_people_are_told_what_went(automode: Run, state: StateFolder) -> None:
    text = automode("purge", "--session", "codex/7f00", "--yes").stdout

    assert "purged: session codex/7f00 and its sub-sessions" in text
    assert "0 records are gone, 1 emptied" in text


def test_databases_that_were_moved_aside_go_with_everything(
    automode: Run, state: StateFolder
) -> None:
    aside = Path(f"{state.database}.corrupt-2026")
    aside.write_text("unmistakable")

    automode("purge", "--session", "7f00", "--yes")
    kept = aside.exists()
    automode("purge", "--all", "--yes")

    assert kept
    assert not aside.exists()
    files = [path for path in Path(state.path).rglob("*") if path.is_file()]
    assert not [path for path in files if b"unmistakable" in path.read_bytes()]


@pytest.mark.parametrize(("typed", "left"), [("y\r", 1), ("n\r", 3), ("\r", 3)])
def test_a_person_at_a_terminal_is_asked(
    automode: Run, state: StateFolder, config: Path, project: Path, typed: str, left: int
) -> None:
    command = [sys.executable, "-m", "automode", "--config-folder", str(config)]
    command += ["--state-folder", state.path, "purge", "--all"]

    with Terminal(command, os.environ | {"TERM": "xterm"}) as terminal:
        terminal.wait_for(lambda text: "It cannot be undone. [y/N]" in text)
        terminal.type(typed)
        terminal.wait_for(
            lambda text: "purged: everything" in text or "nothing was deleted" in text
        )

    assert len(json.loads(automode("audit", "list", "--json").stdout)) == left
