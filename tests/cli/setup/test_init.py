"""`automode init`: from nothing to gated, asked step by step, and again without any change."""

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest
from conformance.programs import pinned
from conformance.terminal import Terminal

from automode.agents.catalog import INSTALLED
from automode.agents.scripted.driver import NoProgram
from automode.cli.setup.init import mode_advice
from automode.config import json_edit
from tests.cli.conftest import words_of
from tests.cli.daemons import AUTOMODE, Place
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("a_person")
Variables = dict[str, str]
CLAUDE = {"permissions": {"deny": ["Read(./.env)"], "allow": ["Bash(npm test)"]}}
SECRET = "hunter2-" + "s3cr3t"
AGENTS_FOLDER = Path(__file__).parents[3] / ".venv" / "agents"


@pytest.fixture
def variables(place: Place) -> Variables:
    """A home with Claude Code and its rules, and a machine that has names."""
    folder = Path(place.project).parent
    home, program = folder / "home", folder / "bin" / "claude"
    (home / ".claude").mkdir(parents=True)
    (home / ".claude" / "settings.json").write_text(json.dumps(CLAUDE))
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text(f"Host bastion\n  User {SECRET}\n")
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '2.1.325 (Claude Code)'\n")
    program.chmod(0o755)
    return {"HOME": str(home), "PATH": f"{program.parent}:/usr/bin:/bin", "CLAUDE_CONFIG_DIR": ""}


def settings(place: Place) -> Path:
    return Path(place.config, "config.json")


def everything(place: Place, variables: Variables) -> dict[str, bytes]:
    folders = (Path(place.config), Path(variables["HOME"]))
    return {
        str(file): file.read_bytes()
        for folder in folders
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_one_command_takes_rules_over_and_installs_and_again_changes_nothing(
    place: Place, variables: Variables
) -> None:
    first = place.run("init", "--yes", "--no-start", variables=variables)
    before = everything(place, variables)
    again = place.run("init", "--yes", "--no-start", variables=variables)

    assert "installed: claude-code (user)" in first.stdout, first.stdout + first.stderr
    assert first.stdout.count(f"written: {settings(place)}") == 2  # rules, then sentences
    assert "written:" not in again.stdout
    written = json.loads(settings(place).read_text())
    assert written["permissions"] == {
        "deny": ["read(.env)", "edit(.env)"],
        "allow": ["bash(npm test)"],
    }
    (default, sentence) = written["autoMode"]["environment"]
    assert (default, "`bastion`" in sentence) == ("$defaults", True)
    hooks = json.loads(Path(variables["HOME"], ".claude/settings.json").read_text())["hooks"]
    assert "PreToolUse" in hooks
    assert SECRET not in first.stdout + settings(place).read_text()
    assert "claude-code: registered" in first.stdout  # the doctor has looked
    assert everything(place, variables) == before
    assert "nothing to change: claude-code" in again.stdout


def test_a_dry_run_shows_every_step_and_changes_nothing(place: Place, variables: Variables) -> None:
    before = everything(place, variables)

    done = place.run("init", "--dry-run", variables=variables)

    assert done.returncode == 0, done.stderr
    for step in ("Your agents", "Rules of Claude Code", "this machine", "Who judges", "Install:"):
        assert step in done.stdout
    assert everything(place, variables) == before


def test_with_nobody_there_it_says_what_to_pass(place: Place, variables: Variables) -> None:
    done = place.run("init", variables=variables, stdin="")

    assert done.returncode == 2
    assert "nobody is there to answer" in done.stderr
    assert "--yes" in done.stderr


def test_a_home_without_any_agent_is_said_in_a_sentence(place: Place, variables: Variables) -> None:
    done = place.run("init", "--yes", variables={**variables, "PATH": "/nowhere"})

    assert done.returncode == 1
    assert done.stdout.startswith("no agent that automode knows is on your PATH (")


def test_rules_that_cannot_be_read_are_told_and_the_rest_goes_on(
    place: Place, variables: Variables
) -> None:
    Path(variables["HOME"], ".claude", "settings.json").write_text('{"permissions": ')

    done = place.run("init", "--yes", "--no-start", variables=variables)

    assert "nothing was imported" in done.stderr
    assert "Who judges" in done.stdout
    assert "bastion" in settings(place).read_text()
    assert done.stdout.endswith("then run `automode init` again.\n")
    assert "Not gated: Claude Code." in done.stdout
    assert done.returncode == 1


def broken_link(path: Path) -> None:
    path.symlink_to(path.name)


FILES: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: path.write_text("x" * 2_000_000), "larger than"),
    (lambda path: path.write_bytes(b"\xff\xfe{}"), "settings.json"),
    (lambda path: path.mkdir(), "found a folder"),
    (lambda path: os.mkfifo(path), "found a pipe"),
    (broken_link, "Too many levels of symbolic links"),
    (lambda path: path.write_text('{"permissions": {"deny": ['), "settings.json:1"),
    (lambda path: path.write_text("[" * 100_000), "settings.json"),
]


