"""python: files of the folder that would be imported, or opened."""

import shlex
from pathlib import Path

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.programs.table import programs
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

ROOT = "/home/ada/project"


def in_folder(folder: Path, text: str) -> Use:
    command = Command(tuple(Word(word) for word in shlex.split(text)), cwd=str(folder))
    workspace = Workspace(str(folder), str(folder), "/home/ada", Disk())
    return programs()[command.program](
        Invocation(command.program, command.args, command, workspace)
    )


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


@pytest.mark.parametrize("text", ["python3 -c 'import json'", "python3 -m json.tool x.json"])
@pytest.mark.parametrize(
    "path",
    """
    re/__init__.pyc re/__init__.abi3.so _colorize.py enum.pyc imp.py _other/__init__.py
    enum.cpython-313-x86_64-linux-gnu.so annotationlib.py
    """.split(),
)
def test_what_stands_in_is_of_any_kind_and_any_version(
    tmp_path: Path, text: str, path: str
) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("")
    assert in_folder(tmp_path, text).effect & Effect.RUNS


TOOLS = ["black --check .", "black --version", "mypy --version", "isort --diff .", "pip list"]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "path", ["click.py", "socks/__init__.py", "IPython/core/a.py", "a.abi3.so"]
)
def test_a_tool_may_import_any_module_of_the_folder(tmp_path: Path, tool: str, path: str) -> None:
    for own in "setup.py __init__.py tests/a.py web-site/a.py assets/a.js venv/lib/a.py".split():
        (tmp_path / own).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / own).write_text("")
    assert in_folder(tmp_path, f"python3 -m {tool}").effect is Effect.NONE
    (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
    (tmp_path / path).write_text("")
    assert in_folder(tmp_path, f"python3 -m {tool}").effect & Effect.RUNS


def test_a_thin_tool_imports_standard_modules_alone(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("")
    assert in_folder(tmp_path, "python3 -m ruff --version").effect is Effect.NONE
    (tmp_path / "sysconfig.py").write_text("")
    assert in_folder(tmp_path, "python3 -m ruff --version").effect & Effect.RUNS


@pytest.mark.parametrize("python", ["python2", "pypy3", "python3.7", "python3.15"])
def test_the_modules_of_an_unusual_version_are_not_known(tmp_path: Path, python: str) -> None:
    assert in_folder(tmp_path, f"{python} -c 'import json'").effect is Effect.NONE
    (tmp_path / "app.py").write_text("")
    assert in_folder(tmp_path, "python3 -c 'import json'").effect is Effect.NONE
    assert in_folder(tmp_path, f"{python} -c 'import json'").effect & Effect.RUNS


def test_an_error_loads_modules_too(tmp_path: Path) -> None:
    assert in_folder(tmp_path, "python3 -c 'print(1/0)'").effect is Effect.NONE
    (tmp_path / "traceback.py").write_text("")
    assert in_folder(tmp_path, "python3 -c 'print(1/0)'").effect & Effect.RUNS


def test_a_folder_that_is_not_known_may_hold_any_module() -> None:
    command = Command((Word("python3"), Word("-c"), Word("import json")), cwd=None)
    workspace = Workspace(ROOT, ROOT, "/home/ada", Disk())
    assert programs()["python3"](Invocation("python3", command.args, command, workspace)).effect


def test_a_link_may_lead_to_a_credential(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    text = "python3 -c 'print(open(\"notes.txt\").read())'"
    assert in_folder(tmp_path, text).effect is Effect.NONE
    (tmp_path / ".env").write_text("")
    (tmp_path / "notes.txt").unlink()
    (tmp_path / "notes.txt").symlink_to(".env")
    assert in_folder(tmp_path, text).effect & Effect.RUNS
