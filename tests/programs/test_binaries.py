"""binaries: which command lines of binary tools only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.binaries import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
nm -gU a.o
nm --demangle a.o
objdump -d a.o
objdump -d --section=.text a.o
readelf -a a.o
size a.o
otool -L a.out
c++filt _Z1fv
lipo -info a.out
lipo -archs a.out
vtool -show a.out
dwarfdump --uuid a.out
""".strip().splitlines()
OTHERWISE = {
    Effect.RUNS: r"""
nm --plugin x.so a.o
""".strip().splitlines(),
    Effect.WRITES: r"""
lipo -extract arm64 a.o -output b.o
lipo -create a b -output c
vtool -set-build-version macos 1 2 a.out
dsymutil a.out
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
dwarfdump --out-file=x a.out
objdump --frob a.o
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
