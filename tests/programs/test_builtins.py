"""builtins: which command lines of shell builtins only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.builtins import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import HOLE, Origin, Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
echo -e 'a\nb'
cd /tmp
pushd src
printf '%s\n' a
printf -v out '%s' a
test -f a
[ -n a ]
[ -v name ]
[[ a -eq 1 ]]
read -r line
read -rp 'name? ' name
read -r -a parts
mapfile -t lines
getopts ab: opt
export FOO=bar
declare -a list
declare -i n=5
local x=1
readonly y
declare -f
declare -p name
unset FOO
unset -f fn
set -euo pipefail
set -- a b
set +e
shopt -s nullglob globstar
shopt
let n=5+3
trap - EXIT
trap
alias
alias ll
enable -a
complete -p
compgen -c
hash -r
hash git
eval
exec
wait
jobs -l
umask 022
ulimit -n
type -a git
exit 1
""".strip().splitlines()
OTHERWISE = {
    Effect.RUNS: r"""
printf -v 'a[$(id)]' x
[ -v 'a[$(id)]' ]
test -v 'a[$(id)]'
[[ 'a[$(id)]' -eq 1 ]]
read 'a[$(id)]'
mapfile -C id -c 1 lines
declare 'a[$(id)]=1'
declare -i 'n=a[$(id)]'
export 'a[$(id)]=1'
unset 'a[$(id)]'
shopt -s expand_aliases
let 'a[$(id)]=1'
let n=m
trap 'rm -rf x' EXIT
alias ls='rm -rf'
enable -f x.so y
complete -C id git
compgen -W '$(id)'
compgen -C id
compgen -F f
bind -x '"a": id'
hash -p /tmp/x ls
eval 'rm x'
exec ls
source x.sh
. x.sh
coproc id
builtin eval id
fc -s
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
printf -v PATH /tmp
read PATH
read path
mapfile LD_PRELOAD
getopts a IFS
set -a
set -k
set -o emacs
shopt -s autocd
history
""".strip().splitlines(),
    Effect.SECRETS: r"""
set
declare
export
export -p
declare -x
declare -p GH_TOKEN
history
""".strip().splitlines(),
    Effect.SYSTEM: r"""
set +o history
unset HISTFILE
suspend
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
    ],
)
def test_unknown_words_are_not_taken_for_harmless(words: tuple[Word, ...], use_of: UseOf) -> None:
    assert use_of(PROGRAMS, words).effect


@pytest.mark.parametrize(
    "words",
    [
        (Word("["), Word(HOLE, Origin.UNKNOWN), Word("="), Word(HOLE, Origin.UNKNOWN), Word("]")),
        (Word("echo"), Word(HOLE, Origin.UNKNOWN)),
        (Word("export"), Word(f"x={HOLE}", Origin.UNKNOWN)),
        (Word("set"), Word("--"), Word(HOLE, Origin.UNKNOWN)),
    ],
)
def test_unknown_values_that_stay_values_read(words: tuple[Word, ...], use_of: UseOf) -> None:
    assert use_of(PROGRAMS, words).effect is Effect.NONE
