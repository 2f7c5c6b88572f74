"""editors: which command lines of editors only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.editors import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
vim --version
nano --help
code --list-extensions
""".strip().splitlines()
OTHERWISE = {
    Effect.WRITES: r"""
vim a.txt
ed a.txt
nano a.txt
""".strip().splitlines(),
    Effect.RUNS: r"""
nvim --headless +q
emacs --batch --eval '(x)'
code .
""".strip().splitlines(),
}


@pytest.mark.parametrize("line", READING)
def test_a_form_that_only_prints_reads(line: str, use_of: UseOf) -> None:
    assert use_of(PROGRAMS, line).effect is Effect.NONE


@pytest.mark.parametrize(
    ("effect", "line"), [(effect, line) for effect, lines in OTHERWISE.items() for line in lines]
)
def test_a_form_that_does_more_says_what(effect: Effect, line: str, use_of: UseOf) -> None:
    use = use_of(PROGRAMS, line)
    assert effect in use.effect
    assert use.why
