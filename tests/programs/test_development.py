"""What counts as an ordinary step of development."""

import shlex
from dataclasses import replace

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.development import development_use, install_use, ordinary
from automode.programs.use import Effect, Invocation
from automode.shell.script import HOLE, Command, Origin, Word

ROOT = "/home/ada/project"


def invocation(text: str, cwd: str | None = ROOT) -> Invocation:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=cwd)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return Invocation(command.program, command.args, command, workspace)


@pytest.mark.parametrize("text", ["tool", "tool src/a.py", "tool --out=build", f"tool {ROOT}/src"])
def test_a_command_that_stays_in_the_workspace_is_ordinary(text: str) -> None:
    assert ordinary(invocation(text))


@pytest.mark.parametrize(
    "text",
    ["tool /etc", "tool ../x", "tool ~/x", "tool --config=/tmp/x", "tool https://example.com/x"],
)
def test_a_command_that_points_elsewhere_is_not(text: str) -> None:
    assert not ordinary(invocation(text))


@pytest.mark.parametrize("cwd", ["/tmp", None])
def test_a_command_that_runs_elsewhere_is_not_ordinary(cwd: str | None) -> None:
    assert not ordinary(invocation("tool", cwd))


def test_a_word_that_may_be_an_option_is_not_ordinary() -> None:
    given = invocation("tool")
    assert not ordinary(replace(given, args=(Word(HOLE, Origin.UNKNOWN),)))


@pytest.mark.parametrize("text", ["tool -p evil", "tool -pevil", "tool --plugin=evil"])
def test_an_option_that_brings_code_in_is_not_ordinary(text: str) -> None:
    assert development_use(invocation(text), ("-p", "--plugin")).effect is Effect.RUNS


def test_installing_a_named_package_is_not_ordinary() -> None:
    assert install_use(invocation("tool")).effect & Effect.DEVELOPMENT
    assert not install_use(invocation("tool left-pad")).effect & Effect.DEVELOPMENT
