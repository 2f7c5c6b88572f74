"""Exactly one daemon has a folder; only it replaces the socket."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from automode.daemon.one_daemon import (
    OneDaemon,
    held,
    holder,
)
from automode.store.folder import BadFolder, StateFolder

pytestmark = pytest.mark.slow

HOLDING = """
import sys, time
from automode.daemon.one_daemon import OneDaemon
from automode.store.folder import StateFolder
one = OneDaemon.claimed(StateFolder(sys.argv[1]).prepared())
if "listen" in sys.argv:
    listening = one.bind()
print("held", flush=True)
sys.stdin.read()
if "linger" in sys.argv:
    one.withdraw()
    time.sleep(0.5)
"""


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(str(tmp_path / "state")).prepared()


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

    one = OneDaemon.claimed(folder)
    with one.bind():
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(folder.socket)
        assert one.reachable
    one.release()

    assert not os.path.exists(folder.socket)
    assert not held(folder)


def test_the_socket_is_for_its_owner_alone(folder: StateFolder) -> None:
    one = OneDaemon.claimed(folder)
    with one.bind():
        assert stat.S_IMODE(os.stat(folder.socket).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(folder.path).st_mode) == 0o700
    one.release()


def test_anothers_socket_is_left_alone(folder: StateFolder) -> None:
    one = OneDaemon.claimed(folder)
    with one.bind(), socket.socket(socket.AF_UNIX) as other:
        os.unlink(folder.socket)
        other.bind(folder.socket)

        assert not one.reachable
        one.release()

        assert os.path.exists(folder.socket)


def test_a_path_too_long_for_a_socket_is_said(tmp_path: Path) -> None:
    deep = StateFolder(str(tmp_path / ("deep" * 30))).prepared()
    one = OneDaemon.claimed(deep)

    with pytest.raises(BadFolder, match="too long"):
        one.bind()
    one.release()


# What stands in the file; whether it is believed while a process has the lock.
FACTS = {
    '{"pid": %d}': True,
    '{"pid": 1}': False,
    '{"pid": "x"}': False,
    "no": False,
    "[]": False,
}


@pytest.mark.parametrize(("text", "believed"), FACTS.items())
def test_who_has_the_lock_is_believed_to_hold_it(
    folder: StateFolder, text: str, believed: bool
) -> None:
    with another(folder) as first:
        named = text.replace("%d", str(first.pid))
        Path(folder.daemon_facts).write_text(named)
        found = holder(folder)
        first.communicate()

    assert found == (first.pid if believed and os.path.isdir("/proc/self") else None)


def test_another_process_that_is_named_as_the_daemon_is_not_ended(folder: StateFolder) -> None:
    Path(folder.daemon_facts).write_text(json.dumps({"pid": os.getpid()}))

    with another(folder) as first:
        found = holder(folder)
        first.communicate()

    assert found is None


def test_who_listens_holds_it_whatever_the_file_says(folder: StateFolder) -> None:
    Path(folder.daemon_facts).write_text(json.dumps({"pid": os.getpid()}))

    with another(folder, "listen") as first:
        first.send_signal(signal.SIGSTOP)
        found = holder(folder)
        first.send_signal(signal.SIGCONT)
        first.communicate()

    assert found == first.pid


def test_nobody_holds_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert not held(StateFolder(str(tmp_path / "none")))
    assert holder(StateFolder(str(tmp_path / "none"))) is None
