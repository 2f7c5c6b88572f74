"""Where a command keeps and finds its state, and times as people read and type them."""

import os
from datetime import datetime
from pathlib import Path

import pytest

from automode.cli.options import Surroundings, own_session
from automode.cli.printing import duration, local, moment
from automode.core.errors import BadCall, BadSettings
from automode.core.record import OWN_HOST
from automode.facts.place import home_folder
from tests.rows import each_row

NOW = 1_800_000_000.0


def test_the_usual_state_folder_is_the_account_s_unless_a_variable_or_an_option_moves_it(
    monkeypatch: pytest.MonkeyPatch, project: Path
) -> None:
    monkeypatch.setenv("HOME", "/somewhere/else")
    usual = f"{home_folder()}/.local/state/automode"
    for given, path in (("/x/state", "/x/state/automode"), ("relative", usual), ("", usual)):
        monkeypatch.setenv("XDG_STATE_HOME", given)
        assert Surroundings().known_state().path == path
    for isolated in (False, True):
        named = Surroundings(state_folder="here", isolated=isolated)
        assert named.known_state().path == os.path.join(project, "here")


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


def test_an_age_is_told_roughly_and_is_never_negative() -> None:
    ages = {-50: "0 s", 0: "0 s", 59: "59 s", 60: "1 min", 3599: "59 min", 3600: "1 h"}

    for seconds, text in (ages | {86_399: "23 h", 90_000: "1 d"}).items():
        assert duration(seconds) == text
    assert local(1e30) == f"{1e30:.0f} s"
    assert local(NOW).startswith("2027-01-1")


AGO = {"10s": 10, "5m": 300, "5 min": 300, "2h": 7200, "3d": 259_200, "1W": 604_800, " 2h ": 7200}


def test_an_age_or_a_date_names_a_moment() -> None:
    for text, seconds in AGO.items():
        assert moment(text, NOW) == NOW - seconds
    for text in ("2026-11-15", "2026-11-15T14:30", "2026-11-15T14:30:05+02:00"):
        assert moment(text, NOW) == datetime.fromisoformat(text).timestamp()


@each_row("text", ["", "soon", "2x", "-3d", "2026-13-01", "99999999d", "1e9"])
def test_what_is_no_time_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(BadCall, match="no time") as caught:
        moment(text, NOW)

    assert "`2h`" in caught.value.hint
