"""Whether a process has a port of this machine: as the kernel says, because anybody can answer."""

import os
from collections.abc import Iterator

_LISTENS = "0A"
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")


def listener(port: int, pid: int) -> bool | None:
    """None where it cannot be seen: another system, or another account's process."""
    try:
        inodes = {one for table in _TABLES for one in _inodes(table, port)}
        held = set(_sockets(pid))
    except OSError:
        return None
    return bool(inodes) and inodes <= held


def _inodes(table: str, port: int) -> Iterator[str]:
    try:
        with open(table, encoding="ascii") as file:
            rows = file.read().splitlines()[1:]
    except FileNotFoundError:
        if table == _TABLES[0]:
            raise
        return
    for row in rows:
        fields = row.split()
        address, state, inode = fields[1], fields[3], fields[9]
        if state == _LISTENS and int(address.rpartition(":")[2], 16) == port:
            yield inode


def _sockets(pid: int) -> Iterator[str]:
    folder = f"/proc/{pid}/fd"
    for name in os.listdir(folder):
        try:
            target = os.readlink(f"{folder}/{name}")
        except FileNotFoundError:
            continue
        if target.startswith("socket:["):
            yield target[len("socket:[") : -1]
