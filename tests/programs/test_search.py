"""Search tools: words that are only known when they run."""

from collections.abc import Callable, Mapping

from automode.programs.table import programs
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]


def test_an_unknown_starting_point_may_be_an_action(use_of: UseOf) -> None:
    words = (Word("find"), Word(HOLE, Origin.UNKNOWN), Word("-name"), Word("x"))
    assert use_of(programs(), words).effect is Effect.UNKNOWN


def test_an_unknown_value_of_a_test_reads(use_of: UseOf) -> None:
    words = (Word("find"), Word("."), Word("-name"), Word(HOLE, Origin.UNKNOWN))
    assert use_of(programs(), words).effect is Effect.NONE


def test_a_looked_up_name_may_be_known_only_when_it_runs(use_of: UseOf) -> None:
    words = (Word("command"), Word("-v"), Word(HOLE, Origin.UNKNOWN))
    assert use_of(programs(), words).effect is Effect.NONE


def test_an_unknown_pattern_may_call_a_program(use_of: UseOf) -> None:
    words = (Word("pcre2grep"), Word(f"x{HOLE}", Origin.UNKNOWN), Word("a"))
    assert use_of(programs(), words).effect is Effect.UNKNOWN


def test_a_pattern_for_names_in_the_value_of_an_option_reads(use_of: UseOf) -> None:
    words = (Word("grep"), Word("-rn"), Word("x"), Word("--include=*.go", Origin.GLOB))
    assert use_of(programs(), words).effect is Effect.NONE
    assert use_of(programs(), (*words, Word("--frobnicate"))).effect is Effect.UNKNOWN
