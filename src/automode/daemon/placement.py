"""Which daemon is meant, and that there is one per state folder: a lock for its life, and a socket
that only it replaces."""

import errno
import fcntl
import os
import re
import secrets
import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

import automode
from automode.config.places import Places
from automode.core.errors import AutomodeError
from automode.daemon.frames import USUAL_SETTINGS, settings_word
from automode.daemon.peers import peer_of
from automode.facts.place import home_folder
from automode.store.folder import BadFolder, StateFolder, made_once

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
    def claim(cls, folder: StateFolder, *, patience: float = 15.0) -> "OneDaemon":
        """Waits for one that is just ending, not for one that answers. Raises AlreadyRunning."""
        deadline = time.monotonic() + patience
        while True:
            one = cls(folder, os.open(folder.daemon_lock, os.O_RDWR | os.O_CREAT, 0o600))
            if _lock_file(one._lock) and one.owns_the_lock:
                return one
            os.close(one._lock)
            if holder(folder) is not None or time.monotonic() > deadline:
                raise AlreadyRunning(
                    f"a daemon runs already for `{folder.path}`", "see `automode daemon status`"
                )
            time.sleep(_PAUSE_SECONDS)

    @property
    def owns_the_lock(self) -> bool:
        """A lock on a deleted file protects nothing."""
        found = os.fstat(self._lock)
        return _identity(self.folder.daemon_lock) == (found.st_dev, found.st_ino)

    def bind(self) -> socket.socket:
        """The listening socket in its place. A file that is there belongs to no running daemon: we
        hold the lock."""
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
        """New clients find no daemon from now on; open connections are still served."""
        if self.reachable:
            with suppress(FileNotFoundError):
                os.unlink(self.folder.socket)
        self._bound = None

    def release(self) -> None:
        self.withdraw()
        os.close(self._lock)


def is_held(folder: StateFolder) -> bool:
    """Whether a daemon has the folder, whether it answers or not."""
    try:
        descriptor = os.open(folder.daemon_lock, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _lock_file(descriptor)
    finally:
        os.close(descriptor)


def holder(folder: StateFolder) -> int | None:
    """The process that listens on the socket, as the kernel says, also one that hangs. Files in the
    folder could have been written by any process of the account."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(folder.socket)
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
    while is_held(folder):
        if time.monotonic() > deadline:
            raise NotStopped(
                f"process {pid or '(not known)'} still holds `{folder.daemon_lock}`",
                "end it yourself: see who has the file open",
            )
        time.sleep(_PAUSE_SECONDS)


def _lock_file(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


LOOPBACK = "127.0.0.1"
# Below what systems hand out to programs that connect: none of those is in the way by chance.
_PORTS = range(20_000, 30_000)
_TRIES = 100


@dataclass(frozen=True, slots=True)
class Placement:
    """One daemon per state folder. `config_folder` None: the account's usual one."""

    state: StateFolder
    config_folder: str | None = None

    def places(self, project: str | None) -> Places:
        """Of the environment nothing counts: it is that of whoever came first."""
        return Places.of(
            home=home_folder(), environment={}, project=project, config_folder=self.config_folder
        )

    @property
    def config(self) -> str:
        """The folder of settings. No variable moves it: a project can set those in a terminal."""
        if self.config_folder is not None:
            return os.path.abspath(self.config_folder)
        return usual_config()

    @property
    def settings_words(self) -> frozenset[str]:
        """How hooks that mean this folder name it."""
        usual = {USUAL_SETTINGS} if self.config == usual_config() else set()
        return frozenset({settings_word(self.config), *usual})


def usual_config() -> str:
    return os.path.dirname(Places.of(home=home_folder(), environment={}).trust_file)


def http_port(folder: StateFolder) -> int:
    """The port of hooks over HTTP, chosen once: installed hooks name it. Raises BadFolder."""
    again = "move it away, restart the daemon, and install hooks over HTTP again"
    return _chosen_port(folder.http_port, again)


def ui_port(folder: StateFolder) -> int:
    """The port of `automode ui`, chosen once: the floor keeps agents from it. Raises BadFolder."""
    return _chosen_port(folder.ui_port, "move it away, so that another port is chosen")


def _chosen_port(file: str, again: str) -> int:
    text = made_once(file, lambda: str(_free_port()))
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        raise BadFolder(f"`{file}` holds no port: `{text[:20]}`", again)
    return int(text)


def _free_port() -> int:
    for _ in range(_TRIES):
        port = secrets.choice(_PORTS)
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
            try:
                trial.bind((LOOPBACK, port))
            except OSError:
                continue
        return port
    raise BadFolder("no port on loopback is free", "end programs that listen, then try again")


UNKNOWN = "unknown"
CodeState: TypeAlias = tuple[int, int, int] | None


def own_version() -> str:
    """As installed now: a package may be replaced under a running process. UNKNOWN in a source
    tree."""
    try:
        found: object = version("automode")
    except PackageNotFoundError:
        return UNKNOWN
    return found if isinstance(found, str) else UNKNOWN  # empty metadata name none


def newer(one: str, other: str) -> bool:
    """Whether release `one` came after `other`. Of what is no release nobody can say."""
    known = _release(one), _release(other)
    return all(known) and known[0] > known[1]


def _release(text: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", text)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def code_state() -> CodeState:
    """What changes when the package on disk is replaced or removed."""
    try:
        found = os.stat(automode.__file__)
    except OSError:
        return None
    return (found.st_dev, found.st_ino, found.st_mtime_ns)
