"""python itself: which command lines only read, and what the others do."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk, Names
from automode.programs.python_run import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def line(text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=ROOT)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Names(ROOT))
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


READING = r"""
python --version
python3 -V
python3.12 --version
python -c "print(1+1)"
python3 -c "import sys; print(sys.version)"
python3 -c "import json,sys; print(json.load(sys.stdin)['x'])"
python3 -c "import json; d=json.load(open('package.json')); print(d['version'])"
python3 -c "import math; print([math.sqrt(x) for x in range(3)])"
python -m json.tool x.json
python -m json.tool --sort-keys --indent 2 x.json
python -m pip list
python -m pip show requests
python3 -m pip --version
python -m ruff check .
python3 -m calendar 2024
""".strip().splitlines()
NOT_READING = (
    ('python -c "import os"', Effect.RUNS),
    ("python -c \"open('x','w')\"", Effect.RUNS),
    ("python -c \"print(open('/etc/passwd').read())\"", Effect.RUNS),
    ('python -c "print(().__class__)"', Effect.RUNS),
    ('python -c "import sys; sys.exit()"', Effect.RUNS),
    ("python -c \"import sys; sys.stdout.write('x')\"", Effect.RUNS),
    ('python -c "print=1"', Effect.RUNS),
    ('python -c "import json as print; print"', Effect.RUNS),
    ("python -c \"o=open; o('x','w')\"", Effect.RUNS),
    ("python -c \"print('x', file=open('y','w'))\"", Effect.RUNS),
    ('python -c "import sys; print(1, file=sys.argv)"', Effect.RUNS),
    ("python -m json.tool a b", Effect.WRITES),
    ("python -m json.tool --indent --sort-keys a", Effect.UNKNOWN),
    ("python -m pip install x", Effect.NETWORK),
    ("python -m pip list --log x", Effect.UNKNOWN),
    ("python -m http.server", Effect.NETWORK),
    ("python -m evil", Effect.RUNS),
    ("python -m antigravity", Effect.RUNS),
    ("python -c \"import sys; sys.path.append('x'); import json\"", Effect.RUNS),
    ("python -im json.tool", Effect.RUNS),
    ("python", Effect.RUNS),
    ("python -", Effect.RUNS),
    ("python -V x.py", Effect.RUNS),
)
ORDINARY = """
python -m pytest -x tests
python scripts/x.py
python -m unittest
python -m venv .venv
""".strip().splitlines()
FOREIGN = """
python /tmp/x.py
python -m pytest -p evil
python -m pytest /tmp/t
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


def in_folder(folder: Path, text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=str(folder))
    workspace = Workspace(str(folder), str(folder), "/home/ada", Disk())
    return PROGRAMS[command.program](Invocation(command.program, command.args, command, workspace))


@pytest.mark.parametrize("text", ["python3 -c 'import json'", "python3 -m json.tool x.json"])
def test_a_file_with_the_name_of_a_module_is_what_would_run(tmp_path: Path, text: str) -> None:
    assert in_folder(tmp_path, text).effect is Effect.NONE
    (tmp_path / "json.py").write_text("")
    assert in_folder(tmp_path, text).effect & Effect.RUNS


@pytest.mark.parametrize("text", ["python3 -c 'import json'", "python3 -m json.tool x.json"])
def test_a_module_that_another_one_imports_may_be_stood_in_for_too(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "types").mkdir()
    (tmp_path / "enum.md").write_text("")
    assert in_folder(tmp_path, text).effect is Effect.NONE
    (tmp_path / "enum.py").write_text("")
    assert in_folder(tmp_path, text).effect & Effect.RUNS


def test_an_error_loads_modules_too(tmp_path: Path) -> None:
    assert in_folder(tmp_path, "python3 -c 'print(1/0)'").effect is Effect.NONE
    (tmp_path / "traceback.py").write_text("")
    assert in_folder(tmp_path, "python3 -c 'print(1/0)'").effect & Effect.RUNS


def test_a_folder_that_is_not_known_may_hold_any_module() -> None:
    command = Command((Word("python3"), Word("-c"), Word("import json")), cwd=None)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Disk())
    assert PROGRAMS["python3"](Invocation("python3", command.args, command, workspace)).effect


def test_a_link_may_lead_to_a_credential(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    text = "python3 -c 'print(open(\"notes.txt\").read())'"
    assert in_folder(tmp_path, text).effect is Effect.NONE
    (tmp_path / ".env").write_text("")
    (tmp_path / "notes.txt").unlink()
    (tmp_path / "notes.txt").symlink_to(".env")
    assert in_folder(tmp_path, text).effect & Effect.RUNS
