"""What the lists of agents hold, and what becomes of lists that are not ours, or of another day."""

import json
from pathlib import Path

import pytest

from automode.daemon.agent_list import (
    MOST_DEPARTED,
    departed_agents,
    known_agents,
    known_speakers,
    save_agents,
    save_speakers,
)
from automode.facts.ancestry import Departed
from automode.facts.process_table import this_system
from automode.store.folder import StateFolder

GONE = 10**7


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(str(tmp_path / "state")).prepared()


def test_what_is_kept_is_found_again(folder: StateFolder) -> None:
    ended = Departed((GONE + 1, "5"), "0::/a", "9")
    save_agents(folder, {(GONE, "7"): "0::/b", (GONE + 2, "8"): ""}, [ended])
    save_speakers(folder, {"s": (GONE, "7")})

    assert known_agents(folder) == {(GONE, "7"), (GONE + 2, "8")}
    assert known_speakers(folder) == {"s": (GONE, "7")}
    # Nobody saw how the other one ended; of the third nobody knows where it was.
    assert departed_agents(folder, this_system()) == (ended, Departed((GONE, "7"), "0::/b"))


def test_a_list_of_an_earlier_release_is_read(folder: StateFolder) -> None:
    (Path(folder.path) / "agents.json").write_text('[[1, "2"]]')

    assert known_agents(folder) == {(1, "2")}
    assert departed_agents(folder, this_system()) == ()


ROWS: dict[str, list[object]] = {
    "before the machine was started anew": [1, "2", "0::/a", "3", "another start"],
    "no group": [1, "2", "", "3", ""],
    "no text": [1, 2, 3, 4, 5],
    "too long": [1, "2", "3", "4", "5", "6"],
    "nothing": [],
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_what_says_nothing_of_today_is_left_out(folder: StateFolder, row: list[object]) -> None:
    (Path(folder.path) / "agents.json").write_text(json.dumps([row]))

    assert known_agents(folder) == frozenset()
    assert departed_agents(folder, this_system()) == ()


def test_of_those_that_ended_the_latest_are_kept(folder: StateFolder) -> None:
    many = [Departed((number, "1"), "0::/a", "2") for number in range(2 * MOST_DEPARTED)]
    save_agents(folder, {}, many)

    assert departed_agents(folder, this_system()) == tuple(many[-MOST_DEPARTED:])


def test_a_folder_that_takes_no_list_is_no_fault(tmp_path: Path) -> None:
    nowhere = StateFolder(str(tmp_path / "nowhere"))
    save_agents(nowhere, {(1, "2"): ""}, [])

    assert known_agents(nowhere) == frozenset()
