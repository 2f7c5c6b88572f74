"""make, cmake, mise and compilers: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.build import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
make --version
cmake --version
cmake --help
bazel version
just --list
just --summary
task --version
mise ls
mise current
mise which node
mise --version
mise tasks ls
mise doctor
asdf current
asdf list
asdf list nodejs
asdf plugin list
gcc --version
clang --version
gcc -dumpmachine
""".strip().splitlines()
NOT_READING = (
    ("make", Effect.RUNS),
    ("make -n", Effect.RUNS),
    ("make --version SHELL=x", Effect.RUNS),
    ("cmake -P x", Effect.RUNS),
    ("cmake -E rm x", Effect.RUNS),
    ("bazel query //...", Effect.RUNS),
    ("just --evaluate", Effect.RUNS),
    ("just --list --justfile /x", Effect.RUNS),
    ("mise env", Effect.SECRETS),
    ("mise exec ls", Effect.RUNS),
    ("mise run x", Effect.RUNS),
    ("asdf list all node", Effect.RUNS),
)
ORDINARY = """
make test
make -n
cmake --build build
bazel test //pkg:all
just test
mise run lint
ninja
""".strip().splitlines()
FOREIGN = """
make -C ../other
make -f /tmp/Makefile
make --eval=x
make SHELL=/tmp/x
""".strip().splitlines()


@pytest.mark.parametrize("text", READING)
def test_a_command_that_only_looks_is_a_read(text: str) -> None:
    assert not line(text).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("text", "effect"), NOT_READING)
def test_whatever_does_more_than_look_says_what(text: str, effect: Effect) -> None:
    use = line(text)
    assert use.effect & effect
    assert use.why


@pytest.mark.parametrize("text", ORDINARY)
def test_the_usual_steps_of_development_are_ordinary_but_no_reads(text: str) -> None:
    use = line(text)
    assert use.effect & Effect.DEVELOPMENT
    assert use.effect & (Effect.RUNS | Effect.WRITES)


@pytest.mark.parametrize("text", FOREIGN)
def test_code_or_settings_from_elsewhere_are_not_ordinary(text: str) -> None:
    use = line(text)
    assert not use.effect & Effect.DEVELOPMENT
    assert use.effect & ~Effect.REMOTE_READ
