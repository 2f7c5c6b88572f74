"""`automode doctor`: what it prints, and how it ends."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from automode.cli.doctor import show, summary, with_folders
from automode.cli.options import Surroundings
from automode.doctor.finding import Finding, fine, problem, warning
from tests.cli.daemons import Place
from tests.cli.daemons import place as place_of_its_own
from tests.rows import each_row

WIDTH = 80


@pytest.fixture
def alone() -> Iterator[tuple[Place, dict[str, str]]]:
    """An account without agents, and the variables that lead there."""
    with place_of_its_own() as found:
        home = Path(found.config).parent / "home"
        home.mkdir()
        variables = {"HOME": str(home), "PATH": os.defpath, "COLUMNS": str(WIDTH)}
        cleared = {"CLAUDE_CONFIG_DIR": "", "PI_CODING_AGENT_DIR": ""}
        yield found, variables | cleared


def test_that_no_agent_is_gated_is_one_problem(
    alone: tuple[Place, dict[str, str]],
) -> None:
    place, variables = alone
    folder = Path(place.config).parent

    done = place.run("doctor", variables=variables)

    assert sorted(path.name for path in folder.rglob("*")) == [".git", "config", "home", "project"]
    assert done.returncode == 1, done.stdout + done.stderr
    marked = [line for line in done.stdout.splitlines() if line.startswith(("WARN", "PROB"))]
    assert marked == ["WARN     daemon", "PROBLEM  agents"]
    assert "1 problem" in done.stdout.splitlines()[-1]


def test_an_agent_that_is_not_gated_is_a_problem(alone: tuple[Place, dict[str, str]]) -> None:
    place, variables = alone
    programs = Path(place.config).parent / "bin"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\necho '2.1.325 (Claude Code)'\n")
    (programs / "claude").chmod(0o755)
    path = {"PATH": f"{programs}:{os.defpath}"}

    done = place.run("doctor", "claude", "--no-start", "--json", variables=variables | path)

    assert done.returncode == 1
    told = json.loads(done.stdout)
    found = {one["check"]: one for one in told["findings"]}
    assert told["sound"] is False
    assert found["claude-code: registered"]["level"] == "problem"
    options = f"--state-folder {place.state.path} --config-folder {place.config}"
    assert found["claude-code: registered"]["fix"] == f"automode {options} install claude-code"
    assert "NOT TRIED" in found["claude-code: fires"]["says"]
    assert not any(name.startswith("pi") for name in found)


def test_it_can_be_read_at_80_columns_without_colour(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))

    show([fine("a", "word " * 40), warning("b", "w " * 90, "automode x"), problem("c", "d", "e")])

    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines) <= WIDTH
    assert [line[:9].strip() for line in lines if line[:1] != " " and line] == [
        "ok",
        "WARN",
        "PROBLEM",
        "1 problem",
    ]


def test_what_others_wrote_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show([problem("a", "\x1b[2Jgone\nok all is well", "\x07automode x")])

    told = capsys.readouterr().out
    assert "\x1b[2J" not in told
    assert "\x07" not in told
    assert "\nok all" not in told


SUMMARIES = {
    "everything is in order": [fine("a", "")],
    "1 problem, 0 warnings": [problem("a", "", "x")],
    "0 problems, 2 warnings": [warning("a", ""), warning("b", "")],
}


@each_row("text, found", SUMMARIES.items())
def test_the_last_line_counts(text: str, found: list[Finding]) -> None:
    assert summary(found) == text


FIXES = {
    "no folder was named": (Surroundings(), "automode daemon start", "automode daemon start"),
    "a folder was named": (
        Surroundings(state_folder="/s t"),
        "automode daemon start",
        "automode --state-folder '/s t' daemon start",
    ),
    "not ours": (Surroundings(state_folder="/s"), "claude update", "claude update"),
}


@each_row("given, fix, expected", FIXES.values())
def test_what_mends_it_means_the_same_folders(given: Surroundings, fix: str, expected: str) -> None:
    assert with_folders(warning("a", "b", fix), given).fix == expected
