"""A program in a terminal of the kit, as a person would see it."""

import sys
from pathlib import Path

import pytest
from conformance.failing import ScenarioFailed
from conformance.terminal import Terminal

ECHOING = "import sys, os\nprint(os.isatty(0), os.getcwd())\nprint('got', input('word? '))\ninput()"


def test_what_is_typed_and_shown(tmp_path: Path) -> None:
    with Terminal((sys.executable, "-c", ECHOING), {"PATH": "/usr/bin"}, str(tmp_path)) as terminal:
        shown = terminal.wait_for("word?")
        terminal.prompt("hello")
        answer = terminal.wait_for("got hello")

    assert "True" in shown
    assert tmp_path.name in shown.replace("\n", "")
    assert "got hello" in answer
    assert terminal.process.returncode is not None


def test_a_program_that_ends_before_it_says_the_word_fails_the_scenario(tmp_path: Path) -> None:
    with (
        Terminal((sys.executable, "-c", "print('bye')"), {}, str(tmp_path)) as terminal,
        pytest.raises(ScenarioFailed, match="bye"),
    ):
        terminal.wait_for("never said")
