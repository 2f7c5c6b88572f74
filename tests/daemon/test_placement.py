"""Where a daemon's settings stand, whoever starts it; and exactly one daemon has a folder."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from automode.daemon.frames import USUAL_SETTINGS, settings_word
from automode.daemon.placement import (
    UNKNOWN,
    OneDaemon,
    Placement,
    holder,
    http_port,
    is_held,
    newer,
)
from automode.facts.place import home_folder
from automode.store.folder import BadFolder, StateFolder
from tests.rows import each_row

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


def test_the_port_of_hooks_is_chosen_once(placement: Placement) -> None:
    folder = placement.state.prepared()

    port = http_port(folder)

    assert 20_000 <= port < 30_000
    assert http_port(folder) == port
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))


@pytest.mark.parametrize("text", ["", "0", "65536", "-1", "eighty", "20000 20001", "²"])
def test_what_is_no_port_is_said_to_be_none(placement: Placement, text: str) -> None:
    folder = placement.state.prepared()
    with open(os.open(folder.http_port, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(text)

    with pytest.raises(BadFolder) as caught:
        http_port(folder)

    assert folder.http_port in str(caught.value)
    assert caught.value.hint


NEWER = [
    ("0.2.0", "0.1.0"),
    ("0.10", "0.9.9"),
    ("1.0", "0.99"),
    ("1.0.1", "1.0"),
    ("2", "1.9rc1"),
]
NOT_NEWER = [
    ("0.1.0", "0.1.0"),
    ("0.1", "0.1.0"),
    ("0.1.0", "0.2.0"),
    ("", "0.1.0"),
    ("banana", "0.1.0"),
    ("0.1.0", UNKNOWN),
    ("0.1.0+local", "0.1.0"),
]


@each_row(
    "one, other, later", [(*pair, True) for pair in NEWER] + [(*pair, False) for pair in NOT_NEWER]
)
def test_a_later_release_is_newer_and_nothing_else(one: str, other: str, later: bool) -> None:
    assert newer(one, other) is later


HOLDING = """
import sys
from automode.daemon.placement import OneDaemon
from automode.store.folder import StateFolder
one = OneDaemon.claim(StateFolder(sys.argv[1]).prepared())
if "listen" in sys.argv:
    listening = one.bind()
print("held", flush=True)
sys.stdin.read()
"""


def another(folder: StateFolder, *how: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, folder.path, *how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_dead_daemon_holds_nothing_and_its_socket_is_replaced(folder: StateFolder) -> None:
    with another(folder, "listen") as first:
        first.kill()
        first.communicate()
    assert os.path.exists(folder.socket)

    one = OneDaemon.claim(folder)
    with one.bind():
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(folder.socket)
        assert one.reachable
    one.release()

    assert not os.path.exists(folder.socket)
    assert not is_held(folder)


def test_the_socket_is_for_its_owner_alone_and_anothers_is_left_alone(folder: StateFolder) -> None:
    one = OneDaemon.claim(folder)
    with one.bind(), socket.socket(socket.AF_UNIX) as other:
        assert stat.S_IMODE(os.stat(folder.socket).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(folder.path).st_mode) == 0o700
        os.unlink(folder.socket)
        other.bind(folder.socket)

        assert not one.reachable
        one.release()

        assert os.path.exists(folder.socket)


def test_a_path_too_long_for_a_socket_is_said(tmp_path: Path) -> None:
    deep = StateFolder(str(tmp_path / ("deep" * 30))).prepared()
    one = OneDaemon.claim(deep)

    with pytest.raises(BadFolder, match="too long"):
        one.bind()
    one.release()


def test_who_listens_holds_it_whatever_the_file_says(folder: StateFolder) -> None:
    Path(folder.daemon_facts).write_text(json.dumps({"pid": os.getpid()}))

    with another(folder, "listen") as first:
        first.send_signal(signal.SIGSTOP)
        found = holder(folder)
        first.send_signal(signal.SIGCONT)
        first.communicate()

    assert found == first.pid
