"""The client for programs: answers, errors that say the way out, and no trust in strangers."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from automode.core.errors import AutomodeError
from automode.daemon.client import (
    NoDaemon,
    NotAnswering,
    Status,
    VerbFailed,
    present,
    request,
    running,
)
from automode.daemon.frames import BadFrame, Refused
from automode.store.folder import StateFolder
from tests.daemon.conftest import PATIENCE, Running
from tests.rows import each_row


def test_a_running_daemon_says_who_it_is(shared: Running) -> None:
    found = running(shared.folder)

    assert found is not None
    assert found.pid == shared.process.pid
    assert found.http_port is not None


def test_an_error_of_the_daemon_comes_with_its_hint(shared: Running) -> None:
    with pytest.raises(VerbFailed, match="no such verb: `dance`") as raised:
        request(shared.folder, "dance")

    assert "status" in raised.value.hint


def test_without_a_daemon_there_is_none(folder: StateFolder, tmp_path: Path) -> None:
    assert running(folder) is None
    assert running(StateFolder(str(tmp_path / "nowhere"))) is None
    with pytest.raises(NoDaemon, match="no daemon listens") as raised:
        request(folder, "status")
    assert raised.value.hint == "start one with `automode daemon start`"


@contextmanager
def stranger(folder: StateFolder, said: bytes) -> Iterator[None]:
    """Somebody who listens in the daemon's place, says this, and hangs up."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(folder.socket)
        listening.listen()

        def serve() -> None:
            accepted, _ = listening.accept()
            with accepted:
                accepted.recv(65_536)
                accepted.sendall(said)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join(PATIENCE)


STRANGERS: dict[str, tuple[bytes, type[AutomodeError]]] = {
    "nothing": (b"", NoDaemon),
    "another protocol": (b"HTTP/1.1 200 OK\r\n\r\n", BadFrame),
    "half an answer": (b"AM1 heard\nAM1 0 100 0\n{", NoDaemon),
    "no JSON": (b"AM1 heard\nAM1 0 2 0\n{]", BadFrame),
    "no object": (b"AM1 heard\nAM1 0 2 0\n[]", BadFrame),
    "more than can be": (b"AM1 0 999999999 0\n", BadFrame),
    "a failure without words": (b"AM1 1 2 0\n{}", VerbFailed),
    "a refusal": (b"AM1 refused go away\n", Refused),
}


@pytest.mark.parametrize(("said", "error"), STRANGERS.values(), ids=STRANGERS.keys())
def test_a_strange_answer_is_an_error_and_never_an_answer(
    folder: StateFolder, said: bytes, error: type[AutomodeError]
) -> None:
    with stranger(folder, said), pytest.raises(error):
        request(folder, "status")


def test_who_does_not_say_who_it_is_is_no_daemon(folder: StateFolder) -> None:
    with stranger(folder, b"AM1 0 2 0\n{}"), pytest.raises(BadFrame, match="who it is"):
        running(folder)


def test_one_that_lets_nobody_in_any_more_is_not_taken_for_none(folder: StateFolder) -> None:
    with socket.socket(socket.AF_UNIX) as listening, ExitStack() as waiting:
        listening.bind(folder.socket)
        listening.listen(0)
        with suppress(BlockingIOError):
            for _ in range(10):
                one = waiting.enter_context(socket.socket(socket.AF_UNIX))
                one.setblocking(False)
                one.connect(folder.socket)

        with pytest.raises(NotAnswering):
            present(folder)


def test_one_that_takes_too_long_is_not_to_be_restarted_at_once(folder: StateFolder) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(folder.socket)
        listening.listen()
        asking = threading.Thread(target=lambda: _heard(listening))
        asking.start()

        with pytest.raises(NotAnswering, match="has not answered in time") as raised:
            request(folder, "purge", seconds=0.2)
        asking.join(PATIENCE)

    assert "if that lasts" in raised.value.hint


def _heard(listening: socket.socket) -> None:
    accepted, _ = listening.accept()
    with accepted:
        accepted.sendall(b"AM1 heard\n")
        while accepted.recv(65_536):
            pass


MINE = frozenset({"mine", "-"})
SERVED = {
    "the same": (frozenset({"mine"}), False),
    "one of two words": (frozenset({"-", "usual"}), False),
    "others": (frozenset({"theirs"}), True),
    "it does not say": (frozenset[str](), False),
}


@each_row("words, others", SERVED.values())
def test_settings_are_others_only_where_that_is_said(words: frozenset[str], others: bool) -> None:
    assert Status(1, "1", 0.0, None, words).serves_others(MINE) is others


SQUATTER = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
listening.listen()
print("listening", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="NOT ROOT: no other account can be tried")
def test_another_accounts_socket_gets_no_token(folder: StateFolder) -> None:
    for place in [Path(folder.path), *Path(folder.path).parents][:-1]:
        if place != Path("/tmp"):
            place.chmod(0o777 if place == Path(folder.path) else 0o755)
    with subprocess.Popen(
        [sys.executable, "-c", SQUATTER, folder.socket],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as squatter:
        assert squatter.stdout is not None
        assert squatter.stdout.readline() == b"listening\n"

        with pytest.raises(NoDaemon, match="belongs to another account"):
            request(folder, "status")
        squatter.communicate()
