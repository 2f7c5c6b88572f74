"""text: which command lines of text tools only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.catalog import PROGRAMS
from automode.programs.use import Effect, Invocation, Judge, Use
from automode.shell.script import HOLE, Command, Origin, Redirect, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
less -R -x4 a.txt
less '+/foo bar' a.txt
less -FX a.txt
more -20 a.txt
more -s a.txt
more +/foo a.txt
tree --fromfile list.txt
cat -n a.txt b.txt
head -20 a.txt
tail -f log.txt
wc -l a.txt
ls -la src
cut -d: -f1 /etc/passwd
tr -d '\n'
sort -t, -k2,2n -u a.csv
sort --buffer-size=100M --parallel=2 a.txt
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
tree --fromfile -o out
tree --charset -o out
sort -o out a.txt
sort -uo out a.txt
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
dc -e '?'
dc -e '[!id]x'
dc -e '33ax'
dc a.dc
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
less -p foo a.txt
less -pbar a.txt
less --pattern=foo a.txt
less '+/foo!id' a.txt
less +s a.txt
less +v a.txt
less '-Px$olog' a.txt
less -P 'x$+!id' a.txt
less '-j5+!id' a.txt
less -j '5+!id' a.txt
more -p foo a.txt
more -o log a.txt
more '+/foo!id' a.txt
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
    assert use_of(PROGRAMS, (Word(program), word)).effect


@pytest.mark.parametrize("line", ["less -N", "less +/a", "more +/a"])
def test_a_line_break_ends_the_search_a_pager_starts_with(line: str, use_of: UseOf) -> None:
    words = (*(Word(w) for w in line.split()[:-1]), Word(line.split()[-1] + "\n!id"), Word("a"))
    assert use_of(PROGRAMS, words).effect is Effect.UNKNOWN


FED_TO_DC = [
    Command((Word("dc"), Word("-e"), Word("1p")), position=1),
    Command((Word("dc"), Word("-e"), Word("1p")), fed="!id"),
    Command((Word("dc"), Word("-e"), Word("1p")), redirects=(Redirect("<", Word("a")),)),
]


@pytest.mark.parametrize("command", FED_TO_DC)
def test_what_dc_reads_from_its_input_is_a_program(command: Command) -> None:
    workspace = Workspace("/p", "/p", "/home/ada", Names("/p"))
    use = PROGRAMS["dc"](Invocation("dc", command.args, command, workspace))
    assert use.effect is Effect.RUNS


def test_an_unquoted_expansion_may_bring_an_option_along(use_of: UseOf) -> None:
    words = (Word("sort"), Word(f"dir/{HOLE}", Origin.UNKNOWN, splits=True))
    assert use_of(PROGRAMS, words).effect is Effect.UNKNOWN


def test_a_quoted_expansion_that_cannot_be_an_option_reads(use_of: UseOf) -> None:
    words = (Word("sort"), Word(f"dir/{HOLE}", Origin.UNKNOWN))
    assert use_of(PROGRAMS, words).effect is Effect.NONE
