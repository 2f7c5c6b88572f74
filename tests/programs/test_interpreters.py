"""Interpreters: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.interpreters import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
bash --version
bash -n script.sh
zsh --version
perl -v
lua -v
ld --version
nginx -V
luac -p a.lua
entire --version
entire explain --help
entire session info --help
""".strip().splitlines()
NOT_READING = (
    ("bash x.sh", Effect.RUNS),
    ("bash -n -c x", Effect.RUNS),
    ("bash -nc x", Effect.RUNS),
    ("bash -n x -x", Effect.RUNS),
    ("perl -e x", Effect.RUNS),
    ("perl -v x", Effect.RUNS),
    ("perl -c x", Effect.RUNS),
    ("lua x", Effect.RUNS),
    ("luac a.lua", Effect.WRITES),
    ("luac -p -o b a.lua", Effect.WRITES),
    ("entire status", Effect.UNKNOWN),
    ("entire somebodys-plug-in --help", Effect.UNKNOWN),
)


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why
