"""evaluated: text that bash evaluates again is a gap, and what it would run is listed."""

import pytest

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.facts.reader import ShellReader
from automode.guards.reads.read_only import ReadOnly
from automode.shell.builtins import BUILTINS
from tests.reading import facts_of
from tests.rows import each_row

WORKSPACE = Workspace("/w", "/w", "/home/u", Names("/w"))
READER = ShellReader()
READ_ONLY = ReadOnly()
TAKES_TEXT = frozenset(
    "echo printf : true false test [ cd chdir pushd set help type whence where which command "
    "getopts alias time".split()
)

EVALUATED = r"""
RANDOM='a[$(rm -rf x)]'
OPTIND=a[\$\(rm\ -rf\ x\)]
HISTCMD="a[\`rm -rf x\`]"
SECONDS='a[$(rm -rf x)]' ls
for RANDOM in 'a[$(rm -rf x)]'; do :; done
for SRANDOM in 1 'a[`rm -rf x`]'; do :; done
read RANDOM <<< 'a[$(rm -rf x)]'
mapfile OPTIND <<< 'a[$(rm -rf x)]'
printf -v RANDOM %s 'a[$(rm -rf x)]'
printf -v 'a[$(rm -rf x)]' %s x
printf '-va[$(rm -rf x)]' x
getopts a 'a[$(rm -rf x)]'
export OPTIND='a[$(rm -rf x)]'
declare HISTCMD='a[$(rm -rf x)]'
typeset RANDOM+='a[$(rm -rf x)]'
: ${RANDOM:='a[$(rm -rf x)]'}
declare -a x='($(rm -rf x))'
declare -A x='([$(rm -rf x)]=1)'
declare -ra x='(<(rm -rf x))'
declare -a x+='($(rm -rf x))'
readonly -a x='($(rm -rf x))'
export -a x='($(rm -rf x))'
f() { local -a x='($(rm -rf x))'; }; f
declare -a x; declare x='($(rm -rf x))'
x=(1); typeset x='($(rm -rf x))'
read -a x < f; declare x='($(rm -rf x))'
declare -i x='a[$(rm -rf x)]'
declare -i x; x='a[$(rm -rf x)]'
declare -n x='a[$(rm -rf x)]'
f() { local -n x='a[$(rm -rf x)]'; echo $x; }; f
ls & wait -np 'a[$(rm -rf x)]'
wait -p'a[$(rm -rf x)]' -n
test -v 'a[$(rm -rf x)]'
[ -v 'a[$(rm -rf x)]' ]
[ -t 'a[$(rm -rf x)]' ]
[[ -v 'a[$(rm -rf x)]' ]]
[[ -t 'a[$(rm -rf x)]' ]]
[[ 'a[$(rm -rf x)]' -eq 1 ]]
unset 'a[$(rm -rf x)]'
read 'a[$(rm -rf x)]'
let 'a[$(rm -rf x)]=1'
(( 'a[$(rm -rf x)]' ))
a['$(rm -rf x)']=1
x='a[$(rm -rf x)]'; echo $((x))
x='a[$(rm -rf x)]'; echo ${y:x}
x='a[$(rm -rf x)]'; echo ${y[x]}
x='a[$(rm -rf x)]'; echo ${!x}
x='a[$(rm -rf x)]'; [[ $x -gt 1 ]]
x='$(rm -rf x)'; echo ${x@P}
read x <<< 'a[$(rm -rf x)]'; echo $((x))
set -- 'a[$(rm -rf x)]'; echo $(($1))
f() { echo $(($1)); }; f 'a[$(rm -rf x)]'
exec {a[$(rm -rf x)]}>/dev/null
exit 'a[$(rm -rf x)]'
shift 'a[$(rm -rf x)]'
ulimit -n 'a[$(rm -rf x)]'
compgen -W '$(rm -rf x)'
PS4='$(rm -rf x)'; set -x; ls
PS4='$(rm -rf x)' bash -xc ls
PROMPT_COMMAND='rm -rf x'
export PROMPT_COMMAND='rm -rf x'
""".strip().splitlines()

CALLED = r"""
compgen -C 'rm -rf x'
complete -C 'rm -rf x' git
mapfile -C 'rm -rf x' -c 1 lines
readarray -c 1 -C 'rm -rf x' lines
bind -x '"\C-a": rm -rf x'
jobs -x rm -rf x
""".strip().splitlines()

LENT = r"""
f() { echo $((OPTIND)); }; OPTIND="$x" f
f() { echo $((RANDOM)); }; RANDOM=$(cat f) f
if a; then f() { :; }; fi; PATH=/tmp f
POSIXLY_CORRECT=1 :
PATH=/tmp command ls
CDPATH=/tmp cd x
IFS=x set -- $y
HISTCMD+=$x ls
OPTIND+=a ls
RANDOM=$x ls
""".strip().splitlines()

TEXT = r"""
echo 'a[$(rm -rf x)]'
printf '%s\n' '$(rm -rf x)'
x='a[$(rm -rf x)]'; echo "$x"
: 'a[$(rm -rf x)]'
cd 'app/[id]'
[ "$x" = '$(rm -rf x)' ]
read -r -p '[y/N] ' answer
export FOO='["a"]'; echo "$FOO"
for x in 'a[$(rm -rf x)]'; do echo "$x"; done
set -- 'a[$(rm -rf x)]'; echo "$1"
SECONDS=0; OPTIND=1; RANDOM=42
IFS=, read -r a b <<< 1,2
f() { echo "$x"; }; x=1 f
LC_ALL=C type ls
x=(a b); export y="$x"
f() { local x="$1"; echo "$x"; }; f a
""".strip().splitlines()


@each_row("script", EVALUATED)
def test_text_that_is_evaluated_is_a_gap_and_its_commands_are_listed(script: str) -> None:
    reading = READER.full(script, WORKSPACE)

    assert not reading.complete
    assert "rm -rf x" in [command.text for command in reading.commands]


@pytest.mark.parametrize("script", CALLED)
def test_commands_that_builtins_call_are_listed(script: str) -> None:
    assert "rm -rf x" in [command.text for command in READER.full(script, WORKSPACE).commands]


@each_row("script", LENT)
def test_a_variable_before_what_runs_in_this_shell_must_be_plain(script: str) -> None:
    assert not READER.full(script, WORKSPACE).complete


@each_row("script", TEXT)
def test_text_that_stays_text_is_no_gap_and_runs_nothing(script: str) -> None:
    reading = READER.full(script, WORKSPACE)

    assert reading.gaps == ()
    assert "rm" not in [command.program for command in reading.commands]


def test_jobs_x_is_a_wrapper_that_runs_in_this_shell() -> None:
    reading = READER.full("jobs -x cd sub; ls", WORKSPACE)

    assert [(command.text, command.cwd) for command in reading.commands] == [
        ("jobs -x cd sub", "/w"),
        ("cd sub", "/w"),
        ("ls", "/w/sub"),
    ]


@each_row("option", ["", "-a ", "-n ", "-p ", "-v ", "-x "])
@each_row("name", sorted(BUILTINS - TAKES_TEXT))
def test_no_builtin_proves_a_text_that_holds_a_substitution(name: str, option: str) -> None:
    call = ToolCall("bash", Shell(f"{name} {option}'a[$(touch x)]'"))

    assert not isinstance(READ_ONLY.script(facts_of(call, WORKSPACE)), Decision)
