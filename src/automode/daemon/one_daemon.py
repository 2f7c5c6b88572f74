"""Exactly one daemon per state folder: a lock for its life, and a socket that only it replaces."""

import errno
import fcntl
import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from automode.core.errors import AutomodeError
from automode.daemon.peers import peer_of
from automode.store.folder import BadFolder, StateFolder

LONGEST_SOCKET_PATH = 103  # bytes: the least that a system offers, without the final zero
BACKLOG = 256
_PAUSE_SECONDS = 0.05
_FACTS_BYTES = 4096


class AlreadyRunning(AutomodeError):
    pass


class NotStopped(AutomodeError):
    pass


@dataclass(slots=True)
class OneDaemon:
    """Holds the lock until the process ends, whatever ends it."""

    folder: StateFolder
    _lock: int
    _listening: socket.socket | None = None
    _bound: tuple[int, int] | None = field(default=None)

    @classmethod
    def claimed(cls, folder: StateFolder, *, patience: float = 15.0) -> "OneDaemon":
        """Waits for one that is just ending, not for one that answers. Raises AlreadyRunning."""
        deadline = time.monotonic() + patience
        while True:
            one = cls(folder, os.open(folder.daemon_lock, os.O_RDWR | os.O_CREAT, 0o600))
            if _locked(one._lock) and one.owns_the_lock:
                return one
            os.close(one._lock)
            if _listens(folder.socket) or time.monotonic() > deadline:
                raise AlreadyRunning(
                    f"a daemon runs already for `{folder.path}`", "see `automode daemon status`"
                )
            time.sleep(_PAUSE_SECONDS)

    @property
    def owns_the_lock(self) -> bool:
        """A lock on a file that was taken away keeps nobody out."""
        found = os.fstat(self._lock)
        return _identity(self.folder.daemon_lock) == (found.st_dev, found.st_ino)

    def bind(self) -> socket.socket:
        """The listening socket in its place. What lies there is nobody's: the lock is ours."""
        path = self.folder.socket
        if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
            raise BadFolder(
                f"the path of the socket is too long: `{path}`",
                f"name a --state-folder that leaves it below {LONGEST_SOCKET_PATH} bytes",
            )
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        previous = os.umask(0o177)
        try:
            with suppress(FileNotFoundError):
                os.unlink(path)
            listening.bind(path)
        except OSError as error:
            listening.close()
            raise BadFolder(
                f"no socket can be made at `{path}`: {error.strerror}", "move away what is there"
            ) from error
        finally:
            os.umask(previous)
        listening.listen(BACKLOG)
        listening.setblocking(False)
        self._listening, self._bound = listening, _identity(path)
        return listening

    @property
    def reachable(self) -> bool:
        """Whether the path still leads to our socket."""
        return self._bound is not None and _identity(self.folder.socket) == self._bound

    def withdraw(self) -> None:
        """New clients find nobody from now on; whoever has connected already is still served."""
        if self.reachable:
            with suppress(FileNotFoundError):
                os.unlink(self.folder.socket)
        self._bound = None

    def release(self) -> None:
        self.withdraw()
        os.close(self._lock)


def held(folder: StateFolder) -> bool:
    """Whether a daemon has the folder, whether it answers or not."""
    try:
        descriptor = os.open(folder.daemon_lock, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _locked(descriptor)
    finally:
        os.close(descriptor)


def holder(folder: StateFolder) -> int | None:
    """The process that has the folder, as the kernel says: it listens on the socket, or has the
    lock file open. What stands in the folder anybody of the account can have written."""
    return _by_socket(folder.socket) or _by_its_word(folder)


def _by_its_word(folder: StateFolder) -> int | None:
    try:
        with open(folder.daemon_facts, "rb") as file:
            found: object = json.loads(file.read(_FACTS_BYTES))
    except (OSError, ValueError):
        return None
    match found:
        case {"pid": int(pid)} if pid > 1 and _has_open(pid, folder.daemon_lock):
            return pid
        case _:
            return None


def _has_open(pid: int, path: str) -> bool:
    """Only Linux shows it. Elsewhere a daemon whose socket is gone has to be ended by hand."""
    opened = f"/proc/{pid}/fd"
    try:
        wanted = os.stat(path)
        return any(os.path.samestat(wanted, found) for found in _files(opened))
    except OSError:
        return False


def _files(opened: str) -> Iterator[os.stat_result]:
    for name in os.listdir(opened):
        with suppress(OSError):
            yield os.stat(os.path.join(opened, name))


def _by_socket(path: str) -> int | None:
    """One that hangs is still connected to, by the kernel."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except OSError:
            return None
        peer = peer_of(probe)
    return peer.pid if peer is not None and peer.ours and peer.pid > 1 else None


def end_by_force(folder: StateFolder, pid: int | None, *, patience: float = 5.0) -> None:
    """For one that hangs. Its records are safe: what was answered was written before."""
    if pid is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + patience
    while held(folder):
        if time.monotonic() > deadline:
            raise NotStopped(
                f"process {pid or '(not known)'} still holds `{folder.daemon_lock}`",
                "end it yourself: see who has the file open",
            )
        time.sleep(_PAUSE_SECONDS)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except OSError:
            return False
        return True


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino)
