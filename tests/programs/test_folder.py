"""Files of a folder that steer a command: settings, modules, repositories, names like options."""

import asyncio
from pathlib import Path

import pytest

from automode.core.call import Shell, ToolCall
from automode.core.decision import Decision
from automode.core.session import Session
from automode.core.workspace import Workspace
from automode.facts.files import Disk
from automode.guards.reads.read_only import ReadOnly
from automode.programs.loading import has_settings
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command
from tests.programs.conftest import ROWS, use_of
from tests.reading import facts_of


def write(root: Path, name: str, text: str = "") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def below(root: Path, line: str) -> Use:
    """The line as seen from a folder below the root of a real workspace."""
    folder = root / "packages" / "one"
    folder.mkdir(parents=True, exist_ok=True)
    return use_of(line.replace("packages/two", "../two"), root, cwd=folder)


@pytest.mark.parametrize(("line", "name", "text"), ROWS["settings-harmless"])
def test_known_settings_leave_a_look_a_look(
    tmp_path: Path, line: str, name: str, text: str
) -> None:
    write(tmp_path, name, text)

    assert not below(tmp_path, line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "name", "text"), ROWS["settings-harmful"])
def test_other_settings_make_a_look_run_the_project(
    tmp_path: Path, line: str, name: str, text: str
) -> None:
    assert not below(tmp_path, line).effect & ~Effect.REMOTE_READ
    write(tmp_path, name, text)
    use = below(tmp_path, line)

    assert use.effect & Effect.RUNS
    assert use.effect & Effect.DEVELOPMENT
    assert use.why


def test_json_that_node_requires_must_be_there(tmp_path: Path) -> None:
    line = "node -p \"require('./package.json').version\""
    assert below(tmp_path, line).effect & Effect.RUNS
    write(tmp_path, "packages/one/package.json", "{}")

    assert below(tmp_path, line).effect is Effect.NONE


@pytest.mark.parametrize(("line", "name"), ROWS["steering-files"])
def test_a_file_that_steers_a_client_makes_it_unproved(
    line: str, name: str, tmp_path: Path
) -> None:
    assert not use_of(line, tmp_path).effect & ~Effect.REMOTE_READ
    write(tmp_path, name)

    assert use_of(line, tmp_path).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "name"), ROWS["opened-files"])
def test_a_file_that_it_opens_may_not_lead_elsewhere(line: str, name: str, tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / name).parent.mkdir(parents=True)
    elsewhere.write_text("machine x.test password y")
    (project / "sub").mkdir(exist_ok=True)
    assert not use_of(line, project).effect & ~Effect.REMOTE_READ
    (project / name).symlink_to(elsewhere)

    assert use_of(line, project).effect & ~Effect.REMOTE_READ


def test_a_link_to_the_same_file_of_the_workspace_is_plain(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "sub" / "package.json").symlink_to("../package.json")

    assert not use_of("npm --prefix sub ls", tmp_path).effect


@pytest.mark.parametrize("line", ["hg status", "jj log --ignore-working-copy"])
def test_a_repository_in_an_unknown_folder_is_never_a_read(line: str) -> None:
    assert Effect.UNKNOWN in use_of(line, cwd=None).effect
    assert Effect.UNKNOWN in use_of(line, cwd="/other/place").effect


@pytest.mark.parametrize(("line", "path", "content", "effect"), ROWS["repository-settings"])
def test_the_repositorys_own_configuration_counts(
    tmp_path: Path, line: str, path: str, content: str, effect: str
) -> None:
    write(tmp_path, path, content)

    assert use_of(line, tmp_path).effect is Effect[effect.upper()]


NAMES = (".toolrc",)


def asked(root: Path, cwd: Path | None, home: Path) -> Invocation:
    command = Command((), cwd=None if cwd is None else str(cwd))
    workspace = Workspace(str(root), str(root), str(home), Disk())
    return Invocation("tool", (), command, workspace)


def test_the_persons_own_settings_are_trusted_unless_home_is_the_workspace(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / ".toolrc").write_text("x")
    assert not has_settings(asked(project, project, tmp_path), NAMES)
    assert has_settings(asked(tmp_path, project, tmp_path), NAMES)


def test_settings_count_from_where_a_failed_change_of_folder_would_leave_it(tmp_path: Path) -> None:
    other = tmp_path / "other"
    project = tmp_path / "project"
    other.mkdir()
    project.mkdir()
    (project / ".toolrc").write_text("x")
    assert has_settings(asked(project, other, Path("/home/ada")), NAMES)


def test_what_cannot_be_looked_at_is_not_ruled_out(tmp_path: Path) -> None:
    assert has_settings(asked(tmp_path, None, Path("/home/ada")), NAMES)
    (tmp_path / ".toolrc").mkdir()
    invocation = asked(tmp_path, tmp_path, Path("/home/ada"))
    assert has_settings(invocation, NAMES, lambda text: True)


def test_only_settings_that_are_not_harmless_count(tmp_path: Path) -> None:
    (tmp_path / ".toolrc").write_text("plain")
    invocation = asked(tmp_path, tmp_path, Path("/home/ada"))
    assert not has_settings(invocation, NAMES, lambda text: text == "plain")
    assert has_settings(invocation, NAMES, lambda text: text != "plain")


PYTHON = ["python3 -c 'import json'", "python3 -m json.tool x.json"]


