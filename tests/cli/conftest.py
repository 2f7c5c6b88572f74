"""A project and a configuration folder on disk, and the command line to call on them."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from automode.agents.catalog import ADAPTERS
from automode.cli.main import cli
from automode.daemon.agents import markers_of
from automode.facts.processes import agent_above
from automode.llm.providers import PROVIDERS
from automode.store.folder import StateFolder
from tests.cli.daemons import Place
from tests.cli.daemons import place as place_of_its_own

Run = Callable[..., Result]
Write = Callable[[object], None]


def words_of(text: str) -> str:
    """Without line breaks and indents."""
    return " ".join(text.split())


@pytest.fixture(autouse=True)
def no_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, no keyring and no usage of whoever runs the tests."""
    for provider in PROVIDERS.values():
        for variable in provider.key_variables:
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    """The state folder of whoever runs `automode` here."""
    return StateFolder(str(tmp_path / "state" / "automode"))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The person's configuration folder."""
    folder = tmp_path / "config"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a project."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def settings(config: Path) -> Write:
    """Writes the person's settings."""

    def write(value: object) -> None:
        (config / "config.json").write_text(json.dumps(value))

    return write


@pytest.fixture
def automode(config: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `automode` with these words, in the project, with the settings of this place."""
    for variable in ("AUTOMODE_SETTINGS_JSON", "PI_AUTOMODE_SETTINGS_JSON", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")

    def run(*args: str, stdin: str | bytes | None = None, color: bool = False) -> Result:
        words = ["--config-folder", str(config), *args]
        return CliRunner().invoke(cli, words, input=stdin, color=color, prog_name="automode")

    return run


@pytest.fixture
def place() -> Iterator[Place]:
    """Everything of one user, where a daemon may be started."""
    with place_of_its_own() as found:
        yield found


@pytest.fixture
def served(place: Place, a_person: None) -> Place:
    """The same, with a daemon."""
    started = place.run("daemon", "start")
    assert started.returncode == 0, started.stderr
    return place


@pytest.fixture(scope="session")
def a_person() -> None:
    """What only a person may do cannot be tried from inside an agent."""
    why = agent_above(os.getpid(), markers=markers_of(ADAPTERS.values()))
    if why is not None:
        pytest.skip(f"RUN THESE TESTS IN A TERMINAL OF YOUR OWN: {why}")
