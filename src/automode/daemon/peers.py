"""Who is at the other end of a connection, as the kernel says.

On a unix socket it says so at once. On loopback nobody says it, but Linux lists every connection
with its socket, and every process with the sockets it has open: looked up only where it matters.
"""

import os
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

_LOCAL = 0  # the level of the two options below, on macOS and the BSDs
_LOCAL_CREDENTIALS = 1
_LOCAL_PID = 2
_XUCRED = struct.Struct("=II")
_UCRED = struct.Struct("iII")
_CONNECTIONS = ("/proc/net/tcp", "/proc/net/tcp6")
_ESTABLISHED = "01"
_MAPPED = "0000000000000000FFFF0000"  # before an old address in the list of new ones

Address: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Peer:
    """`pid` 0: cannot be seen from here, as in a container. `line`: the connection over loopback,
    their end first; not looked up yet."""

    uid: int
    pid: int
    line: tuple[Address, Address] | None = None

    @property
    def ours(self) -> bool:
        return self.uid == os.geteuid()

    def is_process(self, pid: int) -> bool:
        """Whether it is this process that has the other end. False where that is unknown."""
        if self.line is None:
            return pid > 0 and self.pid == pid
        found = _socket_of(*self.line)
        return found is not None and _has_open(pid, found)


def peer_of(connection: socket.socket) -> Peer | None:
    """None when the kernel does not say: such a peer has no rights."""
    try:
        uid, pid = (
            _by_credentials(connection)
            if sys.platform == "linux"
            else _by_local_options(connection)
        )
        return Peer(uid, pid)
    except (OSError, struct.error):
        return None


def network_peer(connection: socket.socket) -> Peer | None:
    """Whoever connected over loopback, not yet looked up. None where it could not be."""
    if sys.platform != "linux":
        return None
    try:
        theirs, ours = connection.getpeername(), connection.getsockname()
    except OSError:
        return None
    match theirs, ours:
        case [str(their_host), int(their_port)], [str(our_host), int(our_port)]:
            return Peer(-1, 0, ((their_host, their_port), (our_host, our_port)))
        case _:
            return None


def _socket_of(theirs: Address, ours: Address) -> str | None:
    """How the kernel names the socket at their end of a connection."""
    try:
        ends = [_kernel_form(theirs), _kernel_form(ours)]
    except (OSError, struct.error):
        return None
    for path in _CONNECTIONS:
        with suppress(OSError), open(path, encoding="ascii", errors="replace") as rows:
            for row in rows:
                fields = row.replace(_MAPPED, "").split()
                if fields[1:4] == [*ends, _ESTABLISHED] and len(fields) > 9:
                    return f"socket:[{fields[9]}]"
    return None


def _kernel_form(address: Address) -> str:
    """As the kernel writes it: the bytes of the host in the machine's own order."""
    host, port = address
    (number,) = struct.unpack("=I", socket.inet_aton(host))
    return f"{number:08X}:{port:04X}"


def _has_open(pid: int, name: str) -> bool:
    return name in _open_files(f"/proc/{pid}/fd")


def _open_files(folder: str) -> Iterator[str]:
    with suppress(OSError):
        for entry in os.listdir(folder):
            with suppress(OSError):
                yield os.readlink(f"{folder}/{entry}")


def _by_credentials(connection: socket.socket) -> tuple[int, int]:
    given = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
    pid, uid, _ = _UCRED.unpack(given)
    return uid, pid


def _by_local_options(connection: socket.socket) -> tuple[int, int]:
    version_and_uid = connection.getsockopt(_LOCAL, _LOCAL_CREDENTIALS, 128)
    _, uid = _XUCRED.unpack_from(version_and_uid)
    (pid,) = struct.unpack("i", connection.getsockopt(_LOCAL, _LOCAL_PID, 4))
    return uid, pid