@each_row("make, says", FILES)
def test_a_file_that_is_huge_cyclic_or_no_file_is_told_and_left_alone(
    make: Callable[[Path], object], says: str, place: Place, variables: Variables
) -> None:
    path = Path(variables["HOME"], ".claude", "settings.json")
    rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    make(path)
    before = path.lstat()

    done = place.run("init", "--yes", "--no-start", variables=variables)

    assert done.returncode == 1, done.stdout
    assert says in done.stderr
    assert "nothing was imported" in done.stderr
    assert "Not gated: Claude Code." in done.stdout
    assert (path.lstat().st_mtime_ns, path.lstat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert list(path.parent.iterdir()) == [path]


def test_settings_that_cannot_be_written_are_said_and_running_it_again_finishes(
    place: Place, variables: Variables, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, *_: object) -> None:
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patch:
        patch.setattr(json_edit, "replace_file", refuse)
        done = place.run("init", "--yes", "--no-start", variables=variables)
    again = place.run("init", "--yes", "--no-start", variables=variables)

    assert done.returncode == 2
    assert f"`{settings(place)}` cannot be written: permission denied" in done.stderr
    assert "Errno" not in done.stderr
    assert "hooks" in Path(variables["HOME"], ".claude/settings.json").read_text()
    assert "installed: claude-code (user)" in again.stdout


def test_the_proof_tells_of_this_machine_once(place: Place, variables: Variables) -> None:
    program = Path(variables["PATH"].partition(":")[0])
    (program / "cursor-agent").write_text("#!/bin/sh\necho 2026.11.01\n")
    (program / "cursor-agent").chmod(0o755)

    done = place.run("init", "--yes", "--no-start", variables=variables)

    assert done.stdout.count("bash parsers") == 1
    for agent in ("claude-code", "cursor"):
        assert f"{agent}: registered" in done.stdout


def test_a_person_is_asked_and_may_stop_in_the_middle_and_go_on_later(
    place: Place, variables: Variables
) -> None:
    folders = ["--state-folder", place.state.path, "--config-folder", place.config]
    typed = shlex.join([AUTOMODE, *folders, "init", "--no-start"])
    words = ["/bin/sh", "-c", f"cd {shlex.quote(place.project)} && exec {typed}"]
    environment = {**variables, "TERM": "xterm", "NO_COLOR": "1", "LANG": "C.UTF-8"}
    with Terminal(words, environment, ".", rows=200) as terminal:
        terminal.wait_for("Take over these rules? [Y/n]")
        terminal.type("y\r")
        terminal.wait_for("numbers to keep")
        terminal.type("\x03")
        assert terminal.ended() == 2
        assert "nothing is half-written: run `automode init` again to go on" in terminal.text

    written = json.loads(settings(place).read_text())
    assert "permissions" in written
    assert "autoMode" not in written
    with Terminal(words, environment, ".", rows=200) as terminal:
        seen = terminal.wait_for("numbers to keep")
        assert "Take over these rules?" not in seen
        terminal.type("1\r")
        terminal.wait_for("the name of a model [embedded]")
        terminal.type("\r")
        terminal.wait_for("Change it like this?")
        terminal.type("n\r")
        terminal.wait_for("nothing was installed")
        terminal.ended()
    assert "bastion" in settings(place).read_text()
    assert "hooks" not in Path(variables["HOME"], ".claude", "settings.json").read_text()


@each_row("agent", list(INSTALLED))
def test_every_agent_says_how_it_works_together_with_automode(agent: str) -> None:
    says, _ = mode_advice(agent)

    assert 0 < len(says) <= 4
    assert all(len(one) <= 130 for one in says)


@pytest.mark.real
def test_the_real_agent_is_gated_and_what_it_must_not_do_is_stopped(
    place: Place, variables: Variables
) -> None:
    try:
        driver = pinned("claude-code", str(AGENTS_FOLDER))
    except NoProgram as missing:
        pytest.skip(f"NO CLAUDE CODE: {missing}")
    program = Path(variables["PATH"].partition(":")[0], "claude")
    program.unlink()
    program.symlink_to(driver.program)

    done = place.run("init", "--yes", variables=variables)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "a forbidden call was tried, and automode stopped it" in words_of(done.stdout)
    assert ", answers" in words_of(done.stdout)  # so says the doctor of the daemon
    assert "automode daemon start" not in done.stdout
