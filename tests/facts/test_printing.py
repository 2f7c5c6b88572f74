"""To whom a process prints, on real processes with real sockets, pipes and files."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from automode.facts.printing import prints_to

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="NO /proc: another system")
WAITS = "import sys; sys.stdin.read()"


@contextmanager
def running(output: int) -> Iterator[int]:
    with subprocess.Popen(
        [sys.executable, "-c", WAITS], stdin=subprocess.PIPE, stdout=output
    ) as process:
        yield process.pid
        process.communicate()


@contextmanager
def printing_to(what: str, folder: Path) -> Iterator[int]:
    """A process whose standard output is that."""
    with ExitStack() as held:
        if what == "a pair of sockets":
            ours, theirs = socket.socketpair()
            held.enter_context(ours)
            held.enter_context(theirs)
            output = theirs.fileno()
        elif what == "a socket with a name":
            listener = held.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(str(folder / "named"))
            listener.listen()
            client = held.enter_context(socket.socket(socket.AF_UNIX))
            client.connect(str(folder / "named"))
            held.enter_context(listener.accept()[0])
            output = client.fileno()
        elif what == "a socket on the network":
            server = held.enter_context(socket.create_server(("127.0.0.1", 0)))
            client = held.enter_context(socket.create_connection(server.getsockname()))
            held.enter_context(server.accept()[0])
            output = client.fileno()
        elif what == "a pipe":
            reading, output = os.pipe()
            held.callback(os.close, reading)
            held.callback(os.close, output)
        else:
            output = held.enter_context((folder / "output").open("wb")).fileno()
        yield held.enter_context(running(output))


OUTPUTS = {
    "a pair of sockets": True,
    "a socket with a name": False,
    "a socket on the network": False,
    "a pipe": False,
    "a file": False,
}


@pytest.mark.parametrize(("what", "held"), OUTPUTS.items(), ids=OUTPUTS.keys())
def test_only_a_pair_of_sockets_shows_who_holds_the_other_end(
    tmp_path: Path, what: str, held: bool
) -> None:
    with printing_to(what, tmp_path) as pid:
        assert prints_to(pid, os.getpid()) == held
        assert not prints_to(pid, os.getppid())


def test_a_process_that_is_gone_prints_to_nobody() -> None:
    with running(subprocess.DEVNULL) as pid:
        pass

    assert not prints_to(pid, os.getpid())
    assert not prints_to(os.getpid(), 10**7)
