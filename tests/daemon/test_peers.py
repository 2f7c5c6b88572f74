"""Who is at the other end of a socket."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from automode.daemon.peers import Peer, network_peer, peer_of

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists connections")


def test_the_kernel_says_who_connected(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as client:
        listening.bind(path)
        listening.listen()
        client.connect(path)
        accepted, _ = listening.accept()
        with accepted:
            peer = peer_of(accepted)

    assert peer == Peer(os.geteuid(), os.getpid())
    assert peer.ours


def test_where_the_kernel_does_not_say_nobody_is_there() -> None:
    connection = socket.socket(socket.AF_UNIX)
    connection.close()

    assert peer_of(connection) is None
    assert not Peer(os.geteuid() + 1, 1).ours
    assert [Peer(os.geteuid(), 77).is_process(pid) for pid in (77, 78)] == [True, False]
    assert not Peer(os.geteuid(), 0).is_process(0)
    assert not Peer(-1, 0, (("nowhere", 1), ("127.0.0.1", 2))).is_process(os.getpid())


@contextmanager
def accepted(family: socket.AddressFamily = socket.AF_INET) -> Iterator[socket.socket]:
    """Our end of a connection over loopback whose other end is this process too."""
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket(family) as client:
        host = "127.0.0.1" if family is socket.AF_INET else "::ffff:127.0.0.1"
        client.connect((host, listening.getsockname()[1]))
        connection, _ = listening.accept()
        with connection:
            yield connection


@LINUX
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_over_loopback_the_process_at_the_other_end_is_known(
    family: socket.AddressFamily,
) -> None:
    with accepted(family) as connection:
        peer = network_peer(connection)

        assert peer is not None
        assert not peer.ours
        assert peer.is_process(os.getpid())


CALLING = """
import socket, sys
client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
print("there", flush=True)
sys.stdin.read()
"""


@LINUX
def test_another_process_at_the_other_end_is_not_taken_for_its_parent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        words = [sys.executable, "-c", CALLING, str(listening.getsockname()[1])]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            connection, _ = listening.accept()
            with connection:
                peer = network_peer(connection)

                assert peer is not None
                assert peer.is_process(child.pid)
                assert not peer.is_process(os.getpid())
                assert not peer.is_process(0)
            child.communicate()


@LINUX
def test_who_has_hung_up_is_nobody() -> None:
    with accepted() as connection:
        peer = network_peer(connection)
    assert peer is not None

    assert not peer.is_process(os.getpid())


def test_a_connection_that_is_none_has_no_other_end() -> None:
    with socket.socket() as alone:
        assert network_peer(alone) is None
    near, far = socket.socketpair()
    with near, far:
        assert network_peer(near) is None
