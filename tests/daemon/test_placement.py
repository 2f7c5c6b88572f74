"""Where a daemon's settings stand, whoever starts it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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

    assert named.config_for({}) == os.path.abspath("relative")


SAYING = """
import os, sys
from automode.daemon.placement import Placement
from automode.store.folder import StateFolder
print(Placement(StateFolder(sys.argv[1])).config_for(os.environ))
"""


@pytest.mark.parametrize("marked", [True, False])
def test_a_variable_counts_for_a_persons_own_command_and_not_for_an_agents(
    placement: Placement, marked: bool
) -> None:
    agent = marked or placement.below_an_agent() is not None
    environment = {"XDG_CONFIG_HOME": "/elsewhere"} | ({"CLAUDECODE": "1"} if marked else {})

    done = subprocess.run(
        [sys.executable, "-c", SAYING, placement.state.path],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == (USUAL if agent else "/elsewhere/automode")
