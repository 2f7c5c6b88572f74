"""The false daemon talks nonsense, and goes."""

import os
import socket
from pathlib import Path

from conformance.false_daemon import NONSENSE, false_daemon


def said(line: socket.socket) -> bytes:
    with line:
        line.settimeout(30)
        line.sendall(b"AM1 hook\n")
        found = b""
        while data := line.recv(65_536):
            found += data
        return found


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def at(path: str) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    return line


def test_it_says_each_nonsense_in_turn_on_both_doors(tmp_path: Path) -> None:
    path, port = str(tmp_path / "d"), free_port()

    with false_daemon(path, port):
        over_socket = tuple(said(at(path)) for _ in NONSENSE)
        over_tcp = said(socket.create_connection(("127.0.0.1", port)))

    assert over_socket == NONSENSE
    assert over_tcp == NONSENSE[0]
    assert not os.path.exists(path)


def test_it_takes_the_place_of_a_socket_that_was_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "d"
    path.touch()

    with false_daemon(str(path), None):
        assert said(at(str(path))) == NONSENSE[0]
