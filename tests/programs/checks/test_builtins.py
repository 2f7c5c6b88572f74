"""Builtins of the shell: words that are only known when they run, and the list of builtins."""

import subprocess
from collections.abc import Callable, Mapping

import pytest

from automode.programs.table import family_names, programs
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]
BUILTINS = [name for name, family in family_names().items() if family == "bash_builtins"]


@pytest.mark.parametrize(
    "words",
    [
        (Word("["), Word("-v"), Word(HOLE, Origin.UNKNOWN), Word("]")),
        (Word("["), Word(HOLE, Origin.UNKNOWN), Word(HOLE, Origin.UNKNOWN), Word("]")),
        (Word("["), Word(HOLE, Origin.UNKNOWN, True), Word("="), Word("1"), Word("]")),
        (Word("[["), Word(HOLE, Origin.UNKNOWN), Word("-gt"), Word("1"), Word("]]")),
        (Word("export"), Word(HOLE, Origin.UNKNOWN)),
        (Word("read"), Word(HOLE, Origin.UNKNOWN)),
        (Word("printf"), Word(HOLE, Origin.UNKNOWN), Word("x")),
        (Word("trap"), Word(HOLE, Origin.UNKNOWN), Word("EXIT")),
        (Word("set"), Word(HOLE, Origin.UNKNOWN)),
        (Word("["), Word("*", Origin.GLOB), Word("]")),
        (Word("test"), Word("-?", Origin.GLOB)),
        (Word("exit"), Word(HOLE, Origin.UNKNOWN)),
        (Word("wait"), Word(HOLE, Origin.DERIVED)),
        (Word("jobs"), Word(HOLE, Origin.DERIVED)),
        (Word("ulimit"), Word(HOLE, Origin.DERIVED)),
        (Word("shopt"), Word(HOLE, Origin.DERIVED)),
        (Word("printf"), Word(f"a{HOLE}", Origin.DERIVED), Word("x")),
        (Word("printf"), Word("%d"), Word(HOLE, Origin.DERIVED)),
        (Word("getopts"), Word(HOLE, Origin.DERIVED, True), Word("x")),
    ],
)
def test_unknown_words_are_not_taken_for_harmless(words: tuple[Word, ...], use_of: UseOf) -> None:
    assert use_of(programs(), words).effect


@pytest.mark.parametrize(
    "words",
    [
        (Word("["), Word(HOLE, Origin.UNKNOWN), Word("="), Word(HOLE, Origin.UNKNOWN), Word("]")),
        (Word("echo"), Word(HOLE, Origin.UNKNOWN)),
        (Word("export"), Word(f"x={HOLE}", Origin.UNKNOWN)),
        (Word("set"), Word("--"), Word(HOLE, Origin.UNKNOWN)),
        (Word("["), Word("-f"), Word("*.py", Origin.GLOB), Word("]")),
        (Word("cd"), Word(HOLE, Origin.UNKNOWN)),
        (Word("type"), Word(HOLE, Origin.UNKNOWN)),
        (Word("exit"), Word(HOLE, Origin.DERIVED, plain=True)),
        (Word("wait"), Word(HOLE, Origin.DERIVED, plain=True)),
        (Word("printf"), Word(f"a{HOLE}", Origin.DERIVED)),
    ],
)
def test_unknown_values_that_stay_values_read(words: tuple[Word, ...], use_of: UseOf) -> None:
    assert use_of(programs(), words).effect is Effect.NONE


def test_every_builtin_of_bash_has_a_row_of_its_own() -> None:
    listed = subprocess.run(
        ["bash", "--norc", "-c", "compgen -b"], capture_output=True, text=True, check=True
    ).stdout.split()

    assert len(listed) > 50
    assert [name for name in listed if name not in programs()] == []


@pytest.mark.parametrize("name", sorted({*BUILTINS} - {"echo", ":", "true", "false"}))
def test_no_builtin_takes_any_option(name: str, use_of: UseOf) -> None:
    takes_text = name in ("printf", "test", "[", "[[", "getopts")
    assert takes_text or use_of(programs(), (Word(name), Word("-\x7f"))).effect
