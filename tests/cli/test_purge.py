"""`automode purge`: what was recorded goes, and a signed mark stays."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from automode.core.record import SessionKey
from automode.store.folder import StateFolder
from tests.cli.recorded import keep, needs_a_person, state_folder
from tests.cli.records import record
from tests.cli.terminal import Terminal

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


UNCLEAR = {
    (): "exactly one of --session, --before and --all",
    ("--all", "--session", "7f00"): "exactly one of",
    ("--session", "nobody"): "no session `nobody`",
    ("--before", "soon"): "no time: `soon`",
}


@pytest.mark.parametrize("words", UNCLEAR)
def test_what_is_not_clear_purges_nothing(
    automode: Run, state: StateFolder, words: tuple[str, ...]
) -> None:
    result = automode("purge", *words, "--yes")

    assert result.exit_code == 2
    assert UNCLEAR[words] in result.stderr
    assert len(json.loads(automode("audit", "list", "--json").stdout)) == 3


def test_with_nobody_at_the_terminal_it_needs_a_yes(automode: Run, state: StateFolder) -> None:
    result = automode("purge", "--all", stdin="y\n")

    assert result.exit_code == 2
    assert "--yes" in result.stderr
    assert len(json.loads(automode("audit", "list", "--json").stdout)) == 3


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


def test_an_agent_cannot_purge(
    automode: Run, state: StateFolder, config: Path, project: Path
) -> None:
    command = [sys.executable, "-m", "automode", "--config-folder", str(config)]
    command += ["--state-folder", state.path, "purge", "--all", "--yes"]

    result = subprocess.run(
        command, env=os.environ | {"CLAUDECODE": "1"}, capture_output=True, text=True, cwd=project
    )

    assert result.returncode == 2
    assert "only a person may do this" in result.stderr
    assert len(json.loads(automode("audit", "list", "--json").stdout)) == 3
