"""pip, ruff, black, pytest: which command lines only read, and what the others do."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.programs.python_tools import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
pip list
pip list --outdated
pip3 show -f requests
pip freeze
pip check
pip config list
pip index versions requests
pip cache dir
pip debug
pip --version
pip help install
pip inspect
pip hash x.whl
pytest --version
mypy --version
ruff check .
ruff check --select E501 --output-format=github src
ruff format --check .
ruff format --diff src
ruff rule E501
ruff --version
black --check .
black --check --diff src
isort --check-only --diff .
isort -c src
""".strip().splitlines()
NOT_READING = (
    ("pip list --index-url http://x", Effect.NETWORK),
    ("pip list -o --log=x", Effect.UNKNOWN),
    ("pip --python=/x list", Effect.UNKNOWN),
    ("pip freeze --log x", Effect.UNKNOWN),
    ("pip config set a b", Effect.WRITES),
    ("pip config edit", Effect.WRITES),
    ("pip download x", Effect.NETWORK),
    ("ruff check --fix", Effect.RUNS),
    ("ruff check --fix-only", Effect.RUNS),
    ("ruff check --add-noqa", Effect.RUNS),
    ("ruff check -o x", Effect.RUNS),
    ("ruff check --output-file x", Effect.RUNS),
    ("ruff check --config /tmp/x", Effect.RUNS),
    ("ruff check --config 'fix=true'", Effect.RUNS),
    ("ruff format", Effect.RUNS),
    ("ruff clean", Effect.WRITES),
    ("black x.py", Effect.RUNS),
    ("black --check --config /etc/x x", Effect.RUNS),
    ("isort x", Effect.RUNS),
    ("isort --check --settings-path /etc", Effect.RUNS),
    ("pre-commit run", Effect.RUNS),
    ("pre-commit install", Effect.WRITES),
)
ORDINARY = """
pytest -k login
mypy src
pip install -r requirements.txt
pip install -e .
flake8 src
pre-commit run --all-files
ruff check --fix
black .
""".strip().splitlines()
FOREIGN = """
pytest -p evil
pytest -c /tmp/x.ini
pip install -r https://e/r.txt
pip install requests
pytest --rootdir=/elsewhere
pip install --index-url http://e -r requirements.txt
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


def test_a_configuration_that_fixes_makes_checking_write(tmp_path: Path) -> None:
    command = Command((Word("ruff"), Word("check")), cwd=str(tmp_path))
    workspace = Workspace(str(tmp_path), str(tmp_path), "/home/ada", Disk())
    given = Invocation("ruff", command.args, command, workspace)
    assert PROGRAMS["ruff"](given).effect is Effect.NONE
    (tmp_path / "ruff.toml").write_text("fix = true\n")
    assert PROGRAMS["ruff"](given).effect & Effect.WRITES
