"""Tells what a command tried under bubblewrap: empty files and sockets of ours stand where
credentials and services are, and the kernel counts what found no way into the network."""

import ctypes
import fcntl
import os
import signal
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from automode.confine.profile import Profile

TYPE_CHECKING = False  # `typing` takes milliseconds to load
if TYPE_CHECKING:
    from socket import socket

READ, SOCKET, NETWORK = "read", "socket", "network"
NAMES = {READ: "a credential", SOCKET: "a service", NETWORK: "the network"}
MOST = 64
"""Traps of a kind: each is a mount."""
_OPENED, _TOO_MANY = 0x20, 0x4000
_CLOSE_ON_EXEC, _AT_ONCE = 0o2000000, 0o4000
_EVENT = struct.Struct("iIII")
_COUNTED = (("snmp", "Ip:", "OutNoRoutes"), ("snmp6", "Ip6OutNoRoutes", ""))


@dataclass(frozen=True, slots=True)
class Refused:
    kind: str
    what: str


@dataclass(slots=True)
class Traps:
    """`folder` is made by `set` and removed by `remove`. Nobody inside sees it."""

    folder: str
    _places: dict[str, str] = field(default_factory=dict)  # by the name in the folder
    _listening: dict[str, "socket"] = field(default_factory=dict)
    _opened: int = -1
    _counters: list[int] = field(default_factory=list)
    _connected: dict[str, None] = field(default_factory=dict)

    def set(self, profile: Profile) -> dict[str, str]:
        """What to mount at each place. Raises OSError."""
        os.mkdir(self.folder, 0o700)
        found: dict[str, str] = {}
        for number, place in enumerate(profile.watched[:MOST]):
            found[place] = self._add(f"f{number}", place)
            os.close(os.open(found[place], os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o400))
        if profile.services:
            self._listen(profile.services[:MOST], found)
        self._opened = _watch(self.folder)
        return found

    def _listen(self, places: Sequence[str], found: dict[str, str]) -> None:
        from socket import AF_UNIX, socket  # takes milliseconds to load

        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for number, place in enumerate(places):
            name = f"s{number}"
            found[place] = self._add(name, place)
            line = self._listening[place] = socket(AF_UNIX)
            line.setblocking(False)
            line.bind(f"/proc/self/fd/{folder}/{name}")  # a short name, wherever the folder is
            line.listen()
            fcntl.fcntl(line, fcntl.F_SETOWN, os.getpid())
            fcntl.fcntl(line, fcntl.F_SETFL, fcntl.fcntl(line, fcntl.F_GETFL) | os.O_ASYNC)
        os.close(folder)

    def _add(self, name: str, place: str) -> str:
        self._places[name] = place
        return os.path.join(self.folder, name)

    def count(self, process: int) -> None:
        """From now on what finds no way out of the network of `process`, also after its end."""
        for name, _, _ in _COUNTED:
            with suppress(OSError):
                path = f"/proc/{process}/net/{name}"
                self._counters.append(os.open(path, os.O_RDONLY | os.O_CLOEXEC))

    def answer(self) -> None:
        """Hangs up on those who have connected: nobody waits for a service that is not there."""
        for place, line in self._listening.items():
            with suppress(OSError):
                while True:
                    line.accept()[0].close()
                    self._connected[place] = None

    def sprung(self) -> tuple[Refused, ...]:
        """What was tried, once each."""
        self.answer()
        attempts = sum(map(_counted, self._counters))
        found = [Refused(READ, place) for place in dict.fromkeys(self._read_events())]
        found += [Refused(SOCKET, place) for place in self._connected]
        if attempts:
            found.append(Refused(NETWORK, f"{attempts} attempt{'s' if attempts > 1 else ''}"))
        return tuple(found)

    def _read_events(self) -> Iterator[str]:
        while self._opened >= 0:
            try:
                found = os.read(self._opened, 65_536)
            except BlockingIOError:
                return
            while found:
                _, mask, _, length = _EVENT.unpack_from(found)
                name = found[_EVENT.size : _EVENT.size + length].rstrip(b"\0").decode("ascii")
                found = found[_EVENT.size + length :]
                if mask & _TOO_MANY:
                    yield "more files than can be told"
                elif name in self._places:
                    yield self._places[name]

    def remove(self) -> None:
        for line in self._listening.values():
            line.close()
        for one in (*self._counters, *([self._opened] if self._opened >= 0 else [])):
            os.close(one)
        with suppress(OSError):
            for name in self._places:
                os.unlink(os.path.join(self.folder, name))
            os.rmdir(self.folder)


def _watch(folder: str) -> int:
    """A descriptor that tells which files of `folder` are opened, by whatever path."""
    libc = ctypes.CDLL(None, use_errno=True)
    found = int(libc.inotify_init1(_CLOSE_ON_EXEC | _AT_ONCE))
    if found < 0 or libc.inotify_add_watch(found, os.fsencode(folder), _OPENED) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return found


def _counted(descriptor: int) -> int:
    """The kernel's counter of packets and connections without a route, of one of the files."""
    lines = os.pread(descriptor, 262_144, 0).decode("ascii", "replace").splitlines()
    for name, start, column in _COUNTED:
        rows = [line.split() for line in lines if line.startswith(start)]
        if name == "snmp" and len(rows) == 2 and column in rows[0]:
            return int(rows[1][rows[0].index(column)])
        if name == "snmp6" and len(rows) == 1:
            return int(rows[0][1])
    return 0


WAKES = signal.SIGIO
"""Comes when somebody has connected: then `answer`."""
