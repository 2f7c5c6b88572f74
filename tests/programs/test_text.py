"""text: which command lines of text tools only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.text import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
cat -n a.txt b.txt
head -20 a.txt
tail -f log.txt
wc -l a.txt
ls -la src
cut -d: -f1 /etc/passwd
tr -d '\n'
sort -t, -k2,2n -u a.csv
sort --buffer-size=100M --parallel=2 a.txt
sort --rev a.txt
uniq -c
uniq -d a.txt
diff -u a b
diff --color=always -r a b
tree -L 2 -I node_modules src
file -b --mime-type a.bin
less -N a.txt
less +G a.txt
more +12 a.txt
shuf -n 3 a.txt
xxd -l 100 a.bin
base64 -d a.txt
base64 --decode
strings -n 8 a.bin
iconv -f latin1 -t utf-8 a.txt
date
date +%F
date -u -d '1 day ago' +%s
date -j -f %Y 2020
tee
tee /dev/stderr
dc -e '2 3 + p'
stty -a
bc -l
du -sh .
df -h
eza --tree
""".strip().splitlines()
OTHERWISE = {
    Effect.WRITES: r"""
sort -o out a.txt
sort -uo out a.txt
sort --outp=out a.txt
uniq a.txt out
tree -o out
file -C -m magic
less -o log a.txt
shuf a.txt -o out
xxd a.bin out
base64 --output out.bin
base64 -o out.bin
iconv -o out a.txt
tee out
tee -a out
split -l 10 a.txt
csplit a.txt 10
""".strip().splitlines(),
    Effect.RUNS: r"""
sort --compress-prog=sh a.txt
diff -l a b
dc
dc -e '!id'
""".strip().splitlines(),
    Effect.SYSTEM: r"""
date -s 12:00
date 01020304
stty -echo
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
less '+!id' a.txt
more '+!id' a.txt
xxd -r -p a.txt
sort --frobnicate a.txt
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


def test_a_pattern_may_name_the_file_that_uniq_writes(use_of: UseOf) -> None:
    words = (Word("uniq"), Word("*.txt", Origin.GLOB))
    assert use_of(PROGRAMS, words).effect


def test_an_unquoted_expansion_may_bring_an_option_along(use_of: UseOf) -> None:
    words = (Word("sort"), Word(f"dir/{HOLE}", Origin.UNKNOWN, splits=True))
    assert use_of(PROGRAMS, words).effect is Effect.UNKNOWN


def test_a_quoted_expansion_that_cannot_be_an_option_reads(use_of: UseOf) -> None:
    words = (Word("sort"), Word(f"dir/{HOLE}", Origin.UNKNOWN))
    assert use_of(PROGRAMS, words).effect is Effect.NONE
