"""Something that sits where the daemon should be and talks nonsense, on the socket and the port."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from automode.agents.scripted.loopback import LOOPBACK

PATIENCE_SECONDS = 30.0
NONSENSE = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 8\r\n\r\ngo ahead",
    b"allow\n",
    bytes(range(256)),
    b"",
)
"""What it says, in turn. None of it is an answer; some of it could be taken for a yes."""


@contextmanager
def false_daemon(path: str, port: int | None) -> Iterator[None]:
    """Listens at `path` and, where one is given, on `port` of loopback, until it is left."""
    over = Event()
    with suppress(FileNotFoundError):
        os.unlink(path)
    doors = [_unix_door(path), *([_tcp_door(port)] if port is not None else [])]
    threads = [Thread(target=_talk, args=(door, over), daemon=True) for door in doors]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
        with suppress(FileNotFoundError):
            os.unlink(path)


def _unix_door(path: str) -> socket.socket:
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.bind(path)
    door.listen(16)
    return door


def _tcp_door(port: int) -> socket.socket:
    """Whoever had the port before may not have let go of it yet."""
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            door.bind((LOOPBACK, port))
        except OSError:
            if time.monotonic() > deadline:
                door.close()
                raise
            time.sleep(0.05)
        else:
            door.listen(16)
            return door


def _talk(door: socket.socket, over: Event) -> None:
    door.settimeout(0.1)
    served = 0
    with door:
        while not over.is_set():
            try:
                line, _ = door.accept()
            except TimeoutError:
                continue
            with line, suppress(OSError):
                line.settimeout(1.0)
                line.recv(65_536)
                line.sendall(NONSENSE[served % len(NONSENSE)])
            served += 1
