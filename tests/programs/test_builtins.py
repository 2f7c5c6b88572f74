"""builtins: which command lines of shell builtins only read, and what the others do."""

import subprocess
from collections.abc import Callable, Mapping

import pytest

from automode.programs.builtins import PROGRAMS
from automode.programs.catalog import PROGRAMS as CATALOG
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
printf '%d %s\n' 5 'a[0]' 6 'a[1]'
printf '%*s %% %q' 5 'a[0]' 'a[1]'
printf '%(%F)T' -1
printf -- '- %s\n' a
cd -
cd -P ..
pushd +1
popd -n
dirs -v
pwd -P
wait -n
wait -n -p done_id
wait %1
jobs -rs %1
fg %1
disown -a
umask -S
umask u=rwx,g=rx
ulimit -Sn 4096
ulimit -c unlimited
unalias ll
help -d cd
shift 2
return -1
continue 2
caller 0
times
[ -t 1 ]
read -t 0.1 -n 1 key
mapfile -t -n 5 lines
shopt -so errexit
shopt -p nullglob
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
declare -a 'x=($(id))'
declare -A 'x=([$(id)]=1)'
readonly -a 'x+=($(id))'
local -a x=1
wait -p 'a[$(id)]'
printf '%d' 'a[$(id)]'
printf '%s %d' a 1 b 'a[$(id)]'
printf '%ld' 'a[$(id)]'
printf '%(%F)T' 'a[$(id)]'
printf '%*s' 'a[$(id)]' x
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
shopt -so allexport
history
read RANDOM
read -n 'a[$(id)]' x
read -k 1 x
mapfile -u 'a[$(id)]' x
mapfile SECONDS
getopts a OPTIND
wait -p RANDOM
wait -x
wait 'a[$(id)]'
printf -v OPTIND 1
printf '%n' x
declare -n x=y
declare -g x=1
typeset -T A b
typeset -U x
unset PATH
unset -x y
jobs -x id
jobs 'a[$(id)]'
cd -x
pushd -x
popd 'a[$(id)]'
dirs 'a[$(id)]'
pwd -x
fg 'a[$(id)]'
bg -x
disown -x
times x
umask 'a[$(id)]'
ulimit 'a[$(id)]'
ulimit -Z
exit 'a[$(id)]'
return x
shift 'a[$(id)]'
break x
continue 'a[$(id)]'
caller 'a[$(id)]'
type -x 5 ls
help -x
hash ls=/tmp/x
hash -x
unalias -x
unalias 'a[$(id)]'
[ -t x ]
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
        (Word("["), Word("*", Origin.GLOB), Word("]")),
        (Word("test"), Word("-?", Origin.GLOB)),
        (Word("exit"), Word(HOLE, Origin.UNKNOWN)),
        (Word("wait"), Word(HOLE, Origin.DERIVED)),
        (Word("jobs"), Word(HOLE, Origin.DERIVED)),
        (Word("ulimit"), Word(HOLE, Origin.DERIVED)),
        (Word("shopt"), Word(HOLE, Origin.DERIVED)),
        (Word("printf"), Word(f"a{HOLE}", Origin.DERIVED), Word("x")),
        (Word("printf"), Word("%d"), Word(HOLE, Origin.DERIVED)),
        (Word("getopts"), Word(HOLE, Origin.DERIVED, True), Word("x")),
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
        (Word("["), Word("-f"), Word("*.py", Origin.GLOB), Word("]")),
        (Word("cd"), Word(HOLE, Origin.UNKNOWN)),
        (Word("type"), Word(HOLE, Origin.UNKNOWN)),
        (Word("exit"), Word(HOLE, Origin.DERIVED, plain=True)),
        (Word("wait"), Word(HOLE, Origin.DERIVED, plain=True)),
        (Word("printf"), Word(f"a{HOLE}", Origin.DERIVED)),
    ],
)
def test_unknown_values_that_stay_values_read(words: tuple[Word, ...], use_of: UseOf) -> None:
    assert use_of(PROGRAMS, words).effect is Effect.NONE


def test_every_builtin_of_bash_has_a_row_of_its_own() -> None:
    listed = subprocess.run(
        ["bash", "--norc", "-c", "compgen -b"], capture_output=True, text=True, check=True
    ).stdout.split()

    assert len(listed) > 50
    assert [name for name in listed if name not in CATALOG] == []


@pytest.mark.parametrize("name", sorted({*PROGRAMS} - {"echo", ":", "true", "false"}))
def test_no_builtin_takes_any_option(name: str, use_of: UseOf) -> None:
    takes_text = name in ("printf", "test", "[", "[[", "getopts")
    assert takes_text or use_of(PROGRAMS, (Word(name), Word("-\x7f"))).effect
