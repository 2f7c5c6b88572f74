"""Without a daemon: starts one for all hooks that wait, or has a process of its own decide."""

import _signal  # type: ignore[import-not-found]  # as in `hook.client`
import _socket
import fcntl
import posix
import pwd
import sys
import time
from collections.abc import Callable, Mapping, Sequence

PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
PAUSE_SECONDS = 0.01
LONGEST_PAUSE_SECONDS = 0.05
LAST_DESCRIPTOR = 65_536
LONGEST_LOG = 1_000_000
HEEDED = _signal.valid_signals() - {_signal.SIGKILL, _signal.SIGSTOP}


def daemon_command(options: Mapping[str, str]) -> list[str]:
    return [*_automode(options), "daemon", "run", "--detached", *_folders(options)]


def alone_command(options: Mapping[str, str], host: str, moment: str) -> list[str]:
    return [*_automode(options), "hook-alone", host, moment, *_folders(options)]


def wait_for_daemon(
    dial: Callable[[], _socket.socket | None], command: Sequence[str], seconds: float
) -> _socket.socket | None:
    """A connection to the daemon that `command` starts, or that another hook is starting; None when
    none is there after `seconds`, or none can be."""
    until, pause = time.monotonic() + seconds, PAUSE_SECONDS
    try:
        flags = posix.O_RDWR | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC
        lock = posix.open("start.lock", flags, 0o600)
    except OSError:
        return None  # where not even a lock can be made, no daemon could keep anything
    ours, child = False, 0
    while time.monotonic() < until:
        ours = ours or _take(lock)
        line = dial()  # after the lock: who held it before us may have started one
        if line is not None:
            return line
        if ours and not child:
            child = _fork(command, None, 0.0)
        if child and _has_failed(child):
            return dial()  # somebody else's may have come first
        time.sleep(pause)
        pause = min(pause * 1.2, LONGEST_PAUSE_SECONDS)
    return None


def decided_alone(
    command: Sequence[str], payload: bytes, variables: bytes, seconds: float
) -> _socket.socket:
    """The line on which a process that decides without a daemon prints its reply, or OSError."""
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    words = ["--variables", str(len(variables))] if variables else []
    _fork([*command, *words], theirs, seconds)
    theirs.close()
    ours.sendall(payload + variables)
    ours.shutdown(_socket.SHUT_WR)
    return ours


def _automode(options: Mapping[str, str]) -> list[str]:
    return [options["--python"] or sys.executable, "-I", "-m", "automode"]


def _folders(options: Mapping[str, str]) -> list[str]:
    config = options["--config"]
    named = ["--config-folder", config] if config else []
    return ["--state-folder", options["--state"], *named]


def _take(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _has_failed(child: int) -> bool:
    """A daemon that finds another one ends well: then that one is waited for."""
    try:
        found, status = posix.waitpid(child, posix.WNOHANG)
    except ChildProcessError:
        return False
    return found == child and status != 0


def _fork(command: Sequence[str], line: _socket.socket | None, seconds: float) -> int:
    """The id of a new process for `command`, with `line` for its standard input and output."""
    # Until it has forgotten how to close, a signal must not make the copy of this hook answer.
    _signal.pthread_sigmask(_signal.SIG_BLOCK, HEEDED)
    child = posix.fork()
    if not child:
        _become(command, line, seconds)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, HEEDED)
    return child


def _become(command: Sequence[str], line: _socket.socket | None, seconds: float) -> None:
    """Turns this process into `command`, with nothing of what the agent's environment says. An
    alarm after `seconds` ends it even when nobody waits for it any more."""
    try:
        for number in HEEDED:
            _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, HEEDED)
        posix.setsid()
        log = _log()
        nothing = posix.open("/dev/null", posix.O_RDONLY)
        posix.dup2(line.fileno() if line else nothing, 0)
        posix.dup2(line.fileno() if line else log, 1)
        posix.dup2(log, 2)
        posix.closerange(3, LAST_DESCRIPTOR)
        _signal.setitimer(_signal.ITIMER_REAL, seconds)
        posix.umask(0o077)
        posix.chdir("/")
        posix.execve(command[0], list(command), _environment())
    except OSError as error:
        _complain(command[0], error)
    finally:
        posix._exit(127)  # noqa: SLF001 - a copy of the hook must not answer


def _complain(program: str, error: OSError) -> None:
    """Into the log, which nobody keeps short while no daemon runs."""
    if posix.fstat(2).st_size < LONGEST_LOG:
        said = f"automode: `{program}` cannot be started ({error.strerror});"
        posix.write(2, f"{said} install the hooks again: automode install AGENT\n".encode())


def _log() -> int:
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_NOFOLLOW
    try:
        return posix.open("daemon.log", flags, 0o600)
    except OSError:
        return posix.open("/dev/null", posix.O_WRONLY)


def _environment() -> dict[str, str]:
    """`HOME` is the account's own, whatever the agent's says."""
    try:
        home = pwd.getpwuid(posix.geteuid()).pw_dir
    except KeyError:
        home = "/"
    return {"HOME": home, "PATH": PATH, "LANG": "C.UTF-8"}
