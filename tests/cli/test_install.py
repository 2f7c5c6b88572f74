"""`automode install` and `uninstall`: show, ask, write, and give every byte back."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from automode.agents.catalog import AGENTS
from automode.agents.claude_code.settings import NAMES
from automode.agents.installing.plan import Scope
from automode.cli.install import program_for
from automode.daemon.agents import AgentList
from automode.daemon.placement import Placement
from automode.facts.processes import this_system
from tests.cli.daemons import AUTOMODE, Place
from tests.cli.terminal import Terminal
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("a_person")
SETTINGS = '{\n  "model": "opus"\n}\n'
Variables = dict[str, str]


@pytest.fixture
def variables(place: Place) -> Variables:
    """A home with settings, and a Claude Code that says its version."""
    folder = Path(place.project).parent
    (folder / "home" / ".claude").mkdir(parents=True)
    (folder / "home" / ".claude" / "settings.json").write_text(SETTINGS)
    (folder / "bin").mkdir()
    claude = folder / "bin" / "claude"
    claude.write_text("#!/bin/sh\necho '2.1.325 (Claude Code)'\n")
    claude.chmod(0o755)
    path = f"{folder}/bin:/usr/bin:/bin"
    return {
        "HOME": f"{folder}/home",
        "PATH": path,
        "CLAUDE_CONFIG_DIR": "",
        **dict.fromkeys(NAMES, ""),
    }


@pytest.fixture
def file(variables: Variables) -> Path:
    return Path(variables["HOME"], ".claude", "settings.json")


def install(place: Place, variables: Variables, *words: str) -> "CompletedProcess[str]":
    return place.run("install", "claude-code", "--yes", *words, variables=variables)


def test_one_command_makes_a_guarded_agent_and_shows_what_changes_without_the_token(
    place: Place, variables: Variables, file: Path
) -> None:
    done = install(place, variables)
    first = file.read_bytes()
    again = place.run("install", "claude", variables=variables)

    assert done.returncode == 0, done.stderr
    hooks = json.loads(first)["hooks"]
    handler = hooks["PreToolUse"][0]["hooks"][0]
    port = Path(place.state.http_port).read_text().strip()
    token = Path(place.state.token("http")).read_text().strip()
    assert set(hooks) == set(AGENTS["claude-code"].moments)
    assert handler["type"] == "http"
    assert handler["url"].startswith(f"http://127.0.0.1:{port}/hook/claude-code/proposed")
    assert handler["headers"]["Authorization"] == f"Bearer {token}"
    assert place.state.path in hooks["SessionStart"][0]["hooks"][0]["command"]
    assert Path(place.state.token("decide")).exists()
    for part in ("automode doctor claude-code", f"--- {file}", '+  "hooks": {', "Bearer …"):
        assert part in done.stdout
    assert token not in done.stdout
    assert again.returncode == 0
    assert "nothing to change" in again.stdout
    assert file.read_bytes() == first


@pytest.mark.parametrize("others", ["{}", '{"apiKeyHelper": "./x.sh"}'])
def test_own_hooks_in_a_project_need_no_look_and_all_else_does(
    place: Place, variables: Variables, others: str
) -> None:
    path = Path(place.project, ".claude/settings.local.json")
    path.parent.mkdir()
    path.write_text(others)

    done = install(place, variables, "--project")

    assert done.returncode == 0, done.stderr
    assert "hooks" in json.loads(path.read_text())
    assert ("not known to be harmless" in done.stderr) is ("apiKeyHelper" in others)


def test_a_dry_run_changes_nothing_at_all(place: Place, variables: Variables, file: Path) -> None:
    done = place.run("install", "claude-code", "--dry-run", variables=variables)
    managed = place.run("install", "claude-code", "--managed", "--dry-run", variables=variables)

    assert done.returncode == 0
    assert '+  "hooks": {' in done.stdout
    assert "the folders of each account" in managed.stderr
    assert file.read_text() == SETTINGS
    assert not os.path.exists(place.state.path)


def test_with_nobody_at_the_terminal_it_needs_a_yes(
    place: Place, variables: Variables, file: Path
) -> None:
    done = place.run("install", "claude-code", variables=variables, stdin="y\n")

    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert file.read_text() == SETTINGS


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 1), ("", 1)])
def test_at_a_terminal_it_asks(
    place: Place, variables: Variables, file: Path, answer: str, status: int
) -> None:
    words = [AUTOMODE, "--state-folder", place.state.path, "--config-folder", place.config]
    environment = {**os.environ, **variables, "TERM": "xterm"}
    with Terminal([*words, "install", "claude-code"], environment, columns=100) as terminal:
        terminal.wait_for(lambda text: "Change it like this?" in text)
        terminal.type(f"{answer}\n")

        assert terminal.ended() == status

    assert (file.read_text() == SETTINGS) is (status == 1)


def test_without_claude_on_the_path_hooks_are_commands(
    place: Place, variables: Variables, file: Path
) -> None:
    done = install(place, {**variables, "PATH": "/usr/bin:/bin"})

    handler = json.loads(file.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    assert handler["command"].split(" # ")[0].endswith("|| exit 2")
    assert "no `claude` was found on the PATH" in " ".join(done.stdout.split())


REFUSALS: dict[str, Callable[[Path], object]] = {
    "was left alone": lambda file: file.write_text('{"a": 1,}'),
    "none in it would run": lambda file: file.write_text('{"disableAllHooks": true}'),
    "UTF-8": lambda file: file.write_bytes(b"\xff"),
}


@pytest.mark.parametrize(("why", "spoil"), REFUSALS.items(), ids=list(REFUSALS))
def test_what_cannot_work_is_refused_with_a_way_out(
    place: Place, variables: Variables, file: Path, why: str, spoil: Callable[[Path], object]
) -> None:
    spoil(file)

    done = install(place, variables, "--json")

    assert done.returncode == 2
    assert why in json.loads(done.stdout)["error"]
    assert json.loads(done.stdout)["hint"]
    assert not os.path.exists(place.state.path)


MISTAKES = {
    ("emacs",): "unknown agent: `emacs`",
    ("pi", "--managed"): "Pi with --user or --project only",
    ("pi", "--transport", "http"): "no --transport",
    ("claude-code", "--managed", "--transport", "http"): "a file that others read",
    ("claude-code", "--user", "--project"): "--user and --project exclude each other",
    ("pi", "--managed", "--user"): "--managed and --user exclude each other",
}


@each_row("words, why", MISTAKES.items())
def test_mistakes_are_said(
    place: Place, variables: Variables, words: tuple[str, ...], why: str
) -> None:
    done = place.run("install", *words, "--dry-run", variables=variables)

    assert done.returncode == 2
    assert why in done.stderr


def test_in_json_it_tells_what_it_did(place: Place, variables: Variables, file: Path) -> None:
    done = install(place, variables, "--json")

    told = json.loads(done.stdout)
    assert (told["agent"], told["scope"], told["applied"]) == ("claude-code", "user", True)
    assert [change["path"] for change in told["changes"]] == [
        str(file),
        *(f"{file.parent}/commands/{name}.md" for name in ("automode", "auto-mode")),
    ]
    assert any("Bearer …" in line for line in told["changes"][0]["diff"])


def test_when_several_install_at_once_one_does_and_the_others_say_so(
    place: Place, variables: Variables, file: Path
) -> None:
    words = [AUTOMODE, "--state-folder", place.state.path, "--config-folder", place.config]
    started = [
        subprocess.Popen(
            [*words, "install", "claude-code", "--yes"],
            env={**os.environ, **variables},
            cwd=place.project,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    ends = [(one.communicate()[1], one.returncode) for one in started]

    again = place.run("install", "claude-code", variables=variables)
    hooks = json.loads(file.read_text())["hooks"]
    out = place.run("uninstall", "claude-code", "--yes", variables=variables)

    assert 0 in [status for _, status in ends]
    for said, status in ends:
        assert status == 0 or "another installation" in said or "in the meantime" in said
    assert "nothing to change" in again.stdout
    assert [len(groups) for groups in hooks.values()] == [1] * len(AGENTS["claude-code"].moments)
    assert out.returncode == 0, out.stderr
    assert file.read_text() == SETTINGS
    assert os.listdir(file.parent) == [file.name]


def test_a_daemon_that_runs_is_named_because_it_does_not_know_the_files_yet(
    place: Place, variables: Variables
) -> None:
    place.run("daemon", "start")

    done = install(place, variables)

    assert "automode daemon restart" in done.stdout


def test_managed_hooks_name_no_account(place: Place) -> None:
    placement = Placement(place.state, place.config)

    managed, own = (program_for(scope, placement) for scope in (Scope.MANAGED, Scope.USER))

    assert (managed.state, managed.config) == ("~/.local/state/automode", "~/.config/automode")
    assert (own.state, own.config) == (place.state.path, place.config)


BEFORE = '{\n  "model": "opus", "hooks": { }\n}'


def _files(variables: Variables, *more: str) -> dict[str, bytes]:
    folders = (Path(variables["HOME"]), *map(Path, more))
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}


@pytest.mark.parametrize("agent", ["claude-code", "pi"])
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_every_file_comes_back_to_the_byte(
    place: Place, variables: Variables, file: Path, agent: str, scope: str
) -> None:
    file.write_text(BEFORE)
    before = _files(variables, place.project)
    installed = place.run("install", agent, scope, "--yes", variables=variables)
    between = _files(variables, place.project)

    done = place.run("uninstall", agent, scope, "--yes", variables=variables)

    assert (installed.returncode, done.returncode) == (0, 0), done.stderr
    assert between != before
    assert agent != "pi" or "new file" in installed.stdout
    assert any(place.state.path.encode() in text for text in between.values())
    assert _files(variables, place.project) == before


def test_what_would_go_is_shown_and_a_dry_run_leaves_it(place: Place, variables: Variables) -> None:
    nothing = place.run("uninstall", "claude-code", variables=variables)
    install(place, variables)
    installed = _files(variables)

    done = place.run("uninstall", "claude-code", "--dry-run", variables=variables)

    assert nothing.returncode == 0
    assert "nothing to change" in nothing.stdout
    assert any(line.startswith("-") and "PreToolUse" in line for line in done.stdout.splitlines())
    assert _files(variables) == installed


def test_what_was_cut_off_is_tidied_up(place: Place, variables: Variables, file: Path) -> None:
    install(place, variables)
    file.write_text(SETTINGS)  # as if it had never come so far

    done = place.run("uninstall", "claude-code", "--yes", variables=variables)
    again = place.run("uninstall", "claude-code", variables=variables)

    assert "leftovers of an interrupted installation are removed" in done.stdout
    assert _files(variables) == {str(file): SETTINGS.encode()}
    assert "nothing to change" in again.stdout


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_an_agent_is_one_whatever_state_folder_it_names(
    place: Place, variables: Variables, verb: str
) -> None:
    install(place, variables)
    installed = _files(variables)
    own = this_system().process(os.getpid())
    assert own is not None
    AgentList(frozenset({own.identity})).save(place.state)

    elsewhere = ("--state-folder", f"{place.state.path}-other")
    refused = place.run(verb, "claude-code", "--yes", *elsewhere, variables=variables)
    between = _files(variables)
    AgentList().save(place.state)
    done = place.run(verb, "claude-code", "--yes", *elsewhere, variables=variables)

    assert refused.returncode == 2
    assert f"process {os.getpid()} " in refused.stderr
    assert between == installed
    assert done.returncode == 0, done.stderr
    assert _files(variables) != installed
