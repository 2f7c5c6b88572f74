"""Code on a command line: words that are only known when they run."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.table import programs
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]


def words(*parts: str | Word) -> tuple[Word, ...]:
    return tuple(part if isinstance(part, Word) else Word(part) for part in parts)


@pytest.mark.parametrize(
    "given",
    [
        words("awk", Word(f"NR=={HOLE}", Origin.UNKNOWN), "a"),
        words("awk", "-v", Word(f"n={HOLE}", Origin.UNKNOWN, True), "{print}"),
        words("sed", "-n", Word(f"{HOLE},5p", Origin.UNKNOWN), "a"),
        words("sed", "-e", Word(f"{HOLE},5p", Origin.UNKNOWN), "a"),
        words("sed", "p", Word(HOLE, Origin.UNKNOWN)),
        words("sed", "-n", "-e", "p", Word(f"a{HOLE}", Origin.DERIVED, True)),
        words("jq", Word(f".[{HOLE}]", Origin.UNKNOWN), "a.json"),
        words("jq", "--arg", "x", Word(HOLE, Origin.UNKNOWN, True), "."),
        words("yq", Word(f".{HOLE}", Origin.UNKNOWN), "a.yaml"),
    ],
)
def test_unknown_code_is_not_taken_for_harmless(given: tuple[Word, ...], use_of: UseOf) -> None:
    assert use_of(programs(), given).effect is Effect.UNKNOWN


@pytest.mark.parametrize(
    "given",
    [
        words("awk", "{print}", Word(f"./{HOLE}", Origin.UNKNOWN, True)),
        words("sed", "-n", "p", Word(f"./{HOLE}", Origin.UNKNOWN)),
        words("jq", "--arg", "x", Word(HOLE, Origin.UNKNOWN), ".[$x]", "a.json"),
        words("python3", "-c", "print(1)", Word(HOLE, Origin.UNKNOWN)),
    ],
)
def test_unknown_words_that_stay_values_read(given: tuple[Word, ...], use_of: UseOf) -> None:
    assert use_of(programs(), given).effect is Effect.NONE


def test_a_file_that_is_not_known_may_be_a_connection(use_of: UseOf) -> None:
    given = words("awk", "{print}", Word(HOLE, Origin.DERIVED))
    assert use_of(programs(), given).effect is Effect.NETWORK


@pytest.mark.parametrize("program", ["gron", "xmllint"])
def test_a_word_that_is_not_known_may_be_an_address(program: str, use_of: UseOf) -> None:
    assert use_of(programs(), words(program, Word(f"http{HOLE}", Origin.DERIVED))).effect
    assert not use_of(programs(), words(program, Word(f"src/{HOLE}", Origin.DERIVED))).effect
