"""search: which command lines of search tools only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.search import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
pcre2grep -rn 'foo(?=bar)' src
pcregrep -e foo a.txt
grep -rn 'rm -rf' src
egrep -o 'a|b' a
zgrep x a.gz
rg --hidden -g '!node_modules' -tpy foo src
rg -nC3 foo
ag --hidden foo
ack --type=python foo
find . -name '*.py' -not -path './x/*'
find . -type f -newermt 2024-01-01 -printf '%p\n'
find -L . ( -name a -o -name b ) -prune -o -print
find . -size +1M -ls
fd -e py -t f pattern src
fdfind --hidden pattern
which -a python
whereis ls
command -v git psql
command -V git
man ls
man -k printf
man 3 printf
info ls
apropos -e printf
locate foo
""".strip().splitlines()
OTHERWISE = {
    Effect.RUNS: r"""
pcre2grep '(?C"/bin/sh|sh|-c|id")x' a
pcre2grep -e '(?C1)x' a
rg --pre cat foo
rg --hostname-bin x foo
rg -z foo
rg -iz foo
rg --search-zip foo
ag --pager sh foo
ack --pager=sh foo
find . -exec grep x {} +
find . -ok rm {} ;
find . -execdir sh -c id ;
fd -x rm
fd -X rm
fd --exec rm
fd --exec-batch rm
command git status
command -p ls
""".strip().splitlines(),
    Effect.WRITES: r"""
find . -delete
find . -samefile -delete
find . -fprint out
find . -fprintf out %p
find . -fls out
updatedb
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
pcre2grep -f patterns a
pcre2grep --file=patterns a
pcregrep -nfpatterns a
find . -frobnicate
rg --frobnicate foo
man -P sh ls
man -H ls
man ./evil.1
man --html=sh ls
info --output=out ls
""".strip().splitlines(),
    Effect.NETWORK: r"""
tldr tar
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


def test_an_unknown_starting_point_may_be_an_action(use_of: UseOf) -> None:
    words = (Word("find"), Word(HOLE, Origin.UNKNOWN), Word("-name"), Word("x"))
    assert use_of(PROGRAMS, words).effect is Effect.UNKNOWN


def test_an_unknown_value_of_a_test_reads(use_of: UseOf) -> None:
    words = (Word("find"), Word("."), Word("-name"), Word(HOLE, Origin.UNKNOWN))
    assert use_of(PROGRAMS, words).effect is Effect.NONE
