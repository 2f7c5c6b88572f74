"""Where a command keeps and finds its state."""

import os
from pathlib import Path

import pytest

from automode.cli.options import OWN_HOST, Surroundings, own_session
from automode.core.errors import BadSettings
from automode.facts.place import home_folder


def test_the_usual_state_folder_is_the_account_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/somewhere/else")

    assert Surroundings().known_state().path == f"{home_folder()}/.local/state/automode"


@pytest.mark.parametrize(("given", "used"), [("/x/state", True), ("relative", False), ("", False)])
def test_a_person_s_variable_moves_it_if_it_is_absolute(
    monkeypatch: pytest.MonkeyPatch, given: str, used: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", given)

    assert (Surroundings().known_state().path == f"{given}/automode") is used


def test_a_named_folder_counts_before_everything(project: Path) -> None:
    for isolated in (False, True):
        found = Surroundings(state_folder="here", isolated=isolated).state()

        assert found is not None
        assert found.path == os.path.join(project, "here")


def test_isolated_has_none_of_its_own() -> None:
    isolated = Surroundings(isolated=True)

    assert isolated.state() is None
    with pytest.raises(BadSettings, match="state folder"):
        isolated.known_state()


def test_the_store_is_found_without_loading_what_decides(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOMODE_SETTINGS_JSON", '{"store": "postgresql://elsewhere/x"}')
    (config / "config.json").write_text('{"store": "postgresql://me@server/automode"}')
    named = Surroundings(config_folder=str(config))

    assert named.store() == named.load(None).settings.store == "postgresql://me@server/automode"
    assert Surroundings(isolated=True).store() == "sqlite"


def test_what_commands_decide_is_one_session_per_day() -> None:
    assert own_session() == own_session()
    assert own_session().host == OWN_HOST
    assert own_session().id.startswith("cli-20")
