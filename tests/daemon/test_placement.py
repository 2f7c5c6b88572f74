"""Where a daemon's settings stand, whoever starts it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from automode.daemon.frames import USUAL_SETTINGS, settings_word
from automode.daemon.placement import Placement
from automode.facts.place import home_folder
from automode.store.folder import StateFolder

USUAL = os.path.join(home_folder(), ".config", "automode")


@pytest.fixture
def placement(tmp_path: Path) -> Placement:
    return Placement(StateFolder(str(tmp_path / "state")))


def test_no_variable_moves_the_settings_of_a_running_daemon(placement: Placement) -> None:
    places = placement.places(None)

    assert places.environment == {}
    assert places.trust_file == os.path.join(USUAL, "trust.json")


def test_a_folder_that_was_named_is_used_and_made_absolute(tmp_path: Path) -> None:
    named = Placement(StateFolder(str(tmp_path)), "relative")

    assert named.config == os.path.abspath("relative")


def test_hooks_that_name_no_settings_mean_the_usual_ones(tmp_path: Path) -> None:
    state = StateFolder(str(tmp_path))
    usual, other = Placement(state), Placement(state, str(tmp_path))

    assert usual.settings_words == Placement(state, USUAL).settings_words
    assert usual.settings_words == {USUAL_SETTINGS, settings_word(USUAL)}
    assert other.settings_words == {settings_word(str(tmp_path))}


SAYING = """
import sys
from automode.daemon.frames import USUAL_SETTINGS, settings_word
from automode.daemon.placement import Placement
from automode.store.folder import StateFolder
print(Placement(StateFolder(sys.argv[1])).config)
"""


def test_no_variable_counts_for_a_daemon_whoever_starts_it(placement: Placement) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SAYING, placement.state.path],
        env={"XDG_CONFIG_HOME": "/elsewhere"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == USUAL
