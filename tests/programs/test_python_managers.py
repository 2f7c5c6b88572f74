"""uv, poetry, conda, pyenv: which command lines only read, and what the others do."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.python_managers import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
uv pip list
uv pip show requests
uv tree --depth 2
uv export --format requirements-txt --no-hashes
uv --version
uv version
uv python list
uv python find
uv tool list
uv cache dir
uv help
poetry show --tree
poetry env info --path
poetry check
poetry version -s
poetry config --list
poetry show --outdated
pdm list --graph
conda list
conda info --envs
conda env list
conda search numpy
conda --version
pyenv versions
pyenv which python
pyenv local
pyenv install --list
pipx list
""".strip().splitlines()
NOT_READING = (
    ("uv export -o x", Effect.UNKNOWN),
    ("uv export --output-file=x", Effect.UNKNOWN),
    ("uv version --bump minor", Effect.WRITES),
    ("uv version 1.2", Effect.WRITES),
    ("uv run ls", Effect.RUNS),
    ("uv tree --index-url http://x", Effect.NETWORK),
    ("uv pip list --extra-index-url http://x", Effect.UNKNOWN),
    ("uv auth token x", Effect.SECRETS),
    ("uv cache clean", Effect.WRITES),
    ("poetry config http-basic.x u p", Effect.WRITES),
    ("poetry version minor", Effect.WRITES),
    ("poetry run ls", Effect.RUNS),
    ("conda env config vars list", Effect.SECRETS),
    ("conda config --add a b", Effect.WRITES),
    ("conda run ls", Effect.RUNS),
    ("pyenv local 3.1", Effect.WRITES),
    ("pyenv install 3.1", Effect.NETWORK),
)
ORDINARY = """
uv run pytest -q
uv sync
poetry run mypy src
poetry install
""".strip().splitlines()
FOREIGN = """
uv run --with evil pytest
uv run ls
uv --directory /elsewhere run pytest
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
