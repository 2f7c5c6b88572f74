"""Archives: words that are only known when they run, and what the old style of tar does."""

from collections.abc import Callable, Mapping

from automode.programs.table import programs
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]


def test_an_unknown_archive_may_be_on_another_machine(use_of: UseOf) -> None:
    words = (Word("tar"), Word("-tf"), Word(f"{HOLE}.tar", Origin.UNKNOWN))
    assert use_of(programs(), words).effect is Effect.NETWORK


def test_an_unpacked_archive_writes_also_in_the_old_style(use_of: UseOf) -> None:
    assert use_of(programs(), "tar xf a.tar").effect is Effect.WRITES
    assert use_of(programs(), "tar xf a.tar --frobnicate").effect is Effect.WRITES
    assert use_of(programs(), "tar tIf sh a.tar").effect is Effect.RUNS
