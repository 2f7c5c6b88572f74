"""Linters: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.linters import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
shellcheck script.sh
shellcheck -x -f gcc a.sh b.sh
hadolint Dockerfile
yamllint .
yamllint -d relaxed x.yml
clang-format x.c
clang-format --dry-run --Werror x.c
eslint --version
prettier --version
codespell
""".strip().splitlines()
NOT_READING = (
    ("shellcheck --rcfile=/x y", Effect.UNKNOWN),
    ("clang-format -i x", Effect.WRITES),
    ("clang-format --i x", Effect.WRITES),
    ("yamllint -c /etc/x y", Effect.RUNS),
    ("eslint .", Effect.RUNS),
    ("prettier --check .", Effect.RUNS),
    ("shellcheck -f x --foo", Effect.UNKNOWN),
)
ORDINARY = """
eslint .
prettier --check .
biome check
actionlint
""".strip().splitlines()
FOREIGN = """
eslint --rulesdir /tmp/r .
prettier --plugin=/tmp/p.js .
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
