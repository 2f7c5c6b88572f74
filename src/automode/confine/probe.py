"""Run inside a guard that is tested: tries to get out, and prints each way that was open."""

import ctypes
import errno
import fcntl
import json
import os
import select
import socket
import sys
import time
from collections.abc import Callable

_CLONE_NEWUSER = 0x10000000
_TIOCSTI = 0x5412


def _opens(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _write(path: str, flags: int = os.O_WRONLY) -> None:
    os.close(os.open(path, flags, 0o600))


def _read(path: str) -> None:
    with open(path, "rb") as file:
        if not file.read():
            raise FileNotFoundError


def _connect(family: int, address: object) -> None:
    with socket.socket(family) as line:
        line.setblocking(False)
        try:
            line.connect(address)  # type: ignore[arg-type]
        except BlockingIOError:
            # What is not refused at once is on its way out.
            if select.select([], [line], [], 1.0)[1]:
                fault = line.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if fault:
                    raise OSError(fault, "refused") from None


def _status(key: str) -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1], 16) for line in file if line.startswith(key + ":"))


def _errno_of(result: int) -> int:
    return ctypes.get_errno() if result < 0 else 0


def _leave_behind(path: str) -> None:
    """A process in a session of its own that holds a lock as long as it lives."""
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    with open(path, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(b"x")
        file.flush()
        for number in (0, 1, 2):
            os.close(number)
        time.sleep(60)
    os._exit(0)


def _loopback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


def main() -> None:
    asked = json.loads(sys.argv[1])
    arena = asked["arena"]
    libc = ctypes.CDLL(None, use_errno=True)
    make = os.O_WRONLY | os.O_CREAT
    protected = f"{arena}/inside/protected"
    ways: dict[str, Callable[[], object]] = {
        "a file was made outside": lambda: _write(f"{arena}/outside/new", make),
        "a file outside was opened to write": lambda: _write(f"{arena}/outside/file"),
        "a file outside was emptied": lambda: os.truncate(f"{arena}/outside/file", 0),
        "a file outside was removed": lambda: os.unlink(f"{arena}/outside/file"),
        "a protected file was opened to write": lambda: _write(f"{protected}/file"),
        "a protected file was removed": lambda: os.unlink(f"{protected}/file"),
        "a protected path was made": lambda: _write(f"{protected}/missing", make),
        "a protected folder was made": lambda: os.mkdir(f"{protected}/missing"),
        "a protected path's folder was renamed": lambda: os.rename(protected, f"{arena}/inside/b"),
        "a hidden file was read": lambda: _read(f"{arena}/hidden/file"),
        "the order was read": lambda: _read(f"{arena}/orders/order.json"),
        "a local service was reached": lambda: _connect(
            socket.AF_INET, ("127.0.0.1", asked["port"])
        ),
        "the network was reached": lambda: _connect(socket.AF_INET, ("192.0.2.1", 9)),
        "the network was reached by IPv6": lambda: _connect(socket.AF_INET6, ("2001:db8::1", 9)),
        "a service's socket was reached": lambda: _connect(socket.AF_UNIX, f"{arena}/outside/s"),
        "an abstract socket was reached": lambda: _connect(
            socket.AF_UNIX, "\0" + asked["abstract"]
        ),
        "a machine's socket was made": lambda: socket.socket(40).close(),  # AF_VSOCK
        "a process outside got a signal": lambda: os.kill(asked["process"], 0),
        "a process outside was read": lambda: _read(f"/proc/{asked['process']}/environ"),
    }
    found = [name for name, attempt in ways.items() if _opens(attempt)]
    with open(os.devnull, "rb") as file:
        if _errno_of(libc.ioctl(file.fileno(), _TIOCSTI, b"x")) != errno.EPERM:
            found.append("the terminal could be typed into")
    if _status("NoNewPrivs") != 1 or _status("CapEff") or _status("CapPrm"):
        found.append("privileges were left")
    if "AUTOMODE_TEST_TOKEN" in os.environ:
        found.append("a token was left in the environment")
    if len(os.listdir("/proc/self/fd")) != 4:
        found.append("a descriptor was left open")
    # What has to work, so that the test means something.
    with open(f"{os.environ['TMPDIR']}/t", "wb"):
        pass
    if not _opens(lambda: _read(f"{protected}/file")):
        found.append("a protected file was lost")
    if asked["bubblewrap"]:
        with open(f"{arena}/inside/new", "wb"):
            pass
        _loopback()
    alive = f"{arena}/inside/work/alive"
    _leave_behind(alive)
    while not os.path.exists(alive) or not os.path.getsize(alive):
        time.sleep(0.005)
    # Last, because it takes this process's rights away where it works.
    if _errno_of(libc.unshare(_CLONE_NEWUSER)) != errno.EPERM:
        found.append("a user namespace was made")
    sys.stdout.write("\n".join([*found, "tried everything"]))


if __name__ == "__main__":
    main()