@pytest.mark.parametrize("text", PYTHON)
@pytest.mark.parametrize("path", ROWS["python-stand-ins"].split())
def test_a_file_that_stands_in_for_a_module_is_what_would_run(
    tmp_path: Path, text: str, path: str
) -> None:
    """Also for one that another module imports; of any kind, and of any version."""
    (tmp_path / "types").mkdir()
    write(tmp_path, "enum.md")
    assert use_of(text, tmp_path).effect is Effect.NONE
    write(tmp_path, path)
    assert use_of(text, tmp_path).effect & Effect.RUNS


TOOLS = ["black --check .", "black --version", "mypy --version", "isort --diff .", "pip list"]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "path", ["click.py", "socks/__init__.py", "IPython/core/a.py", "a.abi3.so"]
)
def test_a_tool_may_import_any_module_of_the_folder(tmp_path: Path, tool: str, path: str) -> None:
    for own in "setup.py __init__.py tests/a.py web-site/a.py assets/a.js venv/lib/a.py".split():
        write(tmp_path, own)
    assert use_of(f"python3 -m {tool}", tmp_path).effect is Effect.NONE
    write(tmp_path, path)
    assert use_of(f"python3 -m {tool}", tmp_path).effect & Effect.RUNS


def test_a_thin_tool_imports_standard_modules_alone(tmp_path: Path) -> None:
    write(tmp_path, "click.py")
    assert use_of("python3 -m ruff --version", tmp_path).effect is Effect.NONE
    write(tmp_path, "sysconfig.py")
    assert use_of("python3 -m ruff --version", tmp_path).effect & Effect.RUNS


@pytest.mark.parametrize("python", ["python2", "pypy3", "python3.7", "python3.15"])
def test_the_modules_of_an_unusual_version_are_not_known(tmp_path: Path, python: str) -> None:
    assert use_of(f"{python} -c 'import json'", tmp_path).effect is Effect.NONE
    write(tmp_path, "app.py")
    assert use_of("python3 -c 'import json'", tmp_path).effect is Effect.NONE
    assert use_of(f"{python} -c 'import json'", tmp_path).effect & Effect.RUNS


def test_an_error_loads_modules_too(tmp_path: Path) -> None:
    assert use_of("python3 -c 'print(1/0)'", tmp_path).effect is Effect.NONE
    write(tmp_path, "traceback.py")
    assert use_of("python3 -c 'print(1/0)'", tmp_path).effect & Effect.RUNS


def test_a_folder_that_is_not_known_may_hold_any_module() -> None:
    assert use_of("python3 -c 'import json'", cwd=None).effect


def test_a_link_may_lead_to_a_credential(tmp_path: Path) -> None:
    write(tmp_path, "notes.txt")
    text = "python3 -c 'print(open(\"notes.txt\").read())'"
    assert use_of(text, tmp_path).effect is Effect.NONE
    write(tmp_path, ".env")
    (tmp_path / "notes.txt").unlink()
    (tmp_path / "notes.txt").symlink_to(".env")
    assert use_of(text, tmp_path).effect & Effect.RUNS


LAYER = ReadOnly()


def reads(command: str, root: Path) -> bool:
    workspace = Workspace(str(root), str(root), "/home/ada", Disk())
    call = ToolCall("bash", Shell(command))
    return isinstance(
        asyncio.run(LAYER(facts_of(call, workspace), Session("s", workspace), ())), Decision
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    for name in ("a.py", "b.py", "sub/-r"):
        (tmp_path / name).write_text("foo\n")
    return tmp_path


@pytest.mark.parametrize("name", ["-r", "-e.", "--files0-from=x", "-o out", "-delete"])
@pytest.mark.parametrize("command", ROWS["words-from-names"])
def test_a_file_that_is_called_like_an_option_is_one(name: str, command: str, root: Path) -> None:
    (root / name).touch()

    assert not reads(command, root)


@pytest.mark.parametrize("command", ROWS["words-from-names"])
def test_without_such_a_file_it_is_read(command: str, root: Path) -> None:
    assert reads(command, root)


@pytest.mark.parametrize("command", ROWS["no-words-from-names"])
def test_what_cannot_be_an_option_or_does_nothing_as_one_is_read(command: str, root: Path) -> None:
    (root / "-r").touch()

    assert reads(command, root)


@pytest.mark.parametrize("name", ["a -r .py", "a'-r'.py", 'a "-r".py', "a\n-r\n.py"])
@pytest.mark.parametrize("command", ROWS["split-names"])
def test_a_name_with_blanks_becomes_several_words(name: str, command: str, root: Path) -> None:
    assert reads(command, root)
    (root / name).touch()

    assert not reads(command, root)


def test_a_list_of_names_may_hold_an_option(root: Path) -> None:
    (root / "list").write_text("a.py\nb.py\n")
    assert reads("cat list | xargs grep foo", root)
    (root / "list").write_text("-r\n.\n")
    assert not reads("cat list | xargs grep foo", root)


def test_names_from_elsewhere_and_files_of_words_are_not_known(root: Path) -> None:
    assert not reads("ls sub | xargs grep foo", root)
    assert not reads("ls -R | xargs grep foo", root)
    assert not reads("docker exec web sh -c 'sort *'", root)
    assert reads("sort *", root)
    (root / "@words").touch()
    assert not reads("sort *", root)
