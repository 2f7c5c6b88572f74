"""Text tools: words that are only known when they run, and what is fed to them."""

from collections.abc import Callable, Mapping

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.table import programs
from automode.programs.use import Effect, Invocation, Judge, Use
from automode.shell.script import HOLE, Command, Origin, Redirect, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

PERHAPS_SEVERAL = [
    Word("*.txt", Origin.GLOB),
    Word("a*", Origin.GLOB),
    Word("./*", Origin.GLOB),
    Word("data/*", Origin.GLOB),
    Word(f"{HOLE}/*", Origin.UNKNOWN, plain=True),
    Word(HOLE, Origin.DERIVED, splits=True, plain=True),
]


@pytest.mark.parametrize("program", ["uniq", "xxd"])
@pytest.mark.parametrize("word", PERHAPS_SEVERAL)
def test_an_operand_may_bring_the_file_that_is_written(
    program: str, word: Word, use_of: UseOf
) -> None:
    assert use_of(programs(), (Word(program), word)).effect


@pytest.mark.parametrize("line", ["less -N", "less +/a", "more +/a"])
def test_a_line_break_ends_the_search_a_pager_starts_with(line: str, use_of: UseOf) -> None:
    words = (*(Word(w) for w in line.split()[:-1]), Word(line.split()[-1] + "\n!id"), Word("a"))
    assert use_of(programs(), words).effect is Effect.UNKNOWN


FED_TO_DC = [
    Command((Word("dc"), Word("-e"), Word("1p")), position=1),
    Command((Word("dc"), Word("-e"), Word("1p")), fed="!id"),
    Command((Word("dc"), Word("-e"), Word("1p")), redirects=(Redirect("<", Word("a")),)),
]


@pytest.mark.parametrize("command", FED_TO_DC)
def test_what_dc_reads_from_its_input_is_a_program(command: Command) -> None:
    workspace = Workspace("/p", "/p", "/home/ada", Names("/p"))
    use = programs()["dc"](Invocation("dc", command.args, command, workspace))
    assert use.effect is Effect.RUNS


def test_an_unquoted_expansion_may_bring_an_option_along(use_of: UseOf) -> None:
    words = (Word("sort"), Word(f"dir/{HOLE}", Origin.UNKNOWN, splits=True))
    assert use_of(programs(), words).effect is Effect.UNKNOWN


def test_a_quoted_expansion_that_cannot_be_an_option_reads(use_of: UseOf) -> None:
    words = (Word("sort"), Word(f"dir/{HOLE}", Origin.UNKNOWN))
    assert use_of(programs(), words).effect is Effect.NONE
