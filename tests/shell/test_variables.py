"""variables: which names are plain, and which values the others may have."""

import subprocess
import tomllib
from pathlib import Path

from automode.shell.script import HOLE, Assignment, Origin, Word
from automode.shell.variables import (
    PRESENTATION,
    harmless_assignment,
    only_presents,
    plain_name,
)
from tests.rows import each_row, either

ROWS = tomllib.loads(Path(__file__).with_name("rows.toml").read_text("utf-8"))


@each_row("name, plain", [("", False), *either("shell", "plain-names", "other-names")])
def test_names_of_a_script_s_own_are_plain_and_those_that_a_shell_or_a_program_reads_are_not(
    name: str, plain: bool
) -> None:
    assert plain_name(name) is plain


def test_no_variable_that_bash_itself_has_is_plain() -> None:
    """Apart from `_`, which holds the last word, and those that builtins fill with text."""
    listed = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", "compgen -v"],
        env={},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert len(listed) > 30
    assert [name for name in listed if plain_name(name) and name != "_"] == []


@each_row(
    "name, value, harmless",
    [
        ("LC_ALL", "C", True),
        ("LANG", "en_US.UTF-8", True),
        ("LC_ALL", "$(id)", False),
        ("SECONDS", "0", True),
        ("OPTIND", "1", True),
        ("RANDOM", "a[0]", False),
        ("RANDOM", None, False),
        ("COLUMNS", "a[$(id)]", False),
        ("PAGER", "cat", True),
        ("PAGER", "sh", False),
        ("TZ", "Europe/Berlin", True),
        ("TZ", "/etc/shadow", False),
        ("x", None, True),
        ("TMP", "C:/Users/dev/AppData/Local/Temp/agent/scratchpad", True),
        ("TMPDIR", "/private/tmp/x", True),
        ("TMPDIR", "/tmp/../home/u", False),
        ("TMPDIR", "/home/u/.ssh", False),
        ("TMPDIR", None, False),
        ("status", None, True),
        ("path", "/tmp", False),
    ],
)
def test_other_variables_may_have_few_values(name: str, value: str | None, harmless: bool) -> None:
    assert harmless_assignment(name, value) is harmless


def assignment(text: str) -> Assignment:
    name, _, value = text.partition("=")
    return Assignment(name, Word(value))


@each_row("text, presents", either("shell", "presents", "may-steer"))
def test_only_a_listed_variable_with_a_listed_value_merely_presents(
    text: str, presents: bool
) -> None:
    assert only_presents(assignment(text)) is presents


@each_row("name", PRESENTATION)
def test_a_value_that_is_not_written_out_proves_nothing(name: str) -> None:
    assert not only_presents(Assignment(name, Word(HOLE, Origin.DERIVED)))
    assert not only_presents(Assignment(name, Word(""), appends=True))
    assert not only_presents(Assignment(name, Word(""), array=True))
