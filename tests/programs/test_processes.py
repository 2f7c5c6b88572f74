"""processes: which command lines of process tools only read, and what the others do."""

from collections.abc import Callable, Mapping

import pytest

from automode.programs.processes import PROGRAMS
from automode.programs.use import Effect, Judge, Use
from automode.shell.script import Word

UseOf = Callable[[Mapping[str, Judge], str | tuple[Word, ...]], Use]

READING = r"""
ps axo pid,etime
ps -aux
ps -p 1 -o etime=
ps -C nginx
ps axu
ps -ef -u root
ps -u postgres
ps -fu alice -e
ps -eopid,user
ps -eLf
ps aux
ps -ef
ps -u alice
ps U alice
ps -eo pid,etime,command
ps aux --sort=-rss
ps -o pid= -p 1
top -b -n 1
top -l 1 -n 5
lsof -i :3000
lsof -nP -iTCP -sTCP:LISTEN
lsof -ti:3000
printenv PATH
printenv HOME USER
nvidia-smi
nvidia-smi -L
nvidia-smi --query-gpu=name,memory.used --format=csv
nvidia-smi topo -m
ldd --version
htop --version
""".strip().splitlines()
OTHERWISE = {
    Effect.SECRETS: r"""
ps u e
ps axu e
ps -u e
ps -e -u x
ps -auxe
ps -T eo args
ps -u eo args
ps -e -u xoargs
ps -eaux
ps s e
ps g e
ps e
ps auxe
ps auxeww
ps -E
ps -o environ
env
env -0
printenv
printenv GH_TOKEN
printenv PATH GH_TOKEN
""".strip().splitlines(),
    Effect.SYSTEM: r"""
kill 1
kill -l
kill -9 1
pkill nginx
killall x
nvidia-smi -pm 1
nvidia-smi --gpu-reset
nvidia-smi -f out
renice 5 1
""".strip().splitlines(),
    Effect.WRITES: r"""
lsof -Dbx
""".strip().splitlines(),
    Effect.RUNS: r"""
ldd ./a.out
strace ls
gdb ./a.out
script out
""".strip().splitlines(),
    Effect.UNKNOWN: r"""
top
htop
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
