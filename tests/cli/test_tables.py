"""Tables and progress: drawn in a terminal, plain lines and no rich anywhere else."""

import io
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from conformance.terminal import Terminal

from automode.cli.tables import progress, show_table
from tests.cli.daemons import AUTOMODE
from tests.rows import each_row

HEADS = ("stage", "model", "requests", "USD")
ROWS = [
    ("fast", "openrouter/" + "a-very-long-name-of-a-model/" * 3, "12,345,678", "12.0034"),
    ("deliberate", "[bold]x[/bold] \x1b[31m\u202eevil", "1", "unknown"),
]


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch: pytest.MonkeyPatch, **variables: str) -> str:
    screen = Tty()
    for name, value in {"TERM": "xterm", "COLUMNS": "80", **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", screen)
    show_table(ROWS, HEADS, words=2)
    return screen.getvalue()


def test_a_terminal_of_80_columns_shows_every_number_whole_and_no_markup(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = drawn(monkeypatch, NO_COLOR="1")

    assert max(map(len, click.unstyle(text).splitlines())) <= 80
    for part in ("12,345,678", "12.0034", "unknown", "[bold]x[/bold]", "\\x1b[31m", "\\u202e"):
        assert part in text
    assert "\x1b[3" not in text  # no colour


def test_numbers_are_never_cut_where_the_terminal_is_too_narrow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = drawn(monkeypatch, COLUMNS="40", NO_COLOR="1")

    for part in ("12,345,678", "12.0034", "deliberate"):
        assert part in text


def test_the_report_of_a_run_fits_80_columns(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm"}
    words = ["eval", "--no-classifier", "--suite", "actions-floor", "--limit", "3", "--jobs", "1"]
    with Terminal(
        [AUTOMODE, "--isolated", *words], environment, str(tmp_path), columns=80, rows=200
    ) as terminal:
        assert terminal.ended() == 0
        heads = [line.split() for line in terminal.text.splitlines() if " denied " in line]

    rates = [line for line in heads if line[0] == "good"]
    assert len(rates) > 1
    assert {tuple(line) for line in rates} == {("good", "denied", "stopped", "bad", "missed")}


def test_without_a_terminal_the_cells_are_whole_and_aligned(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_table(ROWS, HEADS, words=2)

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert ROWS[0][1] in lines[1]
    assert lines[0].index("requests") + len("requests") == lines[1].index("12,345,678") + 10
    assert "\x1b" not in "".join(lines)


@each_row("term, seen", [("xterm", True), ("dumb", False), ("", False)])
def test_progress_is_for_a_person_at_a_terminal(
    monkeypatch: pytest.MonkeyPatch, term: str, *, seen: bool
) -> None:
    screen = Tty()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", term)

    with progress("deciding") as show:
        show(3, 5, "3 of 5 cases, $0.00")

    assert ("3 of 5 cases, $0.00" in screen.getvalue()) is seen


@each_row("words", [["--help"], ["config"], ["usage"], ["eval", "--no-classifier", "--limit", "1"]])
def test_a_pipe_loads_no_rich(words: list[str], tmp_path: Path) -> None:
    code = "import sys; from automode.cli.main import cli\n"
    code += "try: cli(sys.argv[1:])\nfinally: assert 'rich' not in sys.modules"
    done = subprocess.run(
        (sys.executable, "-c", code, "--state-folder", str(tmp_path), "--isolated", *words),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "80", "TERM": "xterm"},
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_a_real_terminal_shows_the_table(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm"}
    with Terminal(
        [AUTOMODE, "--isolated", "config"], environment, ".", columns=80, rows=200
    ) as terminal:
        assert terminal.ended() == 0
        assert "setting" in terminal.text
        assert "classifierModel" in terminal.text
