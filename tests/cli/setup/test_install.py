"""`automode install` and `uninstall`: show, ask, write, and give every byte back."""

import json
import os
import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from automode.agents.catalog import AGENTS
from automode.agents.claude_code.settings import NAMES
from automode.daemon.agents import AgentList
from automode.facts.processes import this_system
from tests.cli.daemons import Place
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
    done = install(place, variables, "--diff")
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
    done = place.run("install", "claude-code", "--dry-run", "--diff", variables=variables)
    managed = place.run("install", "claude-code", "--managed", "--dry-run", variables=variables)

    assert done.returncode == 0
    assert '+  "hooks": {' in done.stdout
    assert "the folders of each account" in managed.stderr
    assert file.read_text() == SETTINGS
    assert not os.path.exists(place.state.path)


def test_a_summary_of_at_most_ten_lines_names_each_file_and_says_what_shows_the_rest(
    place: Place, variables: Variables, file: Path
) -> None:
    done = place.run("install", "claude-code", "--dry-run", variables=variables)
    install(place, variables)
    back = place.run("uninstall", "claude-code", "--dry-run", variables=variables)

    for text in (done.stdout, back.stdout):
        assert len(text.splitlines()) <= 10
        assert "install claude-code --diff` shows every line" in text
    assert re.search(rf"{file}: \d+ lines added, \d removed", done.stdout)
    assert f"{file.parent}/commands/automode.md: new file, " in done.stdout
    assert f"{file.parent}/commands/automode.md: deleted, " in back.stdout


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


def test_a_daemon_that_runs_is_named_because_it_does_not_know_the_files_yet(
    place: Place, variables: Variables
) -> None:
    place.run("daemon", "start")

    done = install(place, variables)

    assert "automode daemon restart" in done.stdout


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

    done = place.run("uninstall", "claude-code", "--dry-run", "--diff", variables=variables)

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
