"""What a command says of itself."""

from dataclasses import replace

import pytest

from automode.shell.script import HOLE, Command, Word


@pytest.mark.parametrize(
    ("first", "program"),
    [("ls", "ls"), ("/usr/bin/ls", "ls"), ("./x/run.sh", "run.sh"), ("a/", "a/"), (HOLE, HOLE)],
)
def test_the_program_is_the_last_name_of_the_first_word(first: str, program: str) -> None:
    assert Command((Word(first), Word("-l"))).program == program


def test_a_command_without_words_has_no_program() -> None:
    assert Command(()).program == ""


def test_a_changed_command_has_the_program_of_its_new_words() -> None:
    changed = replace(Command((Word("ls"),)), words=(Word("/bin/rm"), Word("x")))

    assert changed.program == "rm"
    assert changed == Command((Word("/bin/rm"), Word("x")))
