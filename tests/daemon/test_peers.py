"""Who is at the other end of a socket."""

import os
import socket
from pathlib import Path

from automode.daemon.peers import Peer, peer_of


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


def test_another_account_is_not_ours() -> None:
    assert not Peer(os.geteuid() + 1, 1).ours


def test_where_the_kernel_does_not_say_nobody_is_there() -> None:
    connection = socket.socket(socket.AF_UNIX)
    connection.close()

    assert peer_of(connection) is None
