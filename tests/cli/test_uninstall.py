"""`automode uninstall`: gives the agent's files back."""

import os
from pathlib import Path

import pytest

from automode.daemon.agent_list import save_agents
from automode.facts.process_table import this_system
from tests.cli.daemons import Place

pytestmark = pytest.mark.usefixtures("a_person")
SETTINGS = '{\n  "model": "opus", "hooks": { }\n}'


@pytest.fixture
def home(place: Place) -> Path:
    folder = Path(place.project).parent / "home"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude" / "settings.json").write_text(SETTINGS)
    return folder


def variables(home: Path) -> dict[str, str]:
    names = ("CLAUDE_CONFIG_DIR", "PI_CODING_AGENT_DIR")
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", **dict.fromkeys(names, "")}


@pytest.mark.parametrize("agent", ["claude-code", "pi"])
@pytest.mark.parametrize("scope", ["--user", "--project"])
def test_every_file_comes_back_to_the_byte(
    place: Place, home: Path, agent: str, scope: str
) -> None:
    before = _files(home) | _files(Path(place.project))
    installed = place.run("install", agent, scope, "--yes", variables=variables(home))
    between = _files(home) | _files(Path(place.project))

    done = place.run("uninstall", agent, scope, "--yes", variables=variables(home))

    assert (installed.returncode, done.returncode) == (0, 0), done.stderr
    assert between != before
    assert _files(home) | _files(Path(place.project)) == before


def test_what_would_go_is_shown_and_a_dry_run_leaves_it(place: Place, home: Path) -> None:
    place.run("install", "claude-code", "--yes", variables=variables(home))
    installed = _files(home)

    done = place.run("uninstall", "claude-code", "--dry-run", variables=variables(home))

    assert any(line.startswith("-") and "PreToolUse" in line for line in done.stdout.splitlines())
    assert _files(home) == installed


def test_what_was_cut_off_is_tidied_up(place: Place, home: Path) -> None:
    place.run("install", "claude-code", "--yes", variables=variables(home))
    (home / ".claude" / "settings.json").write_text(SETTINGS)  # as if it had never come so far

    done = place.run("uninstall", "claude-code", "--yes", variables=variables(home))
    again = place.run("uninstall", "claude-code", variables=variables(home))

    assert "what an installation that was cut off has left goes" in done.stdout
    assert _files(home) == {str(home / ".claude" / "settings.json"): SETTINGS.encode()}
    assert "nothing to change" in again.stdout


def test_where_nothing_is_installed_it_says_so(place: Place, home: Path) -> None:
    done = place.run("uninstall", "claude-code", variables=variables(home))

    assert done.returncode == 0
    assert "nothing to change" in done.stdout


def test_an_agent_cannot_uninstall(place: Place, home: Path) -> None:
    place.run("install", "claude-code", "--yes", variables=variables(home))
    installed = _files(home)

    inside = {**variables(home), "CLAUDECODE": "1"}
    done = place.run("uninstall", "claude-code", "--yes", variables=inside)

    assert done.returncode == 2
    assert "only a person may do this" in done.stderr
    assert _files(home) == installed


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_an_agent_is_one_whatever_state_folder_it_names(
    place: Place, home: Path, verb: str
) -> None:
    place.run("install", "claude-code", "--yes", variables=variables(home))
    installed = _files(home)
    own = this_system().process(os.getpid())
    assert own is not None
    save_agents(place.state, {own.identity: ""}, ())

    elsewhere = ("--state-folder", f"{place.state.path}-other")
    refused = place.run(verb, "claude-code", "--yes", *elsewhere, variables=variables(home))
    between = _files(home)
    save_agents(place.state, {}, ())
    done = place.run(verb, "claude-code", "--yes", *elsewhere, variables=variables(home))

    assert refused.returncode == 2
    assert f"process {os.getpid()} " in refused.stderr
    assert between == installed
    assert done.returncode == 0, done.stderr
    assert _files(home) != installed


def _files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}
