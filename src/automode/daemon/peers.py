"""Who is at the other end of a unix socket, as the kernel says."""

import os
import socket
import struct
import sys
from dataclasses import dataclass

_LOCAL = 0  # the level of the two options below, on macOS and the BSDs
_LOCAL_CREDENTIALS = 1
_LOCAL_PID = 2
_XUCRED = struct.Struct("=II")


@dataclass(frozen=True, slots=True)
class Peer:
    """`pid` 0: a process that cannot be seen from here, in a container for example."""

    uid: int
    pid: int

    @property
    def ours(self) -> bool:
        return self.uid == os.geteuid()


def peer_of(connection: socket.socket) -> Peer | None:
    """None when the kernel does not say: such a peer is nobody."""
    try:
        if sys.platform == "linux":
            return _by_credentials(connection)
        return _by_local_options(connection)
    except (OSError, struct.error):
        return None


def _by_credentials(connection: socket.socket) -> Peer:
    layout = struct.Struct("iII")
    given = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, layout.size)
    pid, uid, _ = layout.unpack(given)
    return Peer(uid, pid)


def _by_local_options(connection: socket.socket) -> Peer:
    version_and_uid = connection.getsockopt(_LOCAL, _LOCAL_CREDENTIALS, 128)
    _, uid = _XUCRED.unpack_from(version_and_uid)
    (pid,) = struct.unpack("i", connection.getsockopt(_LOCAL, _LOCAL_PID, 4))
    return Peer(uid, pid)
